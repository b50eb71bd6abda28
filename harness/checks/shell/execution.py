"""One program as the shell starts it."""

from msgspec import Struct


class Execution(Struct, frozen=True, kw_only=True):
    """Words and paths are patterns (see ``pattern``); ``argv`` is empty where only redirections stand."""

    argv: tuple[str, ...]
    cwd: str
    reads: tuple[str, ...] = ()
    """Files that ``<`` opens."""
    writes: tuple[str, ...] = ()
    """Files that ``>``, ``>>`` and their kin open."""
    stdin: str | None = None
    """Text that a here-document or here-string gives, where it is known."""
    piped: bool = False
    """The standard input comes from another program."""
    fed: tuple[str, ...] = ()
    """Words that the program before it in the pipeline prints, where they stand in its arguments."""
    listing: bool = False
    """``argv`` are words that the shell itself expands for a loop; no program is started."""

    @property
    def program(self) -> str:
        return self.argv[0].rsplit("/", 1)[-1] if self.argv else ""
