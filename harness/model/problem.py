"""One mistake in a file that an author wrote."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    path: Path
    line: int
    """From 1."""
    text: str
    """What is wrong and what to do."""

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.text}"
