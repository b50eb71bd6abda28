"""What harness adds to bare ``claude -p`` runs: ratios measured side by side, in turns, on this machine."""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from harness.claude.binary import find_claude
from harness.claude.launch import QUIET
from harness.gateway.scripted import ScriptedModel
from harness.gateway.server import Gateway
from harness.loaders.suite import load_suites

ROOT = Path(__file__).resolve().parents[1]
MIB = 1 << 20
ENVIRONMENT = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
"""A user's Python keeps what it compiled."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    wall_s: float
    cpu_s: float
    own_cpu_s: float = 0.0
    peak_bytes: int = 0


def bare(runs: int) -> Cost:
    """The same runs without harness: a copied world, a started claude, its output to a file."""
    (suite,) = load_suites(ROOT, ["os-adr"])
    scenario = next(s for s in suite.scenarios if s.id == "R1")
    claude = find_claude(None, os.environ)
    cpu = wall = 0.0
    with Gateway() as gateway, tempfile.TemporaryDirectory() as folder:
        for number in range(runs):
            box = Path(folder) / str(number)
            world = box / "world"
            home = box / "home"
            token = f"bare-{number}"
            variables = {"world": str(world), "home": str(home), "plugin": str(suite.plugin)}
            gateway.open(token, ScriptedModel(scenario.playbooks["ideal"], variables))
            argv = [str(claude.path), "-p", "--output-format", "stream-json", "--verbose"]
            argv += ["--include-hook-events", "--forward-subagent-text", "--model", "haiku"]
            argv += ["--permission-mode", "bypassPermissions", f"--plugin-dir={suite.plugin}"]
            env = {"PATH": os.environ["PATH"], "HOME": str(home), "CLAUDE_CONFIG_DIR": str(home / ".claude")}
            env |= QUIET | {"ANTHROPIC_BASE_URL": gateway.url, "ANTHROPIC_API_KEY": token}
            began = time.monotonic()
            home.mkdir(parents=True)
            shutil.copytree(scenario.fixture, world, symlinks=True)
            with (box / "out").open("wb") as out:
                child = subprocess.Popen(
                    [*argv, "--", scenario.prompt], cwd=world, env=env, stdin=subprocess.DEVNULL, stdout=out
                )
                _, status, usage = os.wait4(child.pid, 0)
                child.returncode = os.waitstatus_to_exitcode(status)
            wall += time.monotonic() - began
            cpu += usage.ru_utime + usage.ru_stime
            assert child.returncode == 0, (box / "out").read_text()[-2000:]
    return Cost(wall_s=wall, cpu_s=cpu)


def harness(runs: int, sandbox: str) -> Cost:
    """One ``harness eval`` of as many trials, one after the other."""
    with tempfile.TemporaryDirectory() as folder:
        argv = [sys.executable, "-m", "harness", "eval", "os-adr", "--scenario", "R1", "--trials", str(runs)]
        argv += ["--results", folder, "--sandbox", sandbox]
        began = time.monotonic()
        child = subprocess.Popen(
            argv, cwd=ROOT, env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        peak: list[int] = [0]
        sampler = threading.Thread(target=_sample, args=(child.pid, peak))
        sampler.start()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        wall = time.monotonic() - began
        sampler.join()
        assert child.returncode == 0, f"harness eval exited {child.returncode}"
        exits = [json.loads(p.read_bytes()) for p in Path(folder).glob("runs/*/exit.json")]
        assert len(exits) == runs
        total = usage.ru_utime + usage.ru_stime
        claude_cpu = sum(e["cpu_s"] for e in exits) + version_cpu_s()
        return Cost(wall_s=wall, cpu_s=total, own_cpu_s=total - claude_cpu, peak_bytes=peak[0])


def version_cpu_s() -> float:
    """What claude itself takes to tell its version, which an evaluation asks once."""
    child = subprocess.Popen([find_claude(None, os.environ).path, "--version"], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_utime + usage.ru_stime


def _sample(pid: int, peak: list[int]) -> None:
    """The process's own peak resident memory; its children are not part of it."""
    while True:
        try:
            status = Path(f"/proc/{pid}/status").read_text()
        except OSError:
            return
        for line in status.splitlines():
            if line.startswith("VmHWM"):
                peak[0] = max(peak[0], int(line.split()[1]) * 1024)
        time.sleep(0.05)


def start_up(times: int = 5) -> float:
    def once() -> float:
        began = time.monotonic()
        subprocess.run(
            [sys.executable, "-m", "harness", "--help"], cwd=ROOT, stdout=subprocess.DEVNULL, check=True
        )
        return time.monotonic() - began

    return statistics.median(once() for _ in range(times))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=3, help="bare and harness take turns so many times")
    parser.add_argument("--sandbox", default="tempdir")
    options = parser.parse_args()
    bare(1)  # warms the disk cache for both
    harness(1, options.sandbox)  # and what Python compiles once
    pairs = [(bare(options.runs), harness(options.runs, options.sandbox)) for _ in range(options.rounds)]
    wall = statistics.median(h.wall_s / b.wall_s for b, h in pairs)
    cpu = statistics.median(h.cpu_s / b.cpu_s for b, h in pairs)
    each = statistics.median(b.cpu_s / options.runs for b, _ in pairs)
    own = statistics.median(1000 * h.own_cpu_s / options.runs for _, h in pairs)
    peak = max(h.peak_bytes for _, h in pairs) / MIB
    print(
        f"{options.runs} runs of R1 on a playbook, one after the other, {options.rounds} rounds, {options.sandbox}"
    )
    print(f"wall        {wall:.3f} x the bare loop   (bound 1.10)")
    print(f"cpu         {cpu:.3f} x the bare loop")
    print(f"bare cpu    {each:.2f} s a run: how fast this machine is")
    print(f"own cpu     {own:.1f} ms a run           (bound 60)")
    print(f"own memory  {peak:.1f} MiB at its peak   (bound 60)")
    print(f"--help      {start_up():.3f} s           (bound 0.25)")


if __name__ == "__main__":
    main()
