import http.client
import json
from collections.abc import Callable

import pytest

from harness.gateway.scripted import ScriptedModel
from harness.gateway.server import Gateway
from harness.model.scenario import ApiFailure, Subplay, Turn
from tests.gateway.client import Answer, ask, conversation
from tests.gateway.playbooks import playbook, turn

Claude = Callable[..., list[dict[str, object]]]
SUBAGENT = {"x-api-key": "token", "x-claude-code-agent-id": "a1"}


def text_of(answer: Answer) -> object:
    content = answer.json["content"]
    assert isinstance(content, list)
    return content[0]["text"]


@pytest.mark.parametrize(("said", "expected"), [((), "one"), (("one",), "two"), (("one", "two"), "three")])
def test_a_request_with_n_assistant_messages_gets_turn_n(
    gateway: Gateway, said: tuple[str, ...], expected: str
) -> None:
    gateway.open("token", ScriptedModel(playbook(turn("one"), turn("two"), turn("three")), {}))
    ask(gateway.url, conversation())
    assert text_of(ask(gateway.url, conversation(*said))) == expected


def test_turns_are_counted_after_the_seed_of_a_resumed_conversation(gateway: Gateway) -> None:
    gateway.open("token", ScriptedModel(playbook(turn("one"), turn("two")), {}))
    got = [
        ask(gateway.url, conversation("old", "older")),
        ask(gateway.url, conversation("old", "older", "one")),
    ]
    assert [text_of(answer) for answer in got] == ["one", "two"]


def test_an_answer_is_streamed_as_the_api_streams(gateway: Gateway) -> None:
    gateway.open("token", ScriptedModel(playbook(turn("Look.", ("Bash", {"command": "ls"}))), {}))
    answer = ask(gateway.url, conversation(stream=True))
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert [event["type"] for event in answer.events] == [
        "message_start",
        "content_block_start",
        "ping",
        "content_block_delta",
        "content_block_stop",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
    ]


def test_the_tool_input_arrives_as_partial_json(gateway: Gateway) -> None:
    gateway.open("token", ScriptedModel(playbook(turn("", ("Bash", {"command": "ls é"}))), {}))
    deltas = [e["delta"] for e in ask(gateway.url, conversation(stream=True)).events if "delta" in e]
    assert deltas == [
        {"type": "input_json_delta", "partial_json": '{"command":"ls é"}'},
        {"stop_reason": "tool_use", "stop_sequence": None},
    ]


def test_an_answer_without_stream_is_one_message(gateway: Gateway) -> None:
    gateway.open("token", ScriptedModel(playbook(turn("Look.", ("Bash", {"command": "ls"}))), {}))
    message = ask(gateway.url, conversation()).json
    assert (message["type"], message["model"], message["stop_reason"]) == ("message", "m-1", "tool_use")
    assert message["content"] == [
        {"type": "text", "text": "Look."},
        {"type": "tool_use", "id": "toolu_0_0", "name": "Bash", "input": {"command": "ls"}},
    ]


def test_later_requests_read_the_earlier_ones_from_the_cache(gateway: Gateway) -> None:
    gateway.open("token", ScriptedModel(playbook(turn("one"), turn("two")), {}))
    usages = [ask(gateway.url, conversation(*said)).json["usage"] for said in [(), ("one",)]]
    first, second = [u for u in usages if isinstance(u, dict)]
    assert first["cache_read_input_tokens"] == 0 < first["cache_creation_input_tokens"]
    assert second["cache_read_input_tokens"] == first["cache_creation_input_tokens"]


def test_count_tokens_counts(gateway: Gateway) -> None:
    gateway.open("token", ScriptedModel(playbook(turn("x")), {}))
    answer = ask(gateway.url, conversation(first="x" * 4000), path="/v1/messages/count_tokens?beta=true")
    assert int(str(answer.json["input_tokens"])) > 1000


def test_templates_are_filled_in_texts_and_in_nested_inputs(gateway: Gateway) -> None:
    deep = {"edits": [{"path": "{{world}}/a"}], "n": 1}
    book = playbook(turn("in {{ home }}", ("T", deep)))
    gateway.open("token", ScriptedModel(book, {"world": "/w", "home": "/h"}))
    content = ask(gateway.url, conversation()).json["content"]
    assert isinstance(content, list)
    assert (content[0]["text"], content[1]["input"]) == ("in /h", {"edits": [{"path": "/w/a"}], "n": 1})


def test_an_unknown_template_variable_is_a_failure_that_names_it(gateway: Gateway) -> None:
    lane = gateway.open("token", ScriptedModel(playbook(turn("{{wordl}}")), {"world": "/w"}))
    assert ask(gateway.url, conversation()).error == (400, "invalid_request_error")
    assert lane.failure == "playbooks/test.yaml: unknown variable {{wordl}} (known: world)"


def test_a_playbook_that_runs_out_is_a_failure_never_a_silent_done(gateway: Gateway) -> None:
    lane = gateway.open("token", ScriptedModel(playbook(turn("one")), {}))
    ask(gateway.url, conversation())
    assert ask(gateway.url, conversation("one")).error == (400, "invalid_request_error")
    expected = "playbooks/test.yaml: the playbook has no turn 2 for the main conversation: it holds 1"
    assert lane.failure == expected


def test_a_request_of_an_unknown_conversation_is_a_failure(gateway: Gateway) -> None:
    lane = gateway.open("token", ScriptedModel(playbook(turn("one")), {}))
    ask(gateway.url, conversation())
    assert ask(gateway.url, conversation(first="name this session")).status == 400
    assert "no place for a request" in lane.failure and "name this session" in lane.failure


