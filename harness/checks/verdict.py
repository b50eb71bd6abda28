"""The one table from what was found to what the row says."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from harness.checks.consult import axis_a, signals
from harness.checks.decision import retrieval, written
from harness.checks.files import WorldView
from harness.checks.hook import context_evidence
from harness.checks.paths import links_of
from harness.checks.preconditions import failed, preconditions
from harness.checks.record import Record
from harness.checks.status import Classification, classify
from harness.model.check import Finding, Judgement, Signal
from harness.model.outcome import Status, Verdict
from harness.model.scenario import RetrievalExpectation, Scenario, Suite

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
    made = _judged(record, suite, scenario, found, seen, checked, propose)
    others = tuple(f for f in checked if f not in made.findings)
    return replace(
        made,
        findings=(*made.findings, *others),
        warnings=(*_notes(record), *(f.reason for f in checked if f.value is None)),
        api_kind=found.api_kind,
        limit=found.limit,
    )


def _judged(
    record: Record,
    suite: Suite,
    scenario: Scenario,
    found: Classification,
    seen: tuple[Signal, ...],
    checked: tuple[Finding, ...],
    propose: Propose | None,
) -> Judgement:
    if record.tampered:
        changed = ", ".join(record.tampered[:3])
        return _invalid(found.status, f"the run changed what it must not touch: {changed}", seen)
    if found.status not in SCORED:
        return _invalid(found.status, found.reason, seen)
    missing = failed(checked)
    if missing:
        reason = "; ".join(f.reason for f in missing)
        return _invalid(Status.SETUP_ERROR, reason, seen, missing)
    return _score(record, suite, scenario, found, seen, propose)


def _signals(record: Record, suite: Suite, scenario: Scenario) -> tuple[Signal, ...]:
    rule = suite.consult_for(scenario)
    init = record.transcript.init
    cwd = init.cwd if init is not None and init.cwd else record.world or "/"
    root = record.plugin.root if record.plugin is not None else None
    return signals(record.transcript, rule, cwd=cwd, plugin_root=root, links=links_of(scenario.fixture))


def checked_preconditions(record: Record, suite: Suite) -> tuple[Finding, ...]:
    """Every precondition with its answer: false makes a score worthless, None is only a note."""
    plugin = record.plugin
    found = preconditions(
        record.transcript,
        world=record.world,
        plugin_name=plugin.name if plugin is not None and plugin.present else None,
        plugin_skills=plugin.skills if plugin is not None and plugin.present else (),
        baseline_plugin=plugin.name if plugin is not None and not plugin.present else None,
        model_asked=record.model_asked,
        strangers=record.strangers,
        only_tools=suite.only_tools,
        stderr=record.stderr,
    )
    if suite.hook is None or (plugin is not None and not plugin.present):
        return found
    hook = context_evidence(suite.hook, record.transcript, record.session, record.first_request)
    return (*found, _with_the_hidden(hook, record))


def _with_the_hidden(hook: Finding, record: Record) -> Finding:
    """A hook that failed for want of a program that only the jail hides is said to have failed for that."""
    if hook.value is not False:
        return hook
    named = [name for name in record.hidden if name in hook.reason]
    return replace(hook, reason="; ".join([hook.reason, *_hidden(record, named)])) if named else hook


def _hidden(record: Record, names: Iterable[str]) -> Iterator[str]:
    for name in names:
        where = record.hidden[name]
        yield f"{name} is not visible in the jail (here it is {where}: jail.read_only in suite.yaml can show it)"


def _notes(record: Record) -> Iterator[str]:
    """What befell the run without deciding it."""
    yield from _hidden(record, record.hidden)
    if record.transcript.retries:
        yield f"{len(record.transcript.retries)} requests were asked again"
    if record.transcript.compactions:
        yield f"the conversation was compacted {record.transcript.compactions} times"
    if record.exit.survivors_killed:
        yield f"{record.exit.survivors_killed} processes were left over and ended"
    if record.exit.survivors_left:
        yield f"{record.exit.survivors_left} processes could not be ended"
    if record.transcript.faults.oversize_lines:
        yield f"{record.transcript.faults.oversize_lines} lines of the stream are too long to be read"


def _axis_b(record: Record, suite: Suite, scenario: Scenario, propose: Propose | None) -> Finding:
    changes = record.changes
    view = WorldView(fixture=scenario.fixture, changes=changes) if changes is not None else None
    message = record.transcript.final_message
    if isinstance(scenario.expect, RetrievalExpectation):
        return retrieval(
            scenario.expect, final_message=message, changes=changes, view=view, transcript=record.transcript
        )
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
    if found.limit in OURS:
        return _invalid(found.status, f"{found.reason}: a cap of ours cut the run", seen)
    cut = found.status is not Status.COMPLETED
    b = _axis_b(record, suite, scenario, None if cut else propose)
    if cut and b.value is None:
        b = Finding(name="axis_b", value=False, reason="cut before it wrote or proposed anything")
    if b.value is None:
        return replace(_invalid(found.status, b.reason, seen, (a, b)), axis_a=a.value)
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


def _invalid(
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
