"""The calibration matrix: scenarios by kinds, and each mismatch in full."""

from collections import Counter
from collections.abc import Sequence
from typing import Protocol

import orjson


class Outcome(Protocol):
    @property
    def scenario(self) -> str: ...
    @property
    def playbook(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def expected(self) -> tuple[str, ...]: ...
    @property
    def found(self) -> tuple[str, ...]: ...
    @property
    def reason(self) -> str: ...
    @property
    def mismatch(self) -> bool: ...


def _by_kind(outcomes: Sequence[Outcome]) -> dict[str, dict[str, int]]:
    made: dict[str, dict[str, int]] = {}
    for outcome in outcomes:
        kind = made.setdefault(outcome.kind, {"playbooks": 0, "mismatches": 0})
        kind["playbooks"] += 1
        kind["mismatches"] += outcome.mismatch
    return made


def as_json(outcomes: Sequence[Outcome]) -> str:
    """``{playbooks, mismatches, by_kind}``, mismatches each with what was declared and found."""
    names = ("status", "verdict", "axis_a", "axis_b")
    mismatches = [
        {
            "scenario": o.scenario,
            "playbook": o.playbook,
            "expected": dict(zip(names, o.expected, strict=True)),
            "found": dict(zip(names, o.found, strict=True)),
            "reason": o.reason,
        }
        for o in outcomes
        if o.mismatch
    ]
    document = {"playbooks": len(outcomes), "mismatches": mismatches, "by_kind": _by_kind(outcomes)}
    return orjson.dumps(document, option=orjson.OPT_INDENT_2).decode()


def as_text(outcomes: Sequence[Outcome]) -> str:
    """A row a kind, a column a scenario: right outcomes of playbooks played."""
    scenarios = sorted({o.scenario for o in outcomes})
    kinds = sorted({o.kind for o in outcomes})
    played = Counter((o.kind, o.scenario) for o in outcomes)
    wrong = Counter((o.kind, o.scenario) for o in outcomes if o.mismatch)
    width = max(map(len, kinds), default=4)
    lines = [" ".join(["kind".ljust(width), *(s.rjust(6) for s in scenarios)])]
    for kind in kinds:
        counts = [
            f"{played[kind, s] - wrong[kind, s]}/{played[kind, s]}" if played[kind, s] else "-"
            for s in scenarios
        ]
        lines.append(" ".join([kind.ljust(width), *(c.rjust(6) for c in counts)]))
    for outcome in outcomes:
        if outcome.mismatch:
            lines.append(f"{outcome.scenario}/{outcome.playbook}: declared {' '.join(outcome.expected)},")
            lines.append(f"    found {' '.join(outcome.found)}: {outcome.reason}")
    lines.append(f"{len(outcomes)} playbooks, {sum(o.mismatch for o in outcomes)} mismatches")
    return "\n".join(lines)
