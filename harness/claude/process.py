"""How one claude process is started, watched and ended, with everything that it started."""

import hashlib
import os
import subprocess
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from msgspec import Struct, field

from harness.claude.descendants import TOKEN_VARIABLE, Family, find_process, leading
from harness.claude.ending import Ending, end_survivors, end_tree
from harness.claude.progress import Progress
from harness.claude.reaping import Child
from harness.model.run import LimitFired, ProcessExit
from harness.model.scenario import Limits

OUTPUT_LIMIT_BYTES = 1 << 30
"""More than this on stdout or stderr is a runaway, not a transcript."""
STDERR_KEPT_BYTES = 8 << 20

_TICK_S = 0.2
_LONGEST_TICK_S = 0.8
"""While nothing comes: with many lanes, looking after all of them costs more than their runs do."""
_CHUNK_BYTES = 1 << 20


class Command(Struct, frozen=True, kw_only=True):
    """What to start, and how its descendants are known again."""

    argv: tuple[str, ...]
    env: Mapping[str, str]
    cwd: Path
    stdin: Path | None
    """A file with the prompt; None is /dev/null. Never a pipe or terminal: claude would wait for its end."""
    token: str
    """Unlike any other run's; it is put into the environment, so that descendants carry it."""
    wrapped: bool = False
    """Other programs (a jail's) start claude: INT must reach it, not them, who would take it along."""
    owned: Path | None = None
    """A folder that belongs to this run alone: a process that stands in it after the run is ended as well."""


def supervise(
    command: Command,
    *,
    stdout: Path,
    stderr: Path,
    limits: Limits,
    stop: threading.Event | None = None,
    on_bytes: Callable[[bytes], None] | None = None,
    on_limit: Callable[[LimitFired], None] | None = None,
) -> ProcessExit:
    """Run it to its end, or to the first limit; afterwards no process of it is alive.

    ``on_limit`` is told of a limit while everything still stands as it was when it fired.

    The child writes straight into the two files: its bytes are on disk before anybody reads them, a
    grandchild that keeps them open holds nobody up, and no flood can block it. A program that cannot be
    started is data, in ``start_error``.
    """
    started = time.monotonic()
    with stdout.open("wb") as out, stderr.open("wb") as err:
        try:
            popen = _start(command, out.fileno(), err.fileno())
        except (OSError, ValueError) as error:
            return _never_started(command, error, time.monotonic() - started)
        # Shares its place in the file with claude's own stdout, and with nobody who opens that file anew.
        written = os.fdopen(os.dup(out.fileno()), "wb")
    first = find_process(popen.pid)
    with Child(popen) as child, written, leading(first), stdout.open("rb", buffering=0) as reader:
        family = Family(
            root=first,
            token=command.token,
            owned=command.owned.resolve() if command.owned else None,
            outputs=(stdout.resolve(), stderr.resolve()),
            wrapped=command.wrapped,
        )
        watch = _Watch(limits=limits, started=started, stop=stop)
        tail = _Tail(reader.fileno(), on_bytes)
        try:
            limit = _watch(child, watch, tail, stderr)
            if limit and on_limit is not None:
                on_limit(limit)
        except BaseException:
            # The caller is being interrupted: nothing it started may outlive it.
            end_tree(child, family, gently=False)
            end_survivors(family, warned=True)
            child.reap()
            raise
        # After its result it has no more accounts to save.
        gently = not tail.progress.over and limit != "output"
        ended = end_tree(child, family, gently=gently) if limit else Ending()
        # Before the child is reaped, so that its pid and session cannot have been given to anyone else.
        swept = end_survivors(family, warned="TERM" in ended.signals)
        code, cpu_s, peak_rss_bytes = child.reap()
        foreign = os.lseek(written.fileno(), 0, os.SEEK_CUR) != stdout.stat().st_size
        if limit == "output":
            # What a flood wrote while it was being ended can be many times the limit.
            os.truncate(stdout, min(stdout.stat().st_size, OUTPUT_LIMIT_BYTES))
        tail.drain()
        foreign = foreign or not tail.still_there()
    stderr_bytes = stderr.stat().st_size
    _cut_middle(stderr, STDERR_KEPT_BYTES)
    return ProcessExit(
        exit_code=code,
        limit=limit,
        signals_sent=ended.signals + swept.signals,
        wall_s=time.monotonic() - started,
        cpu_s=cpu_s,
        peak_rss_bytes=peak_rss_bytes,
        descendants_seen=len(family.seen),
        survivors_killed=swept.ended,
        survivors_left=swept.left,
        result_seen=tail.progress.result_seen,
        stdout_bytes=tail.offset,
        stderr_bytes=stderr_bytes,
        stdout_foreign=foreign,
    )


