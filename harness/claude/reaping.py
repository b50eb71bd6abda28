"""The end of one direct child: noticed at once, and reaped here and nowhere else."""

import os
import select
import signal
import subprocess
import sys
import time
from types import TracebackType
from typing import Self

_SHORT_WAIT_S = 0.02
_DARWIN: bool = sys.platform.startswith("darwin")


class Child:
    """A started process that is noticed to end before it is reaped.

    Between the two its pid cannot be given to another process, so everything that is known by it (session,
    group, parent) can be looked for safely. ``subprocess`` would reap it as soon as it looks.
    """

    def __init__(self, popen: "subprocess.Popen[bytes]") -> None:
        self._popen = popen
        self._reaped: tuple[int | None, float, int] | None = None
        self._pidfd = -1
        self._poll: select.poll | None = None
        if hasattr(os, "pidfd_open"):
            try:
                self._pidfd = os.pidfd_open(popen.pid)
            except OSError:
                return
            self._poll = select.poll()
            self._poll.register(self._pidfd, select.POLLIN)

    @property
    def pid(self) -> int:
        return self._popen.pid

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._pidfd >= 0:
            os.close(self._pidfd)
            self._pidfd = -1

    def wait(self, timeout_s: float) -> bool:
        """Whether it has ended; waits for that at most ``timeout_s``."""
        if self._reaped is not None:
            return True
        if self._poll is not None:
            return bool(self._poll.poll(max(0.0, timeout_s) * 1000))
        until = time.monotonic() + timeout_s
        while not self._has_ended():
            left = until - time.monotonic()
            if left <= 0:
                return False
            time.sleep(min(_SHORT_WAIT_S, left))
        return True

    def _has_ended(self) -> bool:
        if not _DARWIN:
            return os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
        self._collect(os.WNOHANG)
        return self._reaped is not None

    def send(self, number: signal.Signals) -> None:
        if self._reaped is None:
            os.kill(self.pid, number)

    def reap(self) -> tuple[int | None, float, int]:
        """Exit code (negative: a signal), CPU seconds with all reaped descendants, peak memory in bytes."""
        if self._reaped is None:
            self._collect(0)
        return self._reaped or (None, 0.0, 0)

    def _collect(self, options: int) -> None:
        try:
            pid, status, usage = os.wait4(self.pid, options)
        except ChildProcessError:
            # The whole program ignores SIGCHLD: the kernel has thrown the exit code away.
            self._popen.returncode = 0
            self._reaped = (None, 0.0, 0)
            return
        if pid == 0:
            return
        code = os.waitstatus_to_exitcode(status)
        self._popen.returncode = code
        unit = 1 if _DARWIN else 1024
        self._reaped = (code, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * unit)
