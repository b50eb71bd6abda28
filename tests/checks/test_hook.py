"""A hook's text was in context only where something shows it."""

import json
from pathlib import Path

import pytest

from harness.checks.hook import context_evidence
from harness.claude.session import HookContext, hook_contexts
from harness.claude.transcript import build_transcript
from harness.model.check import Finding
from harness.model.scenario import HookRule
from harness.model.transcript import Transcript
from tests.bugs import STREAMS, bug_program_output, bug_transcript, events_of, recorded, transcript_of

INIT = {"type": "system", "subtype": "init", "model": "m-1", "plugins": [{"name": "demo", "path": "/p"}]}
SPOKEN = {"type": "assistant", "message": {"id": "m1", "model": "m-1", "content": "x"}}


def rule(contains: str = "ctx", event: str = "SessionStart") -> HookRule:
    return HookRule(event=event, contains=contains)


def response(
    stdout: str = "ctx", code: int | None = 0, event: str = "SessionStart", **more: object
) -> object:
    return {
        "type": "system",
        "subtype": "hook_response",
        "hook_id": "h1",
        "hook_name": f"{event}:startup",
        "hook_event": event,
        "stdout": stdout,
        "exit_code": code,
        "outcome": "success" if code in (0, None) else "error",
        **more,
    }


def injecting(context: object, event: str = "SessionStart") -> str:
    return json.dumps({"hookSpecificOutput": {"hookEventName": event, "additionalContext": context}})


def of(*values: object) -> Transcript:
    return build_transcript(events_of(b"".join(json.dumps(v).encode() + b"\n" for v in values)))


def from_stream(*values: object, asked: HookRule | None = None) -> Finding:
    return context_evidence(asked or rule(), of(*values), None, None)


def in_session(
    text: str = "ctx", event: str = "SessionStart", before: bool = True
) -> tuple[HookContext, ...]:
    return (HookContext(hook_name=event, hook_event=event, text=text, before_first_assistant=before),)


@pytest.mark.parametrize(
    ("stdout", "value"),
    [
        pytest.param("ctx", True, id="plain"),
        pytest.param(injecting("ctx"), True, id="json"),
        pytest.param(injecting("ctx") + "\n", True, id="json-newline"),
        pytest.param(injecting('say "ctx"'), True, id="escaped"),
        pytest.param("other", False, id="other-text"),
        pytest.param("", False, id="nothing"),
        pytest.param('{"hookSpecificOutput":{"additionalContext":"ctx"}}', False, id="no-event-name"),
        pytest.param(injecting("ctx", "Stop"), False, id="other-event-name"),
        pytest.param(injecting(["ctx"]), False, id="list"),
        pytest.param('{"hookSpecificOutput": {ctx}', False, id="malformed"),
        pytest.param("motd " + injecting("ctx"), False, id="words-first"),
        pytest.param('{"systemMessage":"ctx"}', False, id="for-the-user"),
        pytest.param('{"async":true}\n' + injecting("ctx"), False, id="background"),
        pytest.param("ctx" + "x" * 9_997, True, id="10000-characters"),
        pytest.param("ctx" + "x" * 9_998, False, id="10001-characters"),
        pytest.param(injecting("ctx" + "x" * 12_000), False, id="12000-in-json"),
    ],
)
def test_which_output_is_evidence(stdout: str, value: bool) -> None:
    assert from_stream(response(stdout), INIT, SPOKEN).value is value


def test_the_text_is_matched_as_the_model_reads_it_not_as_json_writes_it() -> None:
    asked = rule('read "docs/adr"\nfirst')
    assert from_stream(response(injecting('read "docs/adr"\nfirst')), INIT, asked=asked).value is True


