"""What goes into an engine and what comes out of it."""

from concurrent.futures import Executor, Future
from typing import Protocol

from msgspec import Struct

from harness.model.cell import Cell
from harness.model.row import Row
from harness.results.folder import RunFolder


class Job(Struct, frozen=True, kw_only=True):
    """A cell that is to be run, with what tells its rows apart from those of other contents and tries."""

    cell: Cell
    digest: str
    attempt: int = 1
    tries_left: int = 1
    """Runs, this one included, that may come out invalid before the cell is left so."""


class Finished(Struct, frozen=True, kw_only=True):
    """A run that is over, with its folder whole, and without its row."""

    row: Row
    folder: RunFolder
    cost_usd: float | None
    """None: it ended without an account."""
    tampered: tuple[str, ...] = ()
    resets_at: float | None = None
    retry_after_s: float | None = None


class Engine(Protocol):
    """Runs jobs on a ``concurrent.futures.Executor``."""

    executor: Executor

    @property
    def lanes(self) -> int:
        """How many jobs are to be under way at once; a cluster's may change."""
        ...

    def submit(self, job: Job) -> Future[object]: ...

    def collect(self, future: Future[object]) -> Finished:
        """What a future that is done came to; the caller's thread alone writes results."""
        ...

    def end_running(self) -> None:
        """Make what is running end soon, as interrupted."""
        ...
