"""Events add up to one transcript: calls with their results, one account, one answer."""

import json
from collections.abc import Iterable
from pathlib import Path

import pytest

from harness.claude.transcript import build_transcript, read_transcript
from harness.model.event import ToolResultBlock
from harness.model.transcript import ToolCall, Transcript
from tests.bugs import (
    STREAMS,
    bug_program_output,
    bug_stream,
    bug_transcript,
    events_of,
    recorded,
    transcript_of,
)


def of(*values: object) -> Transcript:
    return build_transcript(events_of(b"".join(json.dumps(v).encode() + b"\n" for v in values)))


def assistant(*blocks: object, message: str = "m1", **more: object) -> dict[str, object]:
    return {"type": "assistant", "message": {"id": message, "model": "m-1", "content": blocks}, **more}


def tool_use(call: str = "t1", name: str = "Read", **given: object) -> dict[str, object]:
    return {"type": "tool_use", "id": call, "name": name, "input": given}


def answer(call: str = "t1", content: str = "ok", **more: object) -> dict[str, object]:
    block = {"type": "tool_result", "tool_use_id": call, "content": content, **more}
    return {"type": "user", "message": {"role": "user", "content": [block]}}


def result(**fields: object) -> dict[str, object]:
    return {"type": "result", "subtype": "success", "is_error": False, "num_turns": 1, "result": "", **fields}


INIT = {"type": "system", "subtype": "init", "model": "m-1"}


def marks(calls: Iterable[ToolCall]) -> list[tuple[str, bool, bool]]:
    return [(call.tool, call.denied, call.failed) for call in calls]


def test_st05_the_result_with_turns_counts_and_all_are_kept(tmp_path: Path) -> None:
    transcript = bug_transcript("ST05", tmp_path)
    assert transcript.result is not None
    assert (transcript.result.text, transcript.result.is_error) == ("finished", False)
    assert (transcript.usage.cost_usd, len(transcript.results)) == (0.31, 2)


def test_st06_costs_of_several_results_are_running_totals(tmp_path: Path) -> None:
    transcript = bug_transcript("ST06", tmp_path)
    assert transcript.usage.cost_usd == 0.15
    assert transcript.final_message == "task finished"
    assert [said.text for said in transcript.said] == ["task finished"]


def test_st07_a_result_without_text_has_none(tmp_path: Path) -> None:
    transcript = bug_transcript("ST07", tmp_path)
    assert transcript.result is not None
    assert (transcript.result.text, transcript.result.terminal_reason) == ("", "aborted_streaming")


def test_st08_an_empty_result_falls_back_to_what_was_said(tmp_path: Path) -> None:
    transcript = bug_transcript("ST08", tmp_path)
    assert transcript.final_message == "ADR 7 says: use Postgres."
    assert transcript.final_from_messages


def test_a_result_with_text_is_no_fallback(tmp_path: Path) -> None:
    assert not bug_transcript("ST06", tmp_path).final_from_messages


def test_st09_odd_shapes_are_counted_and_lose_nothing(tmp_path: Path) -> None:
    transcript = bug_transcript("ST09", tmp_path)
    assert [said.text for said in transcript.said] == ["plain text", "bare string"]
    assert transcript.faults.odd_shapes == 1
    assert transcript.final_message == "done"


def test_st11_a_split_message_is_one_message_with_all_its_calls(tmp_path: Path) -> None:
    transcript = bug_transcript("ST11", tmp_path)
    assert [call.id for call in transcript.calls] == ["t1", "t2"]
    assert (transcript.usage.input_tokens, transcript.assistant_messages) == (100, 1)


def test_st12_results_are_paired_by_id(tmp_path: Path) -> None:
    assert marks(bug_transcript("ST12", tmp_path).calls) == [("Skill", False, False), ("Bash", False, True)]


def test_st14_the_subagent_tool_has_one_name() -> None:
    transcript = of(assistant(tool_use("t1", "Task"), tool_use("t2", "Agent")))
    assert [call.tool for call in transcript.calls] == ["Agent", "Agent"]


def test_st16_a_result_is_known_wherever_its_type_stands(tmp_path: Path) -> None:
    transcript = bug_transcript("ST16", tmp_path)
    assert transcript.final_message == "hi"
    assert f"{transcript.usage.cost_usd:.6f}" == "0.120235"


def test_st19_noise_is_counted_and_changes_nothing(tmp_path: Path) -> None:
    transcript = bug_transcript("ST19", tmp_path)
    assert (transcript.faults.noise_lines, transcript.final_message) == (4, "done")


def test_st20_an_array_of_events_is_a_transcript(tmp_path: Path) -> None:
    transcript = bug_transcript("ST20", tmp_path)
    assert (transcript.faults.noise_lines, transcript.final_message) == (3, "done")


def test_st21_a_stream_cut_at_64_kib_is_truncated(tmp_path: Path) -> None:
    out, _ = bug_program_output("ST21", tmp_path)
    assert len(out) == 65536
    assert transcript_of(out, tmp_path).faults.truncated


