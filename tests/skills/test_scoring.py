"""What a gate and a query mean for a run's verdict."""

import pytest

from harness.model.outcome import Verdict
from harness.skills.gate import GateResult, PredicateResult
from harness.skills.scoring import gate_finding, trigger_finding
from harness.skills.trigger import How


def line(outcome: str, reason: str = "") -> PredicateResult:
    return PredicateResult(
        line=9,
        text="test -f x",
        outcome=outcome,  # type: ignore[arg-type]
        exit_code=None,
        stdout="",
        stderr="",
        duration_s=0.0,
        reason=reason,
    )


@pytest.mark.parametrize(
    ("gate", "name", "value"),
    [
        pytest.param(GateResult(results=(line("pass"),)), "gate", True, id="green"),
        pytest.param(GateResult(results=()), "gate", True, id="no-assertions"),
        pytest.param(GateResult(results=(line("pass"), line("fail", "exit 1"))), "gate", False, id="red"),
        pytest.param(GateResult(results=(line("error", "exit 127"),)), "assertions", None, id="author"),
        pytest.param(GateResult(results=(), no_evidence="empty"), "gate", None, id="no-evidence"),
    ],
)
def test_a_gate_decides_or_says_why_it_cannot(gate: GateResult, name: str, value: bool | None) -> None:
    found = gate_finding(gate)
    assert (found.name, found.value) == (name, value)
    assert (gate.verdict is Verdict.INVALID) == (value is None)
    assert found.reason


@pytest.mark.parametrize(
    ("how", "should", "value"),
    [
        ("skill", True, True),
        ("skill", False, False),
        ("none", True, False),
        ("none", False, True),
        ("read", True, False),
        ("slash", True, True),
        ("invalid", True, None),
    ],
)
def test_a_query_is_right_where_the_skill_came_in_as_it_should(
    how: How, should: bool, value: bool | None
) -> None:
    assert trigger_finding(how, should).value is value
