"""A project with one small suite, and a claude beside it that does as the files in its folder say."""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from harness.model.row import Row
from harness.results.row_codec import read_rows

FAKE = Path(__file__).parents[1] / "fakes" / "obeys-its-folder"
SUITE = """\
suite: demo
plugin: fixtures/plugins/demo
axis_a:
  paths: ["docs/adr/**"]
playbook_kinds: [ideal]
limits: {timeout_s: 60, max_cost_usd: 0.10}
"""
SCENARIO = """\
id: {id}
kind: retrieval
fixture: world
held_out: false
tags: [{tag}]
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
c
## Decision
d
## Consequences
c
"""
RATE_LIMITED = (
    '{"type":"assistant","message":{"id":"m1","role":"assistant","model":"<synthetic>","content":'
    '[{"type":"text","text":"limited"}]},"error":"rate_limit"}\n'
    '{"type":"result","subtype":"success","is_error":true,"terminal_reason":"api_error","api_error_status":429,'
    '"num_turns":1,"result":"limited","total_cost_usd":0,"session_id":"s1"}\n'
)
NO_CREDIT = RATE_LIMITED.replace("rate_limit", "billing_error").replace("429", "400")
CRASH = "this is no event\n"


def limit_ends(at: int) -> str:
    """What is printed of a usage limit that ends at a moment (seconds since the epoch)."""
    event = '{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":%d}}\n'
    return event % at + RATE_LIMITED


@dataclass(frozen=True, slots=True)
class Project:
    root: Path
    fakes: Path
    """The fake's folder."""

    @property
    def claude(self) -> Path:
        return self.fakes / "claude"

    @property
    def results(self) -> Path:
        return self.root / "results"

    def say(self, name: str, text: str) -> None:
        path = self.fakes / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)

    def turn_away(self, *answers: str) -> None:
        for number, text in enumerate(answers):
            self.say(f"turns-away/{number}", text)

    def rows(self) -> tuple[Row, ...]:
        return read_rows(self.results / "results.tsv").rows

    def started(self) -> list[float]:
        """The moments at which a claude was started, in order."""
        path = self.fakes / "started"
        return (
            sorted(float(line.split()[0]) for line in path.read_text().splitlines()) if path.exists() else []
        )

    def popen(self, *words: str, **env: str) -> "subprocess.Popen[str]":
        return self.popen_into(subprocess.PIPE, *words, **env)

    def popen_into(self, output: IO[str] | int, *words: str, **env: str) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [sys.executable, "-m", "harness", *words],
            cwd=self.root,
            env={**environment(), **env},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def harness(self, *words: str, **env: str) -> tuple[int, str]:
        """Exit code and all that was said."""
        with self.popen(*words, **env) as child:
            said, _ = child.communicate(timeout=100)
        return child.returncode, said

    def grid(self, text: str, *words: str, **env: str) -> tuple[int, str]:
        (self.root / "grid.yaml").write_text(text)
        return self.harness("grid", "grid.yaml", "--claude", str(self.claude), *words, **env)


def environment() -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("ANTHROPIC", "CLAUDE", "HARNESS"))}
    repository = str(Path(__file__).parents[2])
    return {**kept, "PYTHONPATH": repository, "HOME": "/nonexistent"}


def make_project(root: Path, *, scenarios: tuple[str, ...] = ("A1", "A2")) -> Project:
    files = {
        "project/scenarios/demo/suite.yaml": SUITE,
        "project/fixtures/plugins/demo/.claude-plugin/plugin.json": '{"name": "demo"}',
        "project/fixtures/world/docs/adr/0001-x.md": DECISION,
        "project/fixtures/world/src/a.py": "a = 1\n",
    }
    for name in scenarios:
        tag = "first" if name == scenarios[0] else "later"
        files[f"project/scenarios/demo/{name}/scenario.yaml"] = SCENARIO.format(id=name, tag=tag)
        files[f"project/scenarios/demo/{name}/playbooks/ideal.yaml"] = PLAYBOOK
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    fakes = root / "bin"
    fakes.mkdir()
    shutil.copy(FAKE, fakes / "claude")
    return Project(root / "project", fakes)