def test_a_subagent_has_a_counter_of_its_own(gateway: Gateway) -> None:
    play = Subplay(match="find it", turns=(turn("sub one"), turn("sub two")))
    gateway.open("token", ScriptedModel(playbook(turn("one"), turn("two"), subagents=(play,)), {}))
    ask(gateway.url, conversation())
    begun = ask(gateway.url, conversation(first="please find it"), headers=SUBAGENT)
    gone_on = ask(gateway.url, conversation("sub one", first="please find it"), headers=SUBAGENT)
    main = ask(gateway.url, conversation("one"))
    assert [text_of(a) for a in (begun, gone_on, main)] == ["sub one", "sub two", "two"]


def test_two_subagents_with_one_prompt_have_different_ids(gateway: Gateway) -> None:
    play = Subplay(match="", turns=(turn("", ("Bash", {"command": "ls"})),))
    gateway.open("token", ScriptedModel(playbook(turn("x"), subagents=(play,)), {}))
    ids = [
        ask(gateway.url, conversation(), headers=SUBAGENT | {"x-claude-code-agent-id": agent}).json["id"]
        for agent in ("a", "b", "a")
    ]
    assert ids == ["msg_s0n0_0", "msg_s0n1_0", "msg_s0n0_0"]


def test_a_failure_is_answered_as_often_as_it_says_then_the_turn_follows(gateway: Gateway) -> None:
    failure = ApiFailure(
        status=529, type="overloaded_error", message="busy", times=2, headers=(("retry-after", "0"),)
    )
    lane = gateway.open("token", ScriptedModel(playbook(Turn(failure=failure), turn("one")), {}))
    statuses = [ask(gateway.url, conversation()).status for _ in range(3)]
    assert statuses == [529, 529, 200]
    assert (lane.first_failure_status, lane.last_status, lane.retry_after_s) == (529, 200, 0.0)


def test_troubles_at_one_place_come_one_after_another(gateway: Gateway) -> None:
    troubles = [
        Turn(failure=ApiFailure(status=status, type="api_error", message="", times=times))
        for status, times in ((500, 2), (502, 1))
    ]
    gateway.open("token", ScriptedModel(playbook(*troubles, turn("one")), {}))
    assert [ask(gateway.url, conversation()).status for _ in range(4)] == [500, 500, 502, 200]


def test_a_failure_without_a_number_stays(gateway: Gateway) -> None:
    failure = ApiFailure(status=401, type="authentication_error", message="no")
    lane = gateway.open("token", ScriptedModel(playbook(Turn(failure=failure), turn("one")), {}))
    answers = [ask(gateway.url, conversation()) for _ in range(3)]
    assert [a.error for a in answers] == [(401, "authentication_error")] * 3
    assert lane.failure == ""


def test_a_reset_tears_the_connection_down(gateway: Gateway) -> None:
    gateway.open("token", ScriptedModel(playbook(Turn(fault="reset", fault_times=1), turn("one")), {}))
    with pytest.raises(ConnectionResetError):
        ask(gateway.url, conversation())
    assert text_of(ask(gateway.url, conversation())) == "one"


@pytest.mark.parametrize("stream", [True, False], ids=["events", "whole"])
def test_a_cut_answer_ends_in_the_middle(gateway: Gateway, stream: bool) -> None:
    gateway.open("token", ScriptedModel(playbook(Turn(text="a long story", fault="cut")), {}))
    with pytest.raises(http.client.IncompleteRead) as cut:
        ask(gateway.url, conversation(stream=stream))
    assert b"message" in cut.value.partial and b"message_stop" not in cut.value.partial


def test_malformed_events_are_not_json(gateway: Gateway) -> None:
    gateway.open("token", ScriptedModel(playbook(Turn(text="x", fault="malformed")), {}))
    with pytest.raises(json.JSONDecodeError):
        _ = ask(gateway.url, conversation(stream=True)).events


def test_a_body_that_is_not_json_is_an_api_error(gateway: Gateway) -> None:
    gateway.open("token", ScriptedModel(playbook(turn("one")), {}))
    assert ask(gateway.url, b"{nope").error == (400, "invalid_request_error")


def test_the_real_claude_plays_turns_tools_subagents_and_failures(gateway: Gateway, claude: Claude) -> None:
    agent = {"description": "d", "prompt": "DIG", "run_in_background": False}
    failure = ApiFailure(status=529, type="overloaded_error", message="busy", times=1)
    book = playbook(
        turn("first", ("Bash", {"command": "echo from-main"}), ("Agent", agent)),
        Turn(failure=failure),
        turn("last words"),
        subagents=(Subplay(match="DIG", turns=(turn("", ("Bash", {"command": "echo dug"})), turn("found"))),),
    )
    lane = gateway.open("token", ScriptedModel(book, {}))
    events = claude(gateway.url, "token", "the prompt")
    assert lane.failure == ""
    assert events[-1]["result"] == "last words"
    assert [e["error_status"] for e in events if e.get("subtype") == "api_retry"] == [529]
    assert lane.requests == 5
    assert "the prompt" in lane.first_request


def test_the_real_claude_ends_when_the_playbook_runs_out(gateway: Gateway, claude: Claude) -> None:
    lane = gateway.open("token", ScriptedModel(playbook(turn("", ("Bash", {"command": "true"}))), {}))
    events = claude(gateway.url, "token", "the prompt")
    assert (events[-1]["is_error"], events[-1]["api_error_status"]) == (True, 400)
    assert "no turn 2" in lane.failure
