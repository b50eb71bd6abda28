"""The battery as a project on disk: a suite and a plugin for each case, all with the same small world."""

from collections.abc import Iterable
from pathlib import Path

import orjson

from harness.selftest.cases import TOLD, Case

PLUGIN = "demo"
SCENARIO = "S1"
PLAYBOOK = "script"

_DECISION = """\
---
id: ADR-0001
title: Money
status: Accepted
date: 2024-01-01
affected-paths: [src/**]
---
## Context
Amounts are added up.
## Decision
Money is Decimal everywhere.
## Consequences
No float holds an amount.
"""
_LIMITS = {"timeout_s": 60, "idle_s": 30, "startup_s": 30, "grace_s": 1}


def write_project(root: Path, cases: Iterable[Case]) -> None:
    """Make the project under ``root``; each case is a suite of its name."""
    _write(root / "fixtures/world/docs/adr/0001-money.md", _DECISION)
    _write(root / "fixtures/world/src/price.py", "TAX = 0.2\n")
    for case in cases:
        _write_plugin(root / "fixtures/plugins" / case.name, case)
        _write_suite(root / "scenarios" / case.name, case)


def _write_plugin(folder: Path, case: Case) -> None:
    manifest = {"name": PLUGIN, "version": "1.0.0", "description": "Decisions", **case.manifest}
    start = {"hooks": [{"type": "command", "command": case.hook}]}
    _write_data(folder / ".claude-plugin/plugin.json", manifest)
    _write_data(folder / "hooks/hooks.json", {"hooks": {"SessionStart": [start]}})
    _write(
        folder / "skills/look/SKILL.md", "---\nname: look\ndescription: Find decisions\n---\nRead docs/adr.\n"
    )


def _write_suite(folder: Path, case: Case) -> None:
    suite = {
        "suite": case.name,
        "plugin": f"fixtures/plugins/{case.name}",
        "axis_a": {"paths": ["docs/adr/**"]},
        "hook": {"event": "SessionStart", "contains": TOLD},
        "limits": {**_LIMITS, **case.limits},
    }
    scenario = {
        "id": SCENARIO,
        "kind": "retrieval",
        "fixture": "world",
        "prompt": "Add a discount.",
        "expect": {"adr": "ADR-0001", "acted": [{"path": "src/*.py", "matches": "Decimal"}]},
    }
    declared = {"status": case.status, "verdict": "invalid", "axis_a": None, "axis_b": None}
    playbook = {"kind": "selftest", "expect": declared, "turns": list(case.turns)}
    _write_data(folder / "suite.yaml", suite)
    _write_data(folder / SCENARIO / "scenario.yaml", scenario)
    _write_data(folder / SCENARIO / "playbooks" / f"{PLAYBOOK}.yaml", playbook)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _write_data(path: Path, value: object) -> None:
    """JSON, which is YAML as well."""
    _write(path, orjson.dumps(value, option=orjson.OPT_INDENT_2).decode())
