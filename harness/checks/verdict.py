"""The one table from what was found to what the row says."""

from collections.abc import Callable

from msgspec.structs import replace

from harness.checks.conditions import checked_preconditions, notes
from harness.checks.consult import axis_a, signals
from harness.checks.decision import retrieval, written
from harness.checks.files import WorldView
from harness.checks.paths import links_of
from harness.checks.preconditions import failed
from harness.checks.record import Record
from harness.checks.status import Classification, classify
from harness.model.check import Finding, Judgement, Signal
from harness.model.outcome import Status, Verdict
from harness.model.scenario import RetrievalExpectation, Scenario, Suite, WriteExpectation

Propose = Callable[[str], Finding]
"""Asks the proposal judge about a final message; a finding of None means that it could not be judged."""

SCORED = frozenset({Status.COMPLETED, Status.LIMIT_REACHED, Status.TIMED_OUT})
OURS = frozenset({"max_cost_usd"})
"""Limits that the harness set for its own sake: what they cut says nothing about the agent."""


def judge(record: Record, suite: Suite, scenario: Scenario, propose: Propose | None = None) -> Judgement:
    """Score the run if everything that a score rests on is there; say what is missing if not."""
    found = classify(
        record.transcript,
        record.exit,
        gateway_failure=record.gateway_failure,
        api_pending=record.api_pending,
    )
    seen = _signals(record, suite, scenario)
    checked = checked_preconditions(record, suite)
    made = unscorable(record, found, checked, seen) or _score(record, suite, scenario, found, seen, propose)
    return annotated(made, record, found, checked)


def annotated(
    made: Judgement, record: Record, found: Classification, checked: tuple[Finding, ...]
) -> Judgement:
    """The judgement with everything that was looked at, also what decided nothing."""
    return replace(
        made,
        findings=(*made.findings, *(f for f in checked if f not in made.findings)),
        warnings=(*notes(record), *(f.reason for f in checked if f.value is None)),
        api_kind=found.api_kind,
        limit=found.limit,
    )


def unscorable(
    record: Record, found: Classification, checked: tuple[Finding, ...], seen: tuple[Signal, ...] = ()
) -> Judgement | None:
    """Why no score of the run would mean anything; ``checked``: its preconditions, with their answers."""
    if record.tampered:
        changed = ", ".join(record.tampered[:3])
        return invalid(found.status, f"the run changed what it must not touch: {changed}", seen)
    if record.exit.stdout_foreign:
        return invalid(found.status, "something else than claude wrote to its stream", seen)
    if found.status not in SCORED:
        return invalid(found.status, found.reason, seen)
    missing = failed(checked)
    if missing:
        reason = "; ".join(f.reason for f in missing)
        return invalid(Status.SETUP_ERROR, reason, seen, missing)
    if found.limit in OURS:
        return invalid(found.status, f"{found.reason}: a cap of ours cut the run", seen)
    return None


def _signals(record: Record, suite: Suite, scenario: Scenario) -> tuple[Signal, ...]:
    rule = suite.consult_for(scenario)
    init = record.transcript.init
    cwd = init.cwd if init is not None and init.cwd else record.world or "/"
    root = record.plugin.root if record.plugin is not None else None
    return signals(record.transcript, rule, cwd=cwd, plugin_root=root, links=links_of(scenario.fixture))


def _axis_b(record: Record, suite: Suite, scenario: Scenario, propose: Propose | None) -> Finding:
    changes = record.changes
    view = WorldView(fixture=scenario.fixture, changes=changes) if changes is not None else None
    message = record.transcript.final_message
    if isinstance(scenario.expect, RetrievalExpectation):
        return retrieval(
            scenario.expect, final_message=message, changes=changes, view=view, transcript=record.transcript
        )
    assert isinstance(scenario.expect, WriteExpectation), "cases of skills are judged elsewhere"
    if changes is not None and view is not None:
        made = written(scenario.expect, adr_dir=suite.adr_dir, changes=changes, view=view)
        if made is not None:
            return made
    if propose is None:
        return Finding(name="axis_b", value=None, reason="no new decision file, and no judge was asked")
    if not message.strip():
        return Finding(name="axis_b", value=False, reason="no new decision file and no final message")
    return propose(message)


def _score(
    record: Record,
    suite: Suite,
    scenario: Scenario,
    found: Classification,
    seen: tuple[Signal, ...],
    propose: Propose | None,
) -> Judgement:
    a = axis_a(seen)
    cut = found.status is not Status.COMPLETED
    b = _axis_b(record, suite, scenario, None if cut else propose)
    if cut and b.value is None:
        b = Finding(name="axis_b", value=False, reason="cut before it wrote or proposed anything")
    if b.value is None:
        return replace(invalid(found.status, b.reason, seen, (a, b)), axis_a=a.value)
    passed = b.value and not cut and (scenario.kind == "write-trigger" or bool(a.value))
    return Judgement(
        status=found.status,
        verdict=Verdict.PASS if passed else Verdict.FAIL,
        axis_a=a.value,
        axis_b=b.value,
        reason=_reason(found, a, b, cut),
        signals=seen,
        findings=(a, b),
    )


def _reason(found: Classification, a: Finding, b: Finding, cut: bool) -> str:
    if cut:
        return f"{found.reason}; {b.reason}"
    if b.value and not a.value:
        return f"right by luck: {b.reason}, but {a.reason}"
    return f"{a.reason}; {b.reason}"


def invalid(
    status: Status, reason: str, seen: tuple[Signal, ...], findings: tuple[Finding, ...] = ()
) -> Judgement:
    return Judgement(
        status=status,
        verdict=Verdict.INVALID,
        axis_a=None,
        axis_b=None,
        reason=reason,
        signals=seen,
        findings=findings,
    )
