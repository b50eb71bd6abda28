"""A project with one small suite, to be broken one file at a time."""

from pathlib import Path

import pytest

SUITE = """\
suite: demo
plugin: fixtures/plugins/demo
axis_a:
  skills: ["demo:*"]
  paths: ["docs/adr/**"]
hook: {event: SessionStart, contains: "look there"}
playbook_kinds: [ideal, silent]
never_say: [ADR]
limits: {timeout_s: 60}
"""
SCENARIO = """\
id: R1
kind: retrieval
fixture: world
prompt: |
  Add a discount to the invoice.
expect:
  adr: ADR-0001
  acted:
    - {path: "src/*.py", matches: "Decimal"}
"""
PLAYBOOK = """\
kind: ideal
expect: {verdict: pass, axis_a: true, axis_b: true}
turns:
  - use: look
    with: {file: 0001-x.md}
  - text: Done.
"""
TURNS = """\
look:
  - text: I look first.
    tools:
      - Read: {file_path: "{{world}}/docs/adr/{{file}}"}
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    files = {
        "scenarios/demo/suite.yaml": SUITE,
        "scenarios/demo/turns.yaml": TURNS,
        "scenarios/demo/R1/scenario.yaml": SCENARIO,
        "scenarios/demo/R1/playbooks/ideal.yaml": PLAYBOOK,
        "fixtures/plugins/demo/.claude-plugin/plugin.json": '{"name": "demo"}',
        "fixtures/world/README.md": "a world\n",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path
