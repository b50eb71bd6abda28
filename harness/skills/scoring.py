"""What a run of a skill's case or query scores by itself, before anybody compares it with another arm's."""

from collections.abc import Callable

from harness.checks.conditions import checked_preconditions
from harness.checks.record import Record
from harness.checks.status import Classification, classify
from harness.checks.verdict import annotated, invalid, unscorable
from harness.model.check import Evidence, Finding, Judgement
from harness.model.outcome import Status, Verdict
from harness.model.scenario import Suite
from harness.skills.gate import GateResult
from harness.skills.trigger import How

Score = Callable[[], Finding]
"""True or False is the run's verdict; None: nobody can tell, for its reason."""


def score_run(
    record: Record, suite: Suite, score: Score, *, asked: Finding | None, cut_fails: bool
) -> Judgement:
    """Score the run if everything that a score rests on is there.

    ``asked``: whether the model was asked what the case says; ``cut_fails``: a run that a limit cut has failed.
    """
    found = classify(
        record.transcript,
        record.exit,
        gateway_failure=record.gateway_failure,
        api_pending=record.api_pending,
    )
    checked = checked_preconditions(record, suite)
    refused = unscorable(record, found, (*checked, asked) if asked is not None else checked)
    return annotated(refused or _scored(found, score(), cut_fails), record, found, checked)


def _scored(found: Classification, made: Finding, cut_fails: bool) -> Judgement:
    cut = cut_fails and found.status is not Status.COMPLETED
    if made.value is None and not (cut and made.name == "gate"):
        return invalid(found.status, made.reason, (), (made,))
    passed = bool(made.value) and not cut
    return Judgement(
        status=found.status,
        verdict=Verdict.PASS if passed else Verdict.FAIL,
        axis_a=None,
        axis_b=None,
        reason=f"{found.reason}; {made.reason}" if cut else made.reason,
        findings=(made,),
    )


def gate_finding(gate: GateResult) -> Finding:
    """An assertion that cannot be run says nothing about the arm: its name is then ``assertions``."""
    evidence = tuple(
        Evidence(
            where=f"case.md:{r.line}", text=f"{r.text} [{r.outcome}{': ' + r.reason if r.reason else ''}]"
        )
        for r in gate.results
    )
    if gate.verdict is Verdict.INVALID:
        name = "assertions" if gate.authoring_errors else "gate"
        return Finding(name=name, value=None, reason=gate.reason, evidence=evidence)
    green = gate.verdict is Verdict.PASS
    said = f"all {len(gate.results)} assertions hold" if gate.results else "no hard assertions"
    return Finding(
        name="gate", value=green, reason=said if green else f"gate red: {gate.reason}", evidence=evidence
    )


_TOLD = {
    "skill": "the skill was called",
    "slash": "a slash command of the user brought the skill in",
    "read": "its file was opened, the skill was not called",
    "none": "the skill was not called",
}


def trigger_finding(how: How, should: bool) -> Finding:
    if how == "invalid":
        return Finding(
            name="trigger", value=None, reason="nothing tells whether the skill would have come in"
        )
    due = "should" if should else "should not"
    fired = how in ("skill", "slash")
    return Finding(name="trigger", value=fired == should, reason=f"{_TOLD[how]}, and it {due} come in")
