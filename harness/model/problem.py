"""One mistake in a file that an author wrote."""

from pathlib import Path

from msgspec import Struct


class Problem(Struct, frozen=True, kw_only=True):
    path: Path
    line: int
    """From 1."""
    text: str
    """What is wrong and what to do."""

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.text}"
