"""Every precondition of one run, asked of its record, and what befell it besides."""

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from harness.checks.hook import context_evidence
from harness.checks.preconditions import preconditions
from harness.checks.record import Record
from harness.checks.skill import skill_listed
from harness.model.check import Finding
from harness.model.scenario import Suite


def checked_preconditions(record: Record, suite: Suite) -> tuple[Finding, ...]:
    """Every precondition with its answer: false makes a score worthless, None is only a note."""
    plugin, init = record.plugin, record.transcript.init
    found = preconditions(
        record.transcript,
        world=record.world,
        plugin_name=plugin.name if plugin is not None and plugin.present else None,
        plugin_skills=plugin.skills if plugin is not None and plugin.present else (),
        baseline_plugin=plugin.name if plugin is not None and not plugin.present else None,
        model_asked=record.model_asked,
        skills_matter=True if record.skill is not None else None,
        strangers=record.strangers,
        only_tools=suite.only_tools,
        stderr=record.stderr,
    )
    if record.skill is not None and init is not None:
        found = (*found, skill_listed(init, record.skill))
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


def notes(record: Record) -> Iterator[str]:
    """What befell the run without deciding it."""
    seen = record.transcript
    yield from _hidden(record, record.hidden)
    for count, what in (
        (len(seen.retries), "requests were asked again"),
        (seen.compactions, "times the conversation was compacted"),
        (seen.faults.oversize_lines, "lines of the stream are too long to be read"),
        (record.exit.survivors_killed, "processes were left over and ended"),
        (record.exit.survivors_left, "processes could not be ended"),
    ):
        if count:
            yield f"{count} {what}"
