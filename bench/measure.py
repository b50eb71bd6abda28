"""A child process with what it and all under it cost."""

import os
import subprocess
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

MIB = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    wall_s: float
    cpu_s: float
    """With all descendants that were waited for."""
    peak_bytes: int
    """Resident, of the process alone."""
    own_cpu_s: float
    """Of the process alone, to within a tick."""


def run(argv: Sequence[str], *, cwd: Path, env: Mapping[str, str], codes: tuple[int, ...] = (0,)) -> Cost:
    """Run it to its end; its output is thrown away unless it fails."""
    began = time.monotonic()
    with Path(os.devnull).open("rb") as nothing, tempfile.TemporaryFile() as said:
        child = subprocess.Popen(argv, cwd=cwd, env=env, stdin=nothing, stdout=said, stderr=said)
        seen = _Seen()
        sampler = threading.Thread(target=_sample, args=(child.pid, seen))
        sampler.start()
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.monotonic() - began
        child.returncode = os.waitstatus_to_exitcode(status)
        sampler.join()
        if child.returncode not in codes:
            said.seek(0)
            raise SystemExit(f"{' '.join(argv)} exited {child.returncode}:\n{said.read().decode()[-3000:]}")
    cpu = usage.ru_utime + usage.ru_stime
    return Cost(wall_s=wall, cpu_s=cpu, peak_bytes=seen.peak, own_cpu_s=seen.ticks / os.sysconf("SC_CLK_TCK"))


@dataclass(slots=True)
class _Seen:
    peak: int = 0
    ticks: int = 0


def _sample(pid: int, seen: _Seen) -> None:
    while True:
        try:
            status = Path(f"/proc/{pid}/status").read_text()
            stat = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return
        for line in status.splitlines():
            if line.startswith("VmHWM"):
                seen.peak = max(seen.peak, int(line.split()[1]) * 1024)
        seen.ticks = max(seen.ticks, int(stat[11]) + int(stat[12]))
        time.sleep(0.02)
