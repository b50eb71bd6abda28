"""Each ending gets one status, from structured fields and the harness's own actions."""

import json
from pathlib import Path

import pytest

from harness.checks.status import Classification, classify
from harness.claude.transcript import build_transcript
from harness.model.outcome import Status
from harness.model.run import LimitFired, ProcessExit
from harness.model.transcript import Transcript
from tests.bugs import bug_program_output, bug_transcript, events_of, recorded, transcript_of

INIT = {"type": "system", "subtype": "init", "model": "m-1"}
CALL = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "sleep 9"}}
CALLED = {"type": "assistant", "message": {"id": "m1", "model": "m-1", "content": [CALL]}}
ANSWER = {"type": "tool_result", "tool_use_id": "t1", "content": "ok"}
ANSWERED = {"type": "user", "message": {"content": [ANSWER]}}
DONE = {"type": "result", "subtype": "success", "is_error": False, "num_turns": 2, "result": "done"}


def ended(
    exit_code: int | None = 0, limit: LimitFired = "", wall_s: float = 60.0, start_error: str = ""
) -> ProcessExit:
    return ProcessExit(exit_code=exit_code, limit=limit, wall_s=wall_s, start_error=start_error)


def of(*values: object) -> Transcript:
    return build_transcript(events_of(b"".join(json.dumps(v).encode() + b"\n" for v in values)))


def told(found: Classification) -> tuple[str, str, str]:
    return (found.status.value, found.api_kind, found.limit)


@pytest.mark.parametrize(
    ("name", "exit_code", "expected"),
    [
        ("plugin", 0, ("completed", "", "")),
        ("denied", 0, ("completed", "", "")),
        ("subagent-background", 0, ("completed", "", "")),
        ("subagent-foreground", 0, ("completed", "", "")),
        ("max-turns", 1, ("limit_reached", "", "max_turns")),
        ("max-budget", 1, ("limit_reached", "", "max_cost_usd")),
        ("api-400", 1, ("api_error", "other", "")),
        ("api-401", 1, ("api_error", "auth", "")),
        ("api-402", 1, ("api_error", "credit", "")),
        ("api-403", 1, ("api_error", "auth", "")),
        ("api-404", 1, ("api_error", "other", "")),
        ("api-429", 1, ("api_error", "rate_limit", "")),
        ("api-500", 1, ("api_error", "other", "")),
        ("api-529", 1, ("api_error", "overload", "")),
        ("api-credit", 1, ("api_error", "credit", "")),
        ("api-refused", 1, ("api_error", "refused", "")),
        ("sigint-in-tool", 0, ("interrupted", "", "")),
        ("sigint-waiting", 0, ("crashed", "", "")),
    ],
)
def test_what_the_real_cli_wrote(name: str, exit_code: int, expected: tuple[str, str, str]) -> None:
    assert told(classify(recorded(name), ended(exit_code))) == expected


@pytest.mark.parametrize("exit_code", [0, 1, 143, -9])
@pytest.mark.parametrize("name", ["plugin", "api-429", "max-turns"])
def test_the_exit_code_alone_decides_nothing_where_a_result_is(name: str, exit_code: int) -> None:
    assert classify(recorded(name), ended(exit_code)) == classify(recorded(name), ended(0))


@pytest.mark.parametrize(
    ("bug", "expected"),
    [
        ("ST05", ("completed", "", "")),
        ("ST06", ("completed", "", "")),
        ("ST07", ("interrupted", "", "")),
        ("ST08", ("completed", "", "")),
        ("ST09", ("completed", "", "")),
        ("ST19", ("completed", "", "")),
        ("ST20", ("completed", "", "")),
        ("ST22", ("completed", "", "")),
        ("LM02", ("limit_reached", "", "max_cost_usd")),
        ("RL01", ("api_error", "rate_limit", "")),
        ("RL02", ("completed", "", "")),
        ("RL03", ("completed", "", "")),
        ("NM05", ("completed", "", "")),
        ("NM11", ("crashed", "", "")),
    ],
)
def test_a_public_failure(bug: str, expected: tuple[str, str, str], tmp_path: Path) -> None:
    assert told(classify(bug_transcript(bug, tmp_path), ended())) == expected


def test_st02_exit_0_without_a_result_is_no_success(tmp_path: Path) -> None:
    out, _ = bug_program_output("ST02", tmp_path)
    found = classify(transcript_of(out, tmp_path), ended(0))
    assert (found.status, found.reason) == (Status.CRASHED, "no result event (exit code 0)")


def test_st03_a_run_that_ended_after_its_result_is_complete(tmp_path: Path) -> None:
    out, _ = bug_program_output("ST03", tmp_path, seconds=0.5)
    assert classify(transcript_of(out, tmp_path), ended(-15, "grace")).status is Status.COMPLETED


def test_st07_the_ending_is_told(tmp_path: Path) -> None:
    found = classify(bug_transcript("ST07", tmp_path), ended())
    assert found.reason == "ended from outside (error_during_execution, aborted_streaming, [diag] stop)"


