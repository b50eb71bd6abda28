"""Inputs of the public failures in ``tests/data/public-bugs.yaml``, by id."""

import subprocess
from functools import cache
from pathlib import Path

import yaml

from harness.claude.framing import LineFramer
from harness.claude.parse import parse_line
from harness.claude.transcript import read_transcript
from harness.model.event import Event
from harness.model.transcript import Transcript

DATA = Path(__file__).parent / "data"
STREAMS = DATA / "streams"


@cache
def _inputs() -> dict[str, str]:
    cases = yaml.safe_load((DATA / "public-bugs.yaml").read_text(encoding="utf-8"))
    return {case["id"]: case["input"] for case in cases}


def bug_stream(bug: str) -> bytes:
    """The stream of a case, without the remarks that its author put between the lines."""
    lines = _inputs()[bug].split("\n")
    kept = [line for line in lines if not line.startswith("# ")]
    return ("\n".join(kept) + "\n").encode()


def bug_program_output(bug: str, folder: Path, seconds: float = 20) -> tuple[bytes, bytes]:
    """Run the fake CLI of a case for at most ``seconds``, and return its stdout and stderr."""
    program, out, err = folder / "claude", folder / "stdout", folder / "stderr"
    program.write_text(_inputs()[bug], encoding="utf-8")
    program.chmod(0o755)
    with out.open("wb") as stdout, err.open("wb") as stderr:
        child = subprocess.Popen([program], stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr)
        try:
            child.wait(seconds)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
    return out.read_bytes(), err.read_bytes()


def transcript_of(data: bytes, folder: Path) -> Transcript:
    path = folder / "stream.jsonl"
    path.write_bytes(data)
    return read_transcript(path)


def bug_transcript(bug: str, folder: Path) -> Transcript:
    return transcript_of(bug_stream(bug), folder)


def recorded(name: str) -> Transcript:
    """A stream that claude 2.1.332 wrote."""
    return read_transcript(STREAMS / f"{name}.jsonl")


def events_of(data: bytes) -> list[Event]:
    framer = LineFramer()
    lines = [*framer.feed(data), *framer.close()]
    return [event for line in lines for event in parse_line(line)]
