"""Ctrl-C and SIGTERM as a request to end: what is running is ended and judged interrupted, nothing is started."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def stopping(stop: threading.Event, say: Callable[[str], None]) -> Iterator[None]:
    """Within it, SIGINT and SIGTERM set ``stop``; the handlers of before come back after it."""
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread may set handlers
        return

    def handle(number: int, _: FrameType | None) -> None:
        stop.set()
        say(f"{signal.Signals(number).name}: ending what is running; finished rows are kept")

    before = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
