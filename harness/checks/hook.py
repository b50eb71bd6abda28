"""Knows whether a hook's text was in context before the first action, and how strong the proof is."""

import re
from collections.abc import Iterator, Sequence

import orjson

from harness.checks.hook_output import injected_text, runs_late
from harness.claude.session import HookContext
from harness.model.check import Evidence, Finding
from harness.model.event import HookResponse
from harness.model.scenario import HookRule
from harness.model.transcript import Transcript

_ALWAYS_IN_STREAM = "SessionStart"
_PREVIEW = 160
# What stands in the place of a hook's output over 10,000 characters: a path and the first 2 KB.
_CUT = re.compile(r"<persisted-output>.*?(?:</persisted-output>|\Z)", re.DOTALL)


def context_evidence(
    rule: HookRule,
    transcript: Transcript,
    session: tuple[HookContext, ...] | None,
    wire_first_request: str | None,
) -> Finding:
    """Answer whether the hook's text was in context before the first action, by the strongest level there is.

    ``session``: what ``hook_contexts`` found, None without a session file. ``wire_first_request``: the body
    of the first request for a model's answer as the server got it, None where no gateway stood in between.
    """
    fired, why, evidence = _in_stream(rule, transcript)
    answer, where = fired, "the stream"
    if session is not None:
        answer, where = _in_session(rule, session), "the session file"
        evidence = (*evidence, Evidence(where="session", text=_told(rule, answer)))
    if wire_first_request is not None and rule.contains.strip():
        answer, where = _holds(_sent_text(wire_first_request), rule.contains), "the first request"
        evidence = (*evidence, Evidence(where="wire", text=_told(rule, answer)))
    if answer:
        return Finding(name="hook", value=True, reason=f"shown by {where}", evidence=evidence)
    if answer is None:
        return Finding(name="hook", value=None, reason=why, evidence=evidence)
    reason = (
        why if not fired else f"the hook fired, but its text is not whole in {where} before the first action"
    )
    return Finding(name="hook", value=False, reason=reason, evidence=evidence)


def _told(rule: HookRule, answer: bool) -> str:
    sought = rule.contains.strip()[:_PREVIEW]
    return f"holds {sought!r}" if answer else f"does not hold {sought!r} whole before the first action"


def _holds(text: str, contains: str) -> bool:
    return contains.strip() in _CUT.sub("", text)


def _in_session(rule: HookRule, session: Sequence[HookContext]) -> bool:
    return any(
        context.hook_event == rule.event
        and context.before_first_assistant
        and _holds(context.text, rule.contains)
        for context in session
    )


def _sent_text(request: str) -> str:
    """The words of a request body that the model reads as conversation: no tool descriptions, no escapes."""
    try:
        body = orjson.loads(request)
    except orjson.JSONDecodeError:
        return request
    if not isinstance(body, dict):
        return request
    return "\n".join(_strings([body.get("system"), body.get("messages")]))


def _strings(value: object) -> Iterator[str]:
    match value:
        case str():
            yield value
        case list():
            for item in value:
                yield from _strings(item)
        case dict():
            for item in value.values():
                yield from _strings(item)


def _in_stream(rule: HookRule, transcript: Transcript) -> tuple[bool | None, str, tuple[Evidence, ...]]:
    """Level 1: (fired with this text in time, why not, what each hook did)."""
    responses = [hook for hook in transcript.hooks if hook.hook_event == rule.event]
    if not responses:
        return _unanswered(rule, transcript)
    tries = [_one(rule, transcript, hook) for hook in responses]
    evidence = tuple(
        Evidence(
            where=f"stream:{hook.index}",
            text=f"{hook.hook_name}: {why or 'fired with the text'}"[: _PREVIEW * 2],
        )
        for hook, why in zip(responses, tries, strict=True)
    )
    if "" in tries:
        return True, "", evidence
    return False, "; ".join(dict.fromkeys(tries)), evidence


def _one(rule: HookRule, transcript: Transcript, hook: HookResponse) -> str:
    """Why this response is no evidence, or ''."""
    text, why = injected_text(hook)
    if why:
        return why
    if not _holds(text, rule.contains):
        return f"the {rule.event} hook ran without the expected text"
    if runs_late(hook, transcript):
        return "the hook answered too late for the first action"
    return ""


def _unanswered(rule: HookRule, transcript: Transcript) -> tuple[bool | None, str, tuple[Evidence, ...]]:
    pending = [hook for hook in transcript.hooks_started if hook.hook_event == rule.event]
    if pending:
        evidence = tuple(Evidence(where=f"stream:{h.index}", text=f"{h.hook_name} started") for h in pending)
        return False, f"hook {pending[0].hook_name} started and never answered", evidence
    if rule.event == "SessionEnd":
        return None, "SessionEnd hooks do not run at the end of claude -p: nothing can be told of them", ()
    if rule.event != _ALWAYS_IN_STREAM and not _shows_all_hooks(transcript):
        return None, f"this stream does not show {rule.event} hooks: nothing can be told of them", ()
    return False, _never_started(rule, transcript), ()


def _shows_all_hooks(transcript: Transcript) -> bool:
    """Only with --include-hook-events do other hooks than SessionStart stand in the stream."""
    seen = {h.hook_event for h in transcript.hooks_started} | {h.hook_event for h in transcript.hooks}
    return bool(seen - {_ALWAYS_IN_STREAM, "Stop"})


def _never_started(rule: HookRule, transcript: Transcript) -> str:
    if transcript.init is None:
        return f"no {rule.event} hook started, and no init event came"
    loaded = [p.name for p in transcript.init.plugins if not p.source.endswith("@builtin")]
    if not loaded:
        return f"no {rule.event} hook started: no plugin is loaded"
    return f"plugin loaded ({', '.join(loaded)}), hook never started: no {rule.event} event in the stream"
