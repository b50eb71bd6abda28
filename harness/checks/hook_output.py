"""Knows what the CLI makes of a hook's output: which text it puts before the model, and what it drops."""

import re

import orjson

from harness.model.event import HookResponse
from harness.model.transcript import Transcript

LONGEST = 10_000
"""Characters of hook output that the CLI hands on whole (measured with 2.1.332)."""
_PLAIN_TEXT_EVENTS = frozenset({"SessionStart", "UserPromptSubmit"})
_NO_PROGRAM = re.compile(
    r"bad interpreter|command not found|: not found|required file not found|not recognized|\benv: .*No such file"
)


def injected_text(hook: HookResponse) -> tuple[str, str]:
    """The text that reaches the context by what the stream shows, or why none does."""
    failure = _failure(hook)
    if failure:
        return "", failure
    output = hook.stdout.strip()
    if not output:
        return "", f"hook {hook.hook_name} printed nothing"
    text, why = _from_json(hook, output) if output.startswith("{") else _from_plain(hook, output)
    if len(text) > LONGEST:
        return "", f"hook output of {len(text)} characters is over {LONGEST}: the CLI cuts it"
    return text, why


def runs_late(hook: HookResponse, transcript: Transcript) -> bool:
    """Whether the answer came after the first request had gone out.

    The CLI waits for SessionStart hooks before it writes init. One that answers afterwards ran in the
    background, and its text is not in the first request (measured with 2.1.332).
    """
    marks = [transcript.first_action_index, transcript.results[0].index if transcript.results else None]
    if hook.hook_event == "SessionStart" and transcript.init is not None:
        marks.append(transcript.init.index)
    return any(mark is not None and hook.index > mark for mark in marks)


def _failure(hook: HookResponse) -> str:
    code = hook.exit_code
    if code in (None, 0) and hook.outcome in ("", "success"):
        return ""
    words = hook.stderr.strip().split("\n")[0][:160]
    told = f"exit code {code}" if code is not None else hook.outcome
    if code in (126, 127) or (code and _NO_PROGRAM.search(hook.stderr)):
        return f"interpreter not found for hook {hook.hook_name} ({told}): {words}"
    return f"hook {hook.hook_name} failed ({told})" + (f": {words}" if words else "")


def _from_json(hook: HookResponse, output: str) -> tuple[str, str]:
    try:
        value = orjson.loads(output)
    except orjson.JSONDecodeError:
        if output.startswith('{"async"'):
            return "", "the hook runs in the background: its text is not in the first request"
        return "", "hook output is malformed JSON: the CLI drops it"
    specific = value.get("hookSpecificOutput") if isinstance(value, dict) else None
    if not isinstance(specific, dict):
        return "", "hook ran, no hookSpecificOutput in its JSON"
    if specific.get("hookEventName") != hook.hook_event:
        return "", "hook ran, no valid context: its JSON lacks the right hookEventName"
    context = specific.get("additionalContext")
    if not isinstance(context, str) or not context:
        return "", "hook ran, no additionalContext in its JSON"
    return context, ""


def _from_plain(hook: HookResponse, output: str) -> tuple[str, str]:
    if '"hookSpecificOutput"' in output:
        return "", "text before the hook's JSON: the CLI does not parse it"
    if hook.hook_event not in _PLAIN_TEXT_EVENTS:
        return "", f"plain output of a {hook.hook_event} hook does not reach the model"
    return output, ""