def _start(command: Command, out: int, err: int) -> "subprocess.Popen[bytes]":
    stdin = os.open(command.stdin or os.devnull, os.O_RDONLY)
    try:
        return subprocess.Popen(
            command.argv,
            env={**command.env, TOKEN_VARIABLE: command.token},
            cwd=command.cwd,
            stdin=stdin,
            stdout=out,
            stderr=err,
            start_new_session=True,
        )
    finally:
        os.close(stdin)


class _Tail(Struct):
    """The part of stdout that was read so far, and what it told."""

    fd: int
    on_bytes: Callable[[bytes], None] | None
    offset: int = 0
    progress: Progress = field(default_factory=Progress)
    _digest: hashlib.blake2b = field(default_factory=hashlib.blake2b)

    def still_there(self) -> bool:
        """Whether the file still begins with what was read of it."""
        again, at = hashlib.blake2b(), 0
        while at < self.offset and (chunk := os.pread(self.fd, min(_CHUNK_BYTES, self.offset - at), at)):
            again.update(chunk)
            at += len(chunk)
        return again.digest() == self._digest.digest()

    def drain(self, most: int | None = None) -> None:
        """Read on from where it stopped, to the end or ``most`` bytes further."""
        until = None if most is None else self.offset + most
        while chunk := os.pread(self.fd, _CHUNK_BYTES, self.offset):
            self.offset += len(chunk)
            self._digest.update(chunk)
            self.progress.feed(chunk)
            if self.on_bytes is not None:
                self.on_bytes(chunk)
            if until is not None and self.offset >= until:
                return


class _Watch(Struct, kw_only=True):
    """Which limit is over, given what the stream told."""

    limits: Limits
    started: float
    stop: threading.Event | None
    last_progress: float = 0.0
    over_since: float | None = None

    def limit(self, now: float, progress: Progress) -> LimitFired:
        if progress.moved or not self.last_progress:
            progress.moved = False
            self.last_progress = now
        self.over_since = (self.over_since or now) if progress.over else None
        if self.stop is not None and self.stop.is_set():
            return "interrupt"
        if self.over_since is not None:
            # The run is complete: whatever limit comes next, it only ends a process that would not end.
            late = now - self.over_since >= self.limits.grace_s or now - self.started >= self.limits.timeout_s
            return "grace" if late else ""
        if now - self.started >= self.limits.timeout_s:
            return "timeout"
        if not progress.init_seen:
            return "startup" if now - self.started >= self.limits.startup_s else ""
        return "idle" if now - self.last_progress >= self.limits.idle_s else ""


def _watch(child: Child, watch: _Watch, tail: _Tail, stderr: Path) -> LimitFired:
    """Until the child has gone ('') or a limit is over."""
    limits = watch.limits
    shortest_s = min(limits.timeout_s, limits.idle_s, limits.startup_s, limits.grace_s)
    tick_s = _TICK_S
    while not child.wait(tick_s):
        size = os.fstat(tail.fd).st_size
        if size > tail.offset:
            tail.drain(16 * _CHUNK_BYTES)
            tick_s = _TICK_S
        else:
            tick_s = max(_TICK_S, min(2 * tick_s, _LONGEST_TICK_S, shortest_s / 4))
        if max(size, stderr.stat().st_size) > OUTPUT_LIMIT_BYTES:
            return "output"
        if limit := watch.limit(time.monotonic(), tail.progress):
            # It may have ended by itself in this very moment; then no limit ended it.
            return "" if child.wait(0) else limit
    return ""


def _never_started(command: Command, error: OSError | ValueError, wall_s: float) -> ProcessExit:
    why = (error.strerror or str(error)) if isinstance(error, OSError) else str(error)
    where = getattr(error, "filename", None) or command.argv[0]
    return ProcessExit(exit_code=None, wall_s=wall_s, start_error=f"{where}: {why}")


def _cut_middle(path: Path, kept: int) -> None:
    """Keep the head and the tail of a file that is longer than ``kept`` bytes, and say so in between."""
    size = path.stat().st_size
    if size <= kept:
        return
    half = kept // 2
    with path.open("r+b") as file:
        file.seek(size - half)
        tail = file.read(half)
        file.seek(half)
        file.write(b"\n[harness: %d bytes left out here]\n" % (size - 2 * half))
        file.write(tail)
        file.truncate()
