"""The least that a thousand runs cost in plain Python: copy, spawn, parse, check, and nothing is kept."""

import json
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path


def one(stub: str, fixture: Path, plugin: Path) -> bool:
    with tempfile.TemporaryDirectory() as root:
        world = Path(root) / "world"
        shutil.copytree(fixture, world, symlinks=True)
        done = subprocess.run(
            [stub, "-p", "--output-format", "stream-json", f"--plugin-dir={plugin}", "--", "Add a discount."],
            cwd=world,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=True,
        )
        events = [json.loads(line) for line in done.stdout.split(b"\n") if line]
        consulted = any(
            "docs/adr/" in json.dumps(block.get("input", ""))
            for event in events
            if event["type"] == "assistant"
            for block in event["message"]["content"]
        )
        return consulted and "ADR-0001" in events[-1]["result"]


def main() -> None:
    stub, fixture, plugin, runs, jobs = sys.argv[1:]
    with ThreadPoolExecutor(int(jobs)) as executor:
        done = [executor.submit(one, stub, Path(fixture), Path(plugin)) for _ in range(int(runs))]
        assert all(future.result() for future in done)


if __name__ == "__main__":
    main()
