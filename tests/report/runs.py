"""Run folders made by hand, with whatever a test wants to stand in them, and the command line as a user starts it."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.model.row import Row
from harness.results.row_codec import HEADER, encode
from harness.results.table import append_all

REPOSITORY = Path(__file__).parents[2]
Event = dict[str, object]


def assistant(*blocks: Event, message: str = "m1", parent: str | None = None) -> Event:
    body = {"id": message, "role": "assistant", "model": "claude-haiku-5-5", "content": list(blocks)}
    return {"type": "assistant", "message": body, "parent_tool_use_id": parent}


def said(text: str) -> Event:
    return {"type": "text", "text": text}


def call(name: str, given: Event, *, id: str = "t1") -> Event:
    return {"type": "tool_use", "id": id, "name": name, "input": given}


def answer(text: str, *, id: str = "t1", is_error: bool = False) -> Event:
    block = {"type": "tool_result", "tool_use_id": id, "content": text, "is_error": is_error}
    return {"type": "user", "message": {"role": "user", "content": [block]}}


def result(text: str = "Done as ADR-0007 says.") -> Event:
    return {"type": "result", "subtype": "success", "is_error": False, "num_turns": 2, "result": text,
            "total_cost_usd": 0.01, "terminal_reason": "completed"}  # fmt: skip


PLAIN: tuple[Event, ...] = (
    assistant(call("Read", {"file_path": "/w/docs/adr/0007-x.md"}), message="m1"),
    answer("ADR-0007: use cents"),
    assistant(said("Done as ADR-0007 says."), message="m2"),
    result(),
)
SIGNAL: Event = {"kind": "read", "tool": "Read", "index": 0, "detail": "docs/adr/0007-x.md"}
FINDING: Event = {
    "name": "axis_b",
    "value": True,
    "reason": "names ADR-0007",
    "evidence": [{"where": "final message", "text": "as ADR-0007 says"}],
}


def add_run(
    results: Path,
    row: Row,
    events: Sequence[Event] = PLAIN,
    *,
    prompt: str = "Add a discount.",
    signals: Sequence[Event] = (SIGNAL,),
    findings: Sequence[Event] = (FINDING,),
    diff: str = "+D = 1\n",
    world: str = "/w",
    context: str = "decisions live in docs/adr",
) -> Path:
    """A whole run folder, and its row in the table."""
    folder = results / "runs" / row.run_id
    folder.mkdir(parents=True)
    attachment = {"type": "hook_additional_context", "hookName": "SessionStart", "content": [context]}
    files: dict[str, str | bytes] = {
        "stream.jsonl": "".join(json.dumps(event) + "\n" for event in events),
        "session.jsonl": json.dumps({"type": "attachment", "attachment": attachment}) + "\n",
        "invocation.json": json.dumps(
            {"suite": row.suite, "scenario": row.scenario, "arm": row.arm, "model": row.model, "trial": 1,
             "prompt": prompt, "world": world, "argv": ["claude", "-p"], "env": {}}
        ),
        "checks.json": json.dumps({"signals": list(signals), "findings": list(findings)}),
        "exit.json": json.dumps({"exit_code": 0, "wall_s": 1.0}),
        "gateway.json": json.dumps({"failure": "", "requests": 2}),
        "world.diff": diff,
        "stderr.log": "",
        "row.tsv": HEADER + encode(row),
    }  # fmt: skip
    for name, data in files.items():
        (folder / name).write_bytes(data if isinstance(data, bytes) else data.encode())
    append_all(results / "results.tsv", [row])
    return folder


@dataclass(frozen=True, slots=True)
class Done:
    code: int
    out: str
    err: str


def harness(*words: str, cwd: Path, **env: str) -> Done:
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
    done = subprocess.run(
        [sys.executable, "-m", "harness", *words],
        cwd=cwd,
        env={**kept, "HOME": str(cwd), "PYTHONPATH": os.pathsep.join([str(REPOSITORY), *sys.path]), **env},
        capture_output=True,
        text=True,
        timeout=150,
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr)