def test_st24_a_partial_message_never_counts_twice(tmp_path: Path) -> None:
    transcript = bug_transcript("ST24", tmp_path)
    assert [(call.tool, call.input) for call in transcript.calls] == [("Skill", {"skill": "demo:adr"})]
    assert transcript.faults.unknown_events == 3


def test_st26_a_call_in_prose_is_no_call(tmp_path: Path) -> None:
    assert bug_transcript("ST26", tmp_path).calls == ()


def test_hk12_what_a_stop_hook_said_stands_apart_from_the_answer(tmp_path: Path) -> None:
    said = [(s.role, s.text) for s in bug_transcript("HK12", tmp_path).said]
    assert said == [
        ("assistant", '{"answer": 42}'),
        ("user", "Stop hook feedback: update memory"),
        ("assistant", "Memory updated."),
    ]


def test_pm04_a_denial_shows_although_the_result_omits_it(tmp_path: Path) -> None:
    assert marks(bug_transcript("PM04", tmp_path).calls) == [("Read", True, True)]


def test_pm05_a_denial_shows_although_nothing_but_its_words_mark_it(tmp_path: Path) -> None:
    assert marks(bug_transcript("PM05", tmp_path).calls) == [("Bash", True, True)]


def test_nm05_a_call_whose_result_is_an_error_has_failed(tmp_path: Path) -> None:
    assert marks(bug_transcript("NM05", tmp_path).calls) == [("Skill", False, True)]


def test_nm12_a_call_with_an_unusable_input_is_a_call(tmp_path: Path) -> None:
    readable = [(call.id, call.readable) for call in bug_transcript("NM12", tmp_path).calls]
    assert readable == [("t1", False), ("t2", False), ("t3", True), ("t4", True), ("t5", True)]


def test_is13_the_models_that_answered_are_told_without_helpers(tmp_path: Path) -> None:
    assert bug_transcript("IS13", tmp_path).models == ("m-2-small",)


def test_rl01_a_message_of_the_cli_itself_is_no_answer_of_a_model(tmp_path: Path) -> None:
    transcript = bug_transcript("RL01", tmp_path)
    assert (transcript.synthetic, transcript.synthetic_error) == (True, "rate_limit")
    assert (transcript.final_message, transcript.models, transcript.assistant_messages) == ("", (), 0)


def test_nm11_an_empty_stream_is_an_empty_transcript(tmp_path: Path) -> None:
    transcript = transcript_of(b"", tmp_path)
    assert (transcript.init, transcript.result, transcript.events) == (None, None, 0)
    assert not transcript.faults.truncated


@pytest.mark.parametrize(
    ("tail", "truncated"),
    [
        pytest.param(b'{"type":"us', True, id="half-an-event"),
        pytest.param(b'{"type":"new"}', False, id="whole-event"),
        pytest.param(b"Segmentation fault", False, id="words"),
        pytest.param(b'{"type":"us\n', False, id="half-but-ended"),
        pytest.param(b"", False, id="nothing"),
    ],
)
def test_a_stream_is_cut_when_its_last_line_begins_an_event_and_does_not_end(
    tail: bytes, truncated: bool, tmp_path: Path
) -> None:
    assert transcript_of(bug_stream("ST06") + tail, tmp_path).faults.truncated == truncated


def test_a_call_seen_twice_counts_once() -> None:
    transcript = of(
        assistant(tool_use()), assistant(tool_use(file_path="/a")), answer(), answer(content="again")
    )
    assert [(call.input, call.result) for call in transcript.calls] == [
        ({"file_path": "/a"}, ToolResultBlock(tool_use_id="t1", text="ok", is_error=False))
    ]


def test_text_seen_twice_in_one_message_is_said_once() -> None:
    text = {"type": "text", "text": "Look."}
    transcript = of(assistant(text), assistant(text, tool_use()), assistant(text, message="m2"))
    assert [said.text for said in transcript.said] == ["Look.", "Look."]


def test_calls_without_ids_are_kept_apart() -> None:
    assert len(of(assistant(tool_use(""), tool_use(""))).calls) == 2


def test_a_subagents_call_names_its_parent_and_its_model_is_not_the_main_one() -> None:
    transcript = of(assistant(tool_use("t1", "Agent")), assistant(tool_use("t2"), parent_tool_use_id="t1"))
    assert [call.parent_tool_use_id for call in transcript.calls] == [None, "t1"]
    assert transcript.assistant_messages == 1


def test_the_first_action_is_the_first_message_of_a_model() -> None:
    synthetic = {"type": "assistant", "message": {"model": "<synthetic>", "content": "x"}}
    assert of(INIT, synthetic, assistant(tool_use())).first_action_index == 2


@pytest.mark.parametrize(
    ("text", "denied"),
    [
        pytest.param("Permission to use Bash with command x has been denied.", True, id="rule"),
        pytest.param(
            "Claude requested permissions to use Bash, but you haven't granted it yet.", True, id="asked"
        ),
        pytest.param("Exit code 1\nPermission to use Bash has been denied", False, id="output-of-a-command"),
        pytest.param("File does not exist.", False, id="other-error"),
    ],
)
def test_an_unmarked_refusal_is_known_by_the_cli_s_wording(text: str, denied: bool) -> None:
    (call,) = of(assistant(tool_use()), answer(content=text, is_error=True)).calls
    assert call.denied == denied


