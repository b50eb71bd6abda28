"""A project for the benches: one scenario over a small fixture, and stubs that stand in for claude."""

import json
from pathlib import Path

FILES = 18
LINES = 200
STREAM_BYTES = 159_000
SUITE = """\
suite: bench
plugin: fixtures/plugins/bench
axis_a:
  paths: ["docs/adr/**"]
playbook_kinds: [ideal]
limits: {timeout_s: 60, max_cost_usd: 0.10}
"""
SCENARIO = """\
id: B1
kind: retrieval
fixture: world
held_out: false
prompt: |
  Add a discount to the invoice.
expect:
  adr: ADR-0001
"""
PLAYBOOK = """\
kind: ideal
expect: {status: completed, verdict: pass, axis_a: true, axis_b: true}
turns:
  - text: Done as ADR-0001 says.
"""
DECISION = """\
---
id: ADR-0001
title: Money
status: Accepted
date: 2024-01-01
affected-paths: [src/**]
---
## Context
Prices are added up.
## Decision
Money is Decimal everywhere.
## Consequences
No floats.
"""
STUB = """\
#!/bin/sh
if [ "$1" = --version ]; then echo "2.1.332 (Claude Code)"; exit; fi
plugins='[]'
for word; do
    case "$word" in --plugin-dir=*) plugins='[{"name":"bench","path":"'"${word#*=}"'","source":"bench@inline"}]' ;; esac
done
echo '{"type":"system","subtype":"init","session_id":"s","cwd":"'"$PWD"'","model":"m","tools":["Read"],"mcp_servers":[],"skills":[],"plugins":'"$plugins"'}'
"""


def make(root: Path) -> Path:
    """The project; its root."""
    project = root / "project"
    files = {
        "scenarios/bench/suite.yaml": SUITE,
        "scenarios/bench/B1/scenario.yaml": SCENARIO,
        "scenarios/bench/B1/playbooks/ideal.yaml": PLAYBOOK,
        "fixtures/plugins/bench/.claude-plugin/plugin.json": '{"name": "bench"}',
        "fixtures/world/docs/adr/0001-money.md": DECISION,
    }
    files |= {f"fixtures/world/src/part{n // 4}/m{n}.py": "x = 1\n" * 40 for n in range(FILES - 1)}
    for name, text in files.items():
        path = project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return project


def _line(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


def stream() -> str:
    """All lines of a run but the first: about 159 kB in 199 lines."""
    pairs = (LINES - 3) // 2
    filler = "x" * ((STREAM_BYTES - 60_000) // pairs)
    lines = []
    for n in range(pairs):
        use = {
            "type": "tool_use",
            "id": f"t{n}",
            "name": "Read",
            "input": {"file_path": "docs/adr/0001-money.md"},
        }
        usage = {"input_tokens": 10, "output_tokens": 20, "cache_read_input_tokens": 300}
        message = {"id": f"m{n}", "role": "assistant", "model": "m", "content": [use], "usage": usage}
        lines.append(_line({"type": "assistant", "message": message, "session_id": "s"}))
        result = {"type": "tool_result", "tool_use_id": f"t{n}", "content": filler}
        lines.append(
            _line({"type": "user", "message": {"role": "user", "content": [result]}, "session_id": "s"})
        )
    said = "Done as ADR-0001 says."
    text = {"id": "last", "role": "assistant", "model": "m", "content": [{"type": "text", "text": said}]}
    lines.append(_line({"type": "assistant", "message": text, "session_id": "s"}))
    while len(lines) < LINES - 2:
        lines.append(_line({"type": "system", "subtype": "status", "session_id": "s"}))
    lines.append(
        _line(
            {
                "type": "result",
                "subtype": "success",
                "is_error": False,
                "terminal_reason": "completed",
                "num_turns": pairs,
                "result": said,
                "total_cost_usd": 0.01,
                "session_id": "s",
            }
        )
    )
    return "\n".join(lines) + "\n"


def printing_stub(root: Path) -> Path:
    """Prints the long stream as fast as it can."""
    (root / "stream").write_text(stream())
    return _stub(root / "prints", f'exec cat "{root}/stream"\n')


def sleeping_stub(root: Path, seconds: float) -> Path:
    """Prints a short stream after some time."""
    text = stream().splitlines(keepends=True)
    (root / f"short-{seconds}").write_text("".join([*text[:2], *text[-2:]]))
    return _stub(root / f"sleeps-{seconds}", f'sleep {seconds}\nexec cat "{root}/short-{seconds}"\n')


def _stub(path: Path, body: str) -> Path:
    path.write_text(STUB + body)
    path.chmod(0o755)
    return path