def test_st21_a_cut_stream_is_a_crash(tmp_path: Path) -> None:
    out, _ = bug_program_output("ST21", tmp_path)
    found = classify(transcript_of(out, tmp_path), ended(0))
    assert (found.status, found.reason) == (
        Status.CRASHED,
        "the stream was cut in the middle of an event (exit code 0)",
    )


def test_hk10_a_start_that_hangs_names_the_hook(tmp_path: Path) -> None:
    out, _ = bug_program_output("HK10", tmp_path, seconds=0.5)
    found = classify(transcript_of(out, tmp_path), ended(-9, "startup"))
    assert told(found) == ("setup_error", "", "startup")
    assert "SessionStart:startup had not answered" in found.reason


def test_rl01_says_when_the_limit_ends(tmp_path: Path) -> None:
    assert classify(bug_transcript("RL01", tmp_path), ended()).resets_at == 1999999999


def test_rl04_an_overload_counts_its_retries(tmp_path: Path) -> None:
    out, _ = bug_program_output("RL04", tmp_path)
    found = classify(transcript_of(out, tmp_path), ended(1))
    assert told(found) == ("api_error", "overload", "")
    assert found.reason == "the API failed (overload: status 529) after 10 retries"
    assert found.retry_after_s == 0.6005


def test_lm03_a_run_that_is_never_idle_and_never_ends_is_timed_out(tmp_path: Path) -> None:
    out, _ = bug_program_output("LM03", tmp_path, seconds=1.2)
    assert told(classify(transcript_of(out, tmp_path), ended(-9, "timeout"))) == ("timed_out", "", "timeout")


@pytest.mark.parametrize("code", [0, 137, -9])
def test_nothing_at_all_is_a_crash(code: int) -> None:
    assert classify(of(), ended(code)).status is Status.CRASHED


def test_lm05_a_refusal_to_start_is_a_setup_error() -> None:
    assert classify(of(), ended(1)).status is Status.SETUP_ERROR


def test_a_child_that_never_started_is_a_setup_error() -> None:
    found = classify(of(), ended(None, start_error="No such file"))
    assert (found.status, found.reason) == (Status.SETUP_ERROR, "claude did not start: No such file")


def test_our_own_interruption_is_no_verdict_on_the_agent() -> None:
    assert classify(of(INIT, CALLED), ended(0, "interrupt")).status is Status.INTERRUPTED


def test_what_the_gateway_could_not_do_is_a_setup_error_with_its_reason() -> None:
    found = classify(of(INIT, DONE), ended(), gateway_failure="the playbook ran out at turn 3")
    assert (found.status, found.reason) == (Status.SETUP_ERROR, "the playbook ran out at turn 3")


@pytest.mark.parametrize("limit", ["timeout", "idle"])
@pytest.mark.parametrize(
    ("events", "expected"),
    [
        pytest.param([INIT, CALLED], "timed_out", id="a-tool-runs"),
        pytest.param([INIT, CALLED, ANSWERED], "api_error", id="the-api-owes"),
        pytest.param([INIT], "api_error", id="no-first-answer"),
        pytest.param([INIT, CALLED, ANSWERED, DONE], "completed", id="done-before-it"),
        pytest.param([], "setup_error", id="no-init"),
    ],
)
def test_a_limit_is_the_agents_unless_the_api_owed_an_answer(
    limit: LimitFired, events: list[object], expected: str
) -> None:
    assert classify(of(*events), ended(-9, limit)).status.value == expected


@pytest.mark.parametrize(
    ("pending", "expected"), [(True, ("api_error", "stalled")), (False, ("timed_out", ""))]
)
def test_the_gateway_knows_better_than_the_stream(pending: bool, expected: tuple[str, str]) -> None:
    for events in ([INIT, CALLED], [INIT, CALLED, ANSWERED]):
        found = classify(of(*events), ended(-9, "timeout"), api_pending=pending)
        assert (found.status.value, found.api_kind) == expected


@pytest.mark.parametrize(
    ("worked_s", "wall_s", "expected"),
    [
        pytest.param(299, 300, "timed_out", id="cut-between-two-answers"),
        pytest.param(200, 300, "api_error", id="long-silence"),
        pytest.param(0, 3, "api_error", id="short-limit-all-silence"),
        pytest.param(2, 3, "timed_out", id="short-limit-mostly-work"),
    ],
)
def test_a_busy_agent_whose_time_is_up_is_no_stalled_api(worked_s: int, wall_s: float, expected: str) -> None:
    first = {**CALLED, "timestamp": "2026-01-01T00:00:00Z"}
    last = {**ANSWERED, "timestamp": f"2026-01-01T00:{worked_s // 60:02}:{worked_s % 60:02}Z"}
    assert classify(of(INIT, first, last), ended(-9, "timeout", wall_s)).status.value == expected