@pytest.mark.parametrize(
    ("events", "words"),
    [
        pytest.param([INIT], "plugin loaded (demo), hook never started", id="never-started"),
        pytest.param([{**INIT, "plugins": []}], "no plugin is loaded", id="no-plugin"),
        pytest.param(
            [{"type": "system", "subtype": "hook_started", "hook_name": "SessionStart:startup"}],
            "hook SessionStart:startup started and never answered",
            id="pending",
        ),
        pytest.param([response("", 1), INIT], "hook SessionStart:startup failed (exit code 1)", id="failed"),
        pytest.param(
            [response("", 127, stderr="sh: node: not found"), INIT],
            "interpreter not found for hook SessionStart:startup (exit code 127): sh: node: not found",
            id="interpreter",
        ),
        pytest.param(
            [response("", 1, stderr="env: 'uv': No such file or directory"), INIT],
            "interpreter not found",
            id="interpreter-by-env",
        ),
        pytest.param([response("ctx", 2), INIT], "failed (exit code 2)", id="blocked"),
        pytest.param(
            [response("ctx", None, outcome="cancelled"), INIT], "failed (cancelled)", id="cancelled"
        ),
        pytest.param([response("x" * 12_000), INIT], "12000 characters is over 10000", id="cut"),
        pytest.param([INIT, response()], "too late", id="after-init"),
        pytest.param([SPOKEN, response()], "too late", id="after-the-first-action"),
        pytest.param([response("other"), INIT], "ran without the expected text", id="other-text"),
    ],
)
def test_the_reason_tells_what_happened_to_the_hook(events: list[object], words: str) -> None:
    found = from_stream(*events)
    assert found.value is False
    assert words in found.reason


@pytest.mark.parametrize(
    ("session", "wire", "value"),
    [
        pytest.param(None, None, True, id="stream"),
        pytest.param(in_session(), None, True, id="session-shows"),
        pytest.param((), None, False, id="session-does-not"),
        pytest.param(in_session(before=False), None, False, id="session-shows-it-late"),
        pytest.param(in_session(event="Stop"), None, False, id="session-shows-another-hook"),
        pytest.param(in_session(), "nothing", False, id="wire-does-not"),
        pytest.param((), "ctx", True, id="wire-shows"),
        pytest.param(None, "ctx", True, id="wire-without-session"),
    ],
)
def test_the_strongest_level_decides(
    session: tuple[HookContext, ...] | None, wire: str | None, value: bool
) -> None:
    assert context_evidence(rule(), of(response(), INIT, SPOKEN), session, wire).value is value


def test_a_stronger_level_makes_up_for_a_silent_stream() -> None:
    assert context_evidence(rule(), of(INIT), in_session(), None).value is True


def test_the_levels_reached_are_told_as_evidence() -> None:
    found = context_evidence(rule(), of(response(), INIT), in_session(), "ctx")
    assert [line.where for line in found.evidence] == ["stream:0", "session", "wire"]


@pytest.mark.parametrize("where", ["session", "wire"])
def test_a_preview_of_a_cut_output_is_not_the_text(where: str) -> None:
    cut = "<persisted-output>\nOutput too large (11.7KB).\n\nPreview (first 2KB):\nctx\n</persisted-output>"
    session = in_session(cut)
    found = context_evidence(rule(), of(response(), INIT), session, cut if where == "wire" else None)
    assert found.value is False


@pytest.mark.parametrize(
    ("body", "value"),
    [
        pytest.param(
            {"messages": [{"content": [{"type": "text", "text": 'a "ctx"\nb'}]}]}, True, id="message"
        ),
        pytest.param({"system": [{"text": 'a "ctx"\nb'}], "messages": []}, True, id="system"),
        pytest.param(
            {"tools": [{"description": 'a "ctx"\nb'}], "messages": []}, False, id="tool-description"
        ),
    ],
)
def test_the_request_is_searched_where_the_conversation_is(body: object, value: bool) -> None:
    found = context_evidence(rule('a "ctx"\nb'), of(INIT), None, json.dumps(body))
    assert found.value is value


