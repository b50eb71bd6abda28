"""One desk for many lanes: one thread at a time prepares a run or judges one."""

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType


class Desk:
    """Entered for the work before and after a run, and left while the run is on.

    The interpreter works on one thread at a time. With a second one at the desk, both spend their time on
    handing it over at every system call: the same runs took a sixth longer, and half as long again on a disk.

    Who comes to start a run goes first: after a judgement its lane can start the next one at once, while the
    others' judgements wait for nothing but their turn.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._taken = False
        self._starting: deque[threading.Lock] = deque()
        self._judging: deque[threading.Lock] = deque()

    def __enter__(self) -> None:
        self._take(self._starting)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._leave()

    @contextmanager
    def away(self) -> Iterator[None]:
        """It is free for others meanwhile."""
        self._leave()
        try:
            yield
        finally:
            self._take(self._judging)

    def _take(self, queue: deque[threading.Lock]) -> None:
        with self._lock:
            if not self._taken:
                self._taken = True
                return
            turn = threading.Lock()
            turn.acquire()
            queue.append(turn)
        turn.acquire()

    def _leave(self) -> None:
        """Handed over to the next one, if there is one, and never free in between."""
        with self._lock:
            waiting = self._starting or self._judging
            if waiting:
                waiting.popleft().release()
            else:
                self._taken = False