def test_a_limit_that_cut_a_tool_is_the_agents_though_a_result_came() -> None:
    assert told(classify(recorded("sigint-in-tool"), ended(0, "timeout", 3))) == ("timed_out", "", "timeout")


def test_a_limit_that_cut_a_silence_of_the_api_is_the_apis() -> None:
    found = classify(recorded("sigint-waiting"), ended(0, "timeout", 3))
    assert told(found) == ("api_error", "stalled", "timeout")


def test_too_much_output_is_a_limit() -> None:
    assert told(classify(of(INIT, CALLED), ended(-9, "output"))) == ("limit_reached", "", "output")


def test_a_result_of_an_older_version_without_reason_after_our_limit_is_timed_out() -> None:
    old = {"type": "result", "subtype": "error_during_execution", "is_error": True, "num_turns": 1}
    assert classify(of(INIT, CALLED, old), ended(0, "timeout")).status is Status.TIMED_OUT


def test_a_tail_cut_by_our_own_kill_after_the_result_is_no_crash(tmp_path: Path) -> None:
    stream = json.dumps(INIT) + "\n" + json.dumps(DONE) + '\n{"type":"sys'
    transcript = transcript_of(stream.encode(), tmp_path)
    assert classify(transcript, ended(-9, "grace")).status is Status.COMPLETED
    assert classify(transcript, ended(0)).status is Status.CRASHED


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        pytest.param({"terminal_reason": "api_error"}, ("api_error", "other", ""), id="reason-only"),
        pytest.param({"api_error_status": 401}, ("api_error", "auth", ""), id="status-only"),
        pytest.param({"api_error_type": "overloaded_error"}, ("api_error", "overload", ""), id="type-only"),
        pytest.param({"terminal_reason": "turn_setup_failed"}, ("setup_error", "", ""), id="turn-not-set-up"),
        pytest.param({"terminal_reason": "prompt_too_long"}, ("crashed", "", ""), id="other-reason"),
        pytest.param({"subtype": "error_during_execution"}, ("crashed", "", ""), id="error-without-reason"),
        pytest.param(
            {"subtype": "error_max_turns"}, ("limit_reached", "", "max_turns"), id="older-max-turns"
        ),
    ],
)
def test_an_error_result_by_its_fields(fields: dict[str, object], expected: tuple[str, str, str]) -> None:
    assert told(classify(of(INIT, CALLED, {**DONE, "is_error": True, **fields}), ended(1))) == expected


def test_a_success_that_the_cli_itself_spoke_is_an_api_error() -> None:
    spoken = {
        "type": "assistant",
        "error": "billing_error",
        "message": {"model": "<synthetic>", "content": "x"},
    }
    assert told(classify(of(INIT, spoken, DONE), ended())) == ("api_error", "credit", "")


def test_an_api_error_that_a_model_outlived_is_none() -> None:
    spoken = {"type": "assistant", "error": "overloaded", "message": {"model": "<synthetic>", "content": "x"}}
    words = {"type": "assistant", "message": {"id": "m2", "model": "m-1", "content": "done"}}
    assert classify(of(INIT, spoken, words, DONE), ended()).status is Status.COMPLETED


def test_rl06_a_login_that_another_worker_spent_is_an_authentication_error() -> None:
    spoken = {"type": "assistant", "error": "authentication_failed", "message": {"model": "<synthetic>"}}
    failed = {**DONE, "is_error": True, "terminal_reason": "api_error"}
    assert told(classify(of(INIT, spoken, failed), ended(1))) == ("api_error", "auth", "")


RETRY = {
    "type": "system",
    "subtype": "api_retry",
    "attempt": 1,
    "max_retries": 9,
    "error_status": 529,
    "error": "overloaded",
}


@pytest.mark.parametrize("pending", [True, False, None])
@pytest.mark.parametrize("limit", ["timeout", "idle"])
def test_a_cli_that_waits_to_ask_again_when_time_is_up_is_the_apis_failure(
    limit: LimitFired, pending: bool | None
) -> None:
    found = classify(of(INIT, CALLED, ANSWERED, RETRY), ended(-9, limit), api_pending=pending)
    assert told(found) == ("api_error", "overload", limit)


def test_a_retry_that_was_answered_long_ago_excuses_nothing() -> None:
    again = {"type": "assistant", "message": {"id": "m2", "model": "m-1", "content": [{**CALL, "id": "t2"}]}}
    found = classify(of(INIT, CALLED, ANSWERED, RETRY, again), ended(-9, "idle"), api_pending=False)
    assert told(found) == ("timed_out", "", "idle")


def test_a_hook_that_our_own_signal_ended_is_named_when_the_start_hangs() -> None:
    named = {"hook_id": "h1", "hook_name": "SessionStart:startup", "hook_event": "SessionStart"}
    began = {"type": "system", "subtype": "hook_started", **named}
    response = {"type": "system", "subtype": "hook_response", **named, "exit_code": 1, "outcome": "error"}
    found = classify(of(began, response), ended(0, "startup"))
    assert found.reason.endswith("hook SessionStart:startup was still running or had failed")
