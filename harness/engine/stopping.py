"""Signals as requests to end: the first lets what is running finish, the second ends it."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from msgspec import Struct, field


class Stopping(Struct, frozen=True):
    """What was asked for so far. Set by signals, read by the loop over cells."""

    drain: threading.Event = field(default_factory=threading.Event)
    """Start nothing more."""
    end: threading.Event = field(default_factory=threading.Event)
    """End what is running too."""


@contextmanager
def stopping(asked: Stopping, say: Callable[[str], None], end_running: Callable[[], None]) -> Iterator[None]:
    """Within it, SIGINT, SIGTERM and SIGHUP ask; the handlers of before come back after it.

    A signal that is ignored (SIGHUP under nohup) stays ignored. ``end_running`` is called on the second one.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread may set handlers
        return

    def handle(number: int, _: FrameType | None) -> None:
        name = signal.Signals(number).name
        if not asked.drain.is_set():
            asked.drain.set()
            say(f"{name}: starting nothing more, letting what is running finish; once more ends it")
        elif not asked.end.is_set():
            asked.end.set()
            say(f"{name}: ending what is running; finished rows are kept")
            end_running()

    wanted = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {n: signal.signal(n, handle) for n in wanted if signal.getsignal(n) is not signal.SIG_IGN}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
