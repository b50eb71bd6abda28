"""Rebuild a fixture's graphify-out/graph.json with the real graphify, from a clean copy.

    python scripts/build_graph.py fixtures/os-adr/shop [--graphify PATH] [--output FILE]

Needs graphifyy==0.9.96 (the extra `graph`). Only graph.json is kept: graphify's cache and build state hold
times and absolute paths.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

GRAPH = Path("graphify-out", "graph.json")
PINNED = "0.9.96"
LEFT_OUT = ("graphify-out", "__pycache__", ".git", ".claude", "CLAUDE.md", "*.pyc", "*.sqlite")
TIMEOUT_S = 120


def find_graphify() -> Path | None:
    """The binary named by HARNESS_GRAPHIFY, on PATH, or beside this Python."""
    named = os.environ.get("HARNESS_GRAPHIFY")
    if named:
        return Path(named).absolute()
    beside = Path(sys.executable).parent
    found = shutil.which("graphify") or shutil.which("graphify", path=str(beside))
    return Path(found) if found else None


def clean_environment(home: Path, copy: Path) -> dict[str, str]:
    """Nothing of the caller's: no key, no home whose skills graphify would rewrite, no repository above."""
    return {
        "PATH": os.defpath,
        "HOME": str(home),
        "LC_ALL": "C.UTF-8",
        "TMPDIR": str(home),
        "PYTHONHASHSEED": "0",
        "GRAPHIFY_NO_TIPS": "1",
        "GRAPHIFY_NO_AUTO_REFRESH": "1",
        "GIT_CEILING_DIRECTORIES": str(copy.parent),
    }


def build(fixture: Path, graphify: Path) -> bytes:
    """The bytes of graph.json that graphify makes of the fixture's files."""
    with tempfile.TemporaryDirectory(prefix="graph-") as scratch:
        home = Path(scratch, "home")
        home.mkdir()
        copy = Path(scratch, "copy", fixture.name)
        shutil.copytree(fixture, copy, ignore=shutil.ignore_patterns(*LEFT_OUT))
        done = subprocess.run(
            [graphify, "update", "."],
            cwd=copy,
            env=clean_environment(home, copy),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )
        if done.returncode != 0 or not (copy / GRAPH).is_file():
            raise SystemExit(f"{graphify} update . ended with {done.returncode}:\n{done.stdout}{done.stderr}")
        return (copy / GRAPH).read_bytes()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("fixture", type=Path)
    parser.add_argument(
        "--graphify", type=Path, help="the binary; else HARNESS_GRAPHIFY, PATH, or beside this Python"
    )
    parser.add_argument(
        "--output", type=Path, help="where to write; default: graphify-out/graph.json in the fixture"
    )
    given = parser.parse_args()
    graphify = given.graphify or find_graphify()
    if graphify is None:
        raise SystemExit(f"graphify not found: pip install graphifyy=={PINNED}, or name it with --graphify")
    if not given.fixture.is_dir():
        raise SystemExit(f"{given.fixture}: no such folder")
    output = given.output or given.fixture / GRAPH
    graph = build(given.fixture.resolve(), graphify.absolute())
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_bytes(graph)
    print(f"{output}: {len(graph)} bytes")


if __name__ == "__main__":
    main()
