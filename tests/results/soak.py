"""A program: writers that finish runs as fast as they can, killed at random moments. Usage: soak.py RESULTS KILLS SEED"""

import os
import random
import signal
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import filelock  # noqa: F401  a child must not spend its short life on importing

from harness.model.cell import CellKey
from harness.results.folder import RunFolder
from harness.results.record import record
from tests.results.rows import a_row

LANES = 3
KEY = CellKey("os-adr", "R1", "new", "haiku", 1)


def write_runs(results: Path) -> None:
    while True:
        folder = RunFolder.create(results, datetime.now(UTC), KEY)
        folder.write("stream.jsonl", b"{}\n" * 2000)
        folder.write("checks.json", "{}")
        record(results, folder, a_row(run_id=folder.run_id, reason="x" * 20_000))


def start(results: Path) -> int:
    child = os.fork()
    if child == 0:
        try:
            write_runs(results)
        finally:
            os._exit(70)
    return child


def main() -> None:
    results, kills, dice = Path(sys.argv[1]), int(sys.argv[2]), random.Random(sys.argv[3])
    lanes = [start(results) for _ in range(LANES)]
    for _ in range(kills):
        time.sleep(dice.uniform(0.001, 0.03))
        victim = dice.randrange(LANES)
        os.kill(lanes[victim], signal.SIGKILL)
        _, status = os.waitpid(lanes[victim], 0)
        if os.WIFEXITED(status):
            sys.exit("a writer ended by itself")
        lanes[victim] = start(results)
    for lane in lanes:
        os.kill(lane, signal.SIGKILL)
        os.waitpid(lane, 0)


if __name__ == "__main__":
    main()
