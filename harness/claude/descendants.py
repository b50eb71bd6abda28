"""Which processes belong to a run, also when they have left its session and its parents are gone.

A process is one of the run's when it stands in the tree under its first process, is in the session or group
of one that does, carries the run's token in its environment, stands in the run's own folder, or writes to the
run's output files. The last two are asked only of a process that carries no run's token.

What is not found this way: a daemon that cleared its environment, moved to another folder, closed its output
and outlived every parent, all before the first look. The jail's process namespace leaves none of them either.
"""

import contextlib
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct, field

TOKEN_VARIABLE = "HARNESS_RUN"

_LINUX: bool = sys.platform.startswith("linux")
_WRAPPERS = frozenset({"bwrap", "unshare", "setpriv", "prlimit", "sh"})
_PIDS_PER_S = 6_500
"""More than any machine starts for long: pids do not begin anew before as many seconds as this has part in all."""
_FEWEST_PIDS = 1 << 15
_KERNEL_THREADS = 2
"""The pid of the parent of all kernel threads."""


class Proc(NamedTuple):
    """One process, told from a later one with the same pid by its start."""

    pid: int
    start: float
    ppid: int
    pgid: int
    sid: int
    zombie: bool


_leaders: set[int] = set()
"""First processes of all runs that this program is supervising, each in a session of its own."""


@contextmanager
def leading(root: Proc) -> Iterator[None]:
    """While it has not been reaped, ``root`` leads a session in which all are its own."""
    _leaders.add(root.pid)
    try:
        yield
    finally:
        _leaders.discard(root.pid)


class Family(Struct, kw_only=True):
    """The processes of one run. ``seen`` grows with every look."""

    root: Proc
    token: str
    owned: Path | None
    outputs: tuple[Path, ...]
    wrapped: bool = False
    seen: dict[tuple[int, float], Proc] = field(default_factory=dict)

    def look(self) -> list[Proc]:
        """The descendants alive now, in one pass over the process table; the root is not among them."""
        table = _linux_processes(_first_pid(self.root)) if _LINUX else _other_processes()
        young = [p for p in table if p.start >= self.root.start and p.pid != self.root.pid]
        # A process that was seen before is ours for good, whoever its parent is by now.
        ours = _kin(young, {p.pid for p in young if (p.pid, p.start) in self.seen} | {self.root.pid})
        # Who is in a session of another run was born in it, and need not be asked for its mark.
        others = _leaders - {self.root.pid}
        strange = (p for p in young if p.pid not in ours and not p.zombie and p.sid not in others)
        marked = {p.pid for p in strange if self._marked(p.pid)}
        if marked:
            ours = _kin(young, ours | marked)
        found = [p for p in young if p.pid in ours and not p.zombie]
        self.seen.update(((p.pid, p.start), p) for p in found)
        return found

    def main(self, members: list[Proc]) -> Proc:
        """The process that the others are there for: below the programs that make a jail, if there is one."""
        main = self.root
        while self.wrapped and _name(main.pid) in _WRAPPERS:
            below = [p for p in members if p.ppid == main.pid]
            if not below:
                break
            main = min(below, key=lambda p: p.start)
        return main

    def _marked(self, pid: int) -> bool:
        token = _token(pid)
        if token:
            return token == self.token
        return self._stands_inside(pid) or self._writes_output(pid)

    def _stands_inside(self, pid: int) -> bool:
        if self.owned is None:
            return False
        cwd = _link(f"/proc/{pid}/cwd").removesuffix(" (deleted)")
        return cwd == str(self.owned) or cwd.startswith(f"{self.owned}/")

    def _writes_output(self, pid: int) -> bool:
        names = {str(path) for path in self.outputs}
        return _link(f"/proc/{pid}/fd/1") in names or _link(f"/proc/{pid}/fd/2") in names


def _kin(young: list[Proc], heads: set[int]) -> set[int]:
    """``heads`` with every process under them, and in a session or group that one of those leads."""
    ours = set(heads)
    while more := {p.pid for p in young if p.ppid in ours or p.sid in ours or p.pgid in ours} - ours:
        ours |= more
    return ours