def test_words_of_refusal_in_a_good_result_deny_nothing() -> None:
    (call,) = of(assistant(tool_use()), answer(content="Permission to use Bash has been denied")).calls
    assert not call.denied


@pytest.mark.parametrize(
    "source",
    [
        pytest.param({"type": "system", "subtype": "permission_denied", "tool_use_id": "t1"}, id="event"),
        pytest.param(result(permission_denials=[{"tool_use_id": "t1"}]), id="result"),
        pytest.param(
            {**answer(), "tool_result_meta": [{"id": "t1", "non_execution_kind": "permission-rule"}]},
            id="meta",
        ),
    ],
)
def test_each_source_of_a_denial_marks_the_call(source: object) -> None:
    assert of(assistant(tool_use()), source).calls[0].denied


def test_denials_of_an_earlier_result_stay() -> None:
    assert [call.denied for call in recorded("subagent-background").calls] == [
        True,
        False,
        True,
        False,
        False,
        False,
    ]


def test_the_account_is_model_usage_of_the_last_result() -> None:
    usage = recorded("subagent-background").usage
    assert (usage.input_tokens, usage.output_tokens, f"{usage.cost_usd:.5f}") == (600, 60, "0.00009")


def test_the_account_of_a_zero_turn_result_without_model_usage_is_the_one_before() -> None:
    first = result(modelUsage={"m-1": {"inputTokens": 5, "costUSD": 0.1}}, total_cost_usd=0.1)
    assert of(first, result(num_turns=0, modelUsage={}, total_cost_usd=0)).usage.input_tokens == 5


def test_without_results_the_account_is_what_the_messages_say_once_each() -> None:
    def message(name: str, made: int) -> dict[str, object]:
        usage = {"input_tokens": 10, "output_tokens": made}
        return {"type": "assistant", "message": {"id": name, "content": "x", "usage": usage}}

    usage = of(message("m1", 1), message("m1", 7), message("m2", 2)).usage
    assert (usage.input_tokens, usage.output_tokens) == (20, 9)


def test_turns_of_several_results_are_their_own() -> None:
    assert recorded("subagent-background").turns == 8


@pytest.mark.parametrize(
    ("events", "waits"),
    [
        pytest.param([INIT], True, id="after-start"),
        pytest.param([], False, id="before-start"),
        pytest.param([INIT, assistant(tool_use()), answer()], True, id="after-a-tool-result"),
        pytest.param([INIT, assistant(tool_use())], False, id="a-tool-runs"),
        pytest.param([INIT, assistant(tool_use("t1", "Agent"))], True, id="a-subagent-thinks"),
        pytest.param(
            [INIT, assistant(tool_use("t1", "Agent")), assistant(tool_use("t2"), parent_tool_use_id="t1")],
            False,
            id="a-subagent-s-tool-runs",
        ),
        pytest.param([INIT, {"type": "system", "subtype": "api_retry"}], True, id="after-a-retry"),
        pytest.param([INIT, assistant({"type": "text", "text": "x"})], False, id="after-words"),
        pytest.param(
            [INIT, assistant({"type": "text", "text": "x"}), result()], False, id="after-the-result"
        ),
    ],
)
def test_when_the_api_owes_an_answer(events: list[object], waits: bool) -> None:
    assert of(*events).waits_for_model == waits


@pytest.mark.parametrize(("name", "waits"), [("sigint-waiting", True), ("sigint-in-tool", False)])
def test_the_note_after_sigint_does_not_hide_what_was_going_on(name: str, waits: bool) -> None:
    assert recorded(name).waits_for_model == waits


def test_a_call_that_sigint_cut_off_was_not_denied() -> None:
    assert marks(recorded("sigint-in-tool").calls) == [("Bash", False, True)]


def test_the_span_is_from_the_first_to_the_last_timestamp() -> None:
    first = assistant(tool_use(), timestamp="2026-01-01T00:00:00.000Z")
    last = {**answer(), "timestamp": "2026-01-01T00:00:02.500Z"}
    assert of(first, last, result()).span_s == 2.5


def test_a_stream_without_timestamps_has_no_span() -> None:
    assert of(INIT, assistant(tool_use())).span_s is None


def test_a_whole_recorded_run_is_read() -> None:
    transcript = recorded("plugin")
    assert marks(transcript.calls) == [("Skill", False, False)]
    assert transcript.final_message == "ADR-0001 decides."
    assert transcript.models == ("claude-haiku-5-5",)


def test_a_line_over_the_limit_is_counted(tmp_path: Path) -> None:
    data = bug_stream("ST06") + b'{"type":"user","x":"' + b"x" * (33 << 20) + b'"}\n'
    transcript = transcript_of(data, tmp_path)
    assert (transcript.faults.oversize_lines, transcript.final_message) == (1, "task finished")


def test_reading_a_file_is_building_from_its_events() -> None:
    path = STREAMS / "denied.jsonl"
    assert read_transcript(path) == build_transcript(events_of(path.read_bytes()))