def test_hk01_a_hook_that_the_stream_does_not_show_is_unknown(tmp_path: Path) -> None:
    found = context_evidence(rule(event="PreToolUse"), bug_transcript("HK01", tmp_path), None, None)
    assert (found.value, "nothing can be told" in found.reason) == (None, True)


def test_a_stream_that_shows_other_hooks_shows_that_one_did_not_run() -> None:
    events = [response(), INIT, response("", event="PostToolUse")]
    assert from_stream(*events, asked=rule(event="PreToolUse")).value is False


def test_hk02_session_end_cannot_be_told() -> None:
    found = from_stream(response(), INIT, response("", event="PreToolUse"), asked=rule(event="SessionEnd"))
    assert (found.value, "SessionEnd hooks do not run" in found.reason) == (None, True)


@pytest.mark.parametrize(
    ("contains", "value"),
    [
        ("plain rules: read docs/adr", True),
        ("json rules: read docs/adr", True),
        ("no event name", False),
        ("motd", False),
    ],
)
def test_hk03_only_the_two_legal_shapes_are_context(contains: str, value: bool, tmp_path: Path) -> None:
    assert context_evidence(rule(contains), bug_transcript("HK03", tmp_path), None, None).value is value


def test_hk03_each_broken_shape_is_named(tmp_path: Path) -> None:
    found = context_evidence(rule("no event name"), bug_transcript("HK03", tmp_path), None, None)
    assert "lacks the right hookEventName" in found.reason
    assert "text before the hook's JSON" in found.reason


def test_hk07_a_hook_path_without_its_root_is_named() -> None:
    stderr = "Error: Cannot find module '/hooks/start.js'"
    found = from_stream(response("", 1, stderr=stderr), INIT)
    assert found.reason == f"hook SessionStart:startup failed (exit code 1): {stderr}"


def test_hk09_a_loaded_plugin_whose_hook_never_started_is_told(tmp_path: Path) -> None:
    found = context_evidence(rule(), bug_transcript("HK09", tmp_path), None, None)
    assert (found.value, "plugin loaded (demo), hook never started" in found.reason) == (False, True)


def test_hk10_a_hook_that_hangs_is_pending(tmp_path: Path) -> None:
    out, _ = bug_program_output("HK10", tmp_path, seconds=0.5)
    found = context_evidence(rule(), transcript_of(out, tmp_path), None, None)
    assert (found.value, found.reason) == (False, "hook SessionStart:startup started and never answered")


def test_hk11_a_late_answer_fired_and_was_not_in_context(tmp_path: Path) -> None:
    found = context_evidence(rule("late context"), bug_transcript("HK11", tmp_path), None, None)
    assert (found.value, "too late" in found.reason) == (False, True)


def test_hk15_a_second_start_after_compaction_takes_nothing_away(tmp_path: Path) -> None:
    assert context_evidence(rule(), bug_transcript("HK15", tmp_path), None, None).value is True


@pytest.mark.parametrize(
    ("contains", "by_stream", "by_session"),
    [
        ("CTX-JSON", True, True),
        ("CTX-PLAIN", True, True),
        ("CTX-LEAD", False, True),
        ("CTX-LATE", False, False),
        ("CTX-ASYNC", False, False),
        ("CTX-LONG", False, False),
        ("CTX-JLONG", False, False),
        ("CTX-NOEVENT", False, False),
        ("CTX-MALFORMED", False, False),
        ("CTX-SYS", False, False),
        ("CTX-EXIT2", False, False),
    ],
)
def test_hooks_of_every_kind_as_the_real_cli_ran_them(
    contains: str, by_stream: bool, by_session: bool
) -> None:
    transcript = recorded("hooks-of-every-kind")
    session = hook_contexts(STREAMS / "hooks-of-every-kind.session.jsonl")
    assert context_evidence(rule(contains), transcript, None, None).value is by_stream
    assert context_evidence(rule(contains), transcript, session, None).value is by_session