def find_process(pid: int) -> Proc:
    """The process of a pid that is known to exist, a zombie included."""
    if _LINUX:
        return _parse_stat(pid, _read(f"/proc/{pid}/stat"))
    return _from_psutil(pid)


def still_there(proc: Proc) -> bool:
    """Whether this very process (not a later one with its pid) is alive and no zombie."""
    try:
        now = find_process(proc.pid)
    except (OSError, ValueError):
        return False
    return now.start == proc.start and not now.zombie


def _first_pid(root: Proc) -> int:
    """The least pid that a process younger than ``root`` can have: 0 unless pids have surely not begun anew since."""
    age_s = time.clock_gettime(time.CLOCK_BOOTTIME) - root.start / os.sysconf("SC_CLK_TCK")
    if not 0 <= age_s <= _most_pids() / _PIDS_PER_S:
        return 0
    try:
        last = int(_read("/proc/loadavg").split()[4])
    except (OSError, ValueError, IndexError):
        return 0
    return root.pid if last >= root.pid else 0


@lru_cache(maxsize=1)
def _most_pids() -> int:
    try:
        return int(_read("/proc/sys/kernel/pid_max"))
    except (OSError, ValueError):
        return _FEWEST_PIDS


def _linux_processes(first: int) -> Iterator[Proc]:
    with os.scandir("/proc") as entries:
        pids = [
            pid for pid in (int(entry.name) for entry in entries if entry.name.isdecimal()) if pid >= first
        ]
    for pid in pids:
        try:
            proc = _parse_stat(pid, _read(f"/proc/{pid}/stat"))
        except (OSError, ValueError):
            continue  # it has gone meanwhile
        if proc.ppid != _KERNEL_THREADS:
            yield proc


def _read(path: str) -> bytes:
    # Thousands of these are read at the end of every run; pathlib would double the cost.
    fd = os.open(path, os.O_RDONLY)
    try:
        return os.read(fd, 1 << 12)
    finally:
        os.close(fd)


def _parse_stat(pid: int, stat: bytes) -> Proc:
    # The name stands in brackets and may hold blanks and brackets itself: the last one ends it.
    fields = stat[stat.rindex(b")") + 2 :].split()
    return Proc(pid, float(fields[19]), int(fields[1]), int(fields[2]), int(fields[3]), fields[0] in b"ZX")


def _other_processes() -> Iterator[Proc]:
    import psutil  # costs a start on Linux too much for what it does there: nothing

    for pid in psutil.pids():
        with contextlib.suppress(OSError):
            yield _from_psutil(pid)


def _from_psutil(pid: int) -> Proc:
    """Raises OSError where there is no such process, or nothing may be known of it."""
    import psutil

    try:
        process = psutil.Process(pid)
        zombie = process.status() == psutil.STATUS_ZOMBIE
        group, session = (0, 0) if zombie else (os.getpgid(pid), os.getsid(pid))
        return Proc(pid, process.create_time(), process.ppid(), group, session, zombie)
    except psutil.Error as error:
        raise ProcessLookupError(str(error)) from error


def _token(pid: int) -> str:
    """The run token in the environment a process was started with; '' where there is none or it is hidden."""
    mark = f"{TOKEN_VARIABLE}="
    if not _LINUX:
        import psutil

        try:
            return psutil.Process(pid).environ().get(TOKEN_VARIABLE, "")
        except (psutil.Error, OSError):
            return ""
    try:
        variables = b"\0" + Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return ""
    _, found, rest = variables.partition(b"\0" + mark.encode())
    return rest.partition(b"\0")[0].decode("utf-8", "replace") if found else ""


def _name(pid: int) -> str:
    try:
        return _read(f"/proc/{pid}/comm").decode("utf-8", "replace").strip()
    except OSError:
        return ""


def _link(path: str) -> str:
    try:
        return str(Path(path).readlink())
    except OSError:
        return ""
