"""What an arm left different in its world."""

from typing import Literal

from msgspec import Struct


class Change(Struct, frozen=True, kw_only=True):
    """One path of the world that differs from the fixture."""

    path: str
    """Relative to the world, with ``/``."""
    kind: Literal["added", "modified", "deleted"]
    type: Literal["file", "link", "folder", "special"]
    before: str | None
    """Text before, or None where there was none or it is not text."""
    after: str | None
    before_sha256: str = ""
    after_sha256: str = ""
    mode: int = 0
    cut: bool = False
    """The text is longer than what is kept."""

    @property
    def added_lines(self) -> tuple[str, ...]:
        """Lines of ``after`` that ``before`` does not have, in order."""
        old = set((self.before or "").split("\n"))
        return tuple(line for line in (self.after or "").split("\n") if line not in old)
