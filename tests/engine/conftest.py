"""A small project of one suite whose runs take two turns, and the command line as a user starts it."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import pytest

FILES = {
    "fixtures/plugins/demo/.claude-plugin/plugin.json": '{"name": "demo", "version": "1.0.0", "description": "d"}',
    "fixtures/plugins/demo/hooks/hooks.json": json.dumps(
        {
            "hooks": {
                "SessionStart": [
                    {"hooks": [{"type": "command", "command": "cat ${CLAUDE_PLUGIN_ROOT}/told"}]}
                ]
            }
        }
    ),
    "fixtures/plugins/demo/told": "decisions live in docs/adr: look there\n",
    "fixtures/plugins/demo/skills/look/SKILL.md": "---\nname: look\ndescription: Find decisions\n---\nRead docs/adr.\n",
    "fixtures/world/src/price.py": "TAX = 0.2\n",
    "fixtures/world/docs/adr/0001-money.md": (
        "---\nid: ADR-0001\ntitle: Money\nstatus: Accepted\ndate: 2024-01-01\naffected-paths: [src/**]\n---\n"
        "## Context\nc\n## Decision\nMoney is Decimal everywhere.\n## Consequences\nc\n"
    ),
    "scenarios/demo/suite.yaml": (
        "suite: demo\nplugin: fixtures/plugins/demo\naxis_a: {skills: ['demo:*'], paths: ['docs/adr/**']}\n"
        "hook: {event: SessionStart, contains: 'look there'}\nlimits: {timeout_s: 60, grace_s: 1}\n"
    ),
    "scenarios/demo/R1/scenario.yaml": (
        "id: R1\nkind: retrieval\nfixture: world\nprompt: Add a discount.\nexpect:\n  adr: ADR-0001\n"
        "  acted:\n    - {path: 'src/*.py', matches: Decimal}\n"
    ),
    "scenarios/demo/R1/playbooks/ideal.yaml": (
        "kind: ideal\nexpect: {verdict: pass, axis_a: true, axis_b: true}\nturns:\n"
        "  - tools: [{Bash: {command: 'cat docs/adr/0001-money.md && echo \"D = Decimal\" >> src/price.py'}}]\n"
        "  - text: Done as ADR-0001 says.\n"
    ),
    "scenarios/demo/R1/playbooks/silent.yaml": (
        "kind: silent\nexpect: {verdict: fail, axis_a: false, axis_b: false}\nturns:\n  - text: Nothing to do.\n"
    ),
}


def write(root: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    write(root, FILES)
    return root


@dataclass(frozen=True, slots=True)
class Done:
    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, object]:
        made = json.loads(self.out)
        assert isinstance(made, dict)
        return made


class Harness(Protocol):
    def __call__(self, *words: str, env: Mapping[str, str] | None = None) -> Done: ...


def clean_env(home: Path) -> dict[str, str]:
    """What a test's harness inherits: no credential, no claude of the machine's, no configuration."""
    repository = Path(__file__).resolve().parents[2]
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
    return {**kept, "HOME": str(home), "PYTHONPATH": str(repository)}


def run_harness(project: Path, environ: Mapping[str, str], *words: str) -> Done:
    done = subprocess.run(
        [sys.executable, "-m", "harness", *words],
        cwd=project,
        env=environ,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def harness(project: Path, tmp_path: Path) -> Harness:
    home = tmp_path / "home"
    home.mkdir()

    def run(*words: str, env: Mapping[str, str] | None = None) -> Done:
        return run_harness(project, {**clean_env(home), **(env or {})}, *words)

    return run


@pytest.fixture
def edit(project: Path) -> Callable[[str, str, str], None]:
    def change(name: str, old: str, new: str) -> None:
        path = project / name
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))

    return change
