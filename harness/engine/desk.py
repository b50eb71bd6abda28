"""Few seats for many lanes: how many threads prepare and judge runs at once."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType

SEATS = 1
"""The interpreter works on one thread at a time; a second fills the gaps in which it waits for the disk. With more,
they spend their time on handing it over: four lanes took twice the CPU for the same runs."""


class Desk:
    """Entered for the work before and after a run, and left while the run is on."""

    def __init__(self, seats: int = SEATS) -> None:
        self._seats = threading.Semaphore(seats)

    def __enter__(self) -> None:
        self._seats.acquire()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._seats.release()

    @contextmanager
    def away(self) -> Iterator[None]:
        """The seat is free for others meanwhile."""
        self._seats.release()
        try:
            yield
        finally:
            self._seats.acquire()
