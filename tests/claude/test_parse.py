"""Any bytes become events, and what is odd about them is told, not raised."""

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness.claude.framing import Line
from harness.claude.hot import parse_hot
from harness.claude.parse import parse_line, parse_tolerantly
from harness.model.event import (
    ApiRetry,
    AssistantMessage,
    Compaction,
    Event,
    HookResponse,
    Init,
    Noise,
    OtherBlock,
    OtherSystem,
    Oversize,
    PermissionDenied,
    RateLimit,
    Result,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
    Unknown,
    UserMessage,
)
from tests.bugs import STREAMS, bug_stream, events_of

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=12,
)
KEYS = Path(__file__).with_name("field_names.txt").read_text(encoding="utf-8").split()
TYPES = ["user", "assistant", "system", "result", "rate_limit_event"]
SUBTYPES = ["init", "api_retry", "hook_started", "hook_response", "compact_boundary", "permission_denied"]
BLOCKS = ["tool_use", "tool_result", "text"]
anything = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
odd_events = st.recursive(
    json_values | st.sampled_from([*TYPES, *BLOCKS]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
    max_leaves=12,
)


def parse(data: bytes | str) -> tuple[Event, ...]:
    raw = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    return parse_line(Line(7, 0, raw, len(raw), True))


def parse_value(value: object) -> tuple[Event, ...]:
    return parse(json.dumps(value))


def assistant(content: object) -> tuple[Event, ...]:
    return parse_value({"type": "assistant", "message": {"id": "m1", "content": content}})


@anything
@given(st.binary())
def test_parsing_never_raises_on_any_bytes(data: bytes) -> None:
    parse(data)


@anything
@given(st.sampled_from(sorted(STREAMS.glob("*.jsonl"))), st.data())
def test_parsing_never_raises_on_damaged_recorded_lines(path: object, data: st.DataObject) -> None:
    lines = STREAMS.joinpath(str(path)).read_bytes().split(b"\n")
    line = bytearray(data.draw(st.sampled_from(lines))[:4000])
    for _ in range(data.draw(st.integers(1, 4))):
        line[data.draw(st.integers(0, len(line))) :][:1] = data.draw(st.binary(max_size=2))
        cut = data.draw(st.integers(0, len(line)))
        line = line[:cut] + data.draw(st.binary(max_size=3)) + line[cut + 1 :]
    parse(bytes(line))


@anything
@given(st.sampled_from(TYPES), st.dictionaries(st.sampled_from(KEYS), odd_events, max_size=10))
def test_parsing_never_raises_on_any_shape_of_any_field(kind: str, fields: dict[str, object]) -> None:
    parse_value({**fields, "type": kind})


@anything
@given(st.sampled_from(SUBTYPES), st.dictionaries(st.sampled_from(KEYS), odd_events, max_size=10))
def test_parsing_never_raises_on_any_shape_of_a_system_event(kind: str, fields: dict[str, object]) -> None:
    parse_value({**fields, "type": "system", "subtype": kind})


@pytest.mark.parametrize(
    "text",
    [
        "null",
        "42",
        '"text"',
        "true",
        "Now using node v22.0.0",
        "\x1b[33mwarning\x1b[0m",
        "{not json}",
        '{"a":1}{"b":2}',
    ],
)
def test_what_is_no_object_is_noise(text: str) -> None:
    (event,) = parse(text)
    assert isinstance(event, Noise)
    assert event.fault == "noise"


@pytest.mark.parametrize(
    "text", ["", "\r", "  ", "\ufeff", "\0\0"], ids=["empty", "cr", "blank", "bom", "nul"]
)
def test_a_blank_line_is_nothing(text: str) -> None:
    assert parse(text) == ()


@pytest.mark.parametrize(
    "line",
    ['\ufeff{"type":"new"}', '{"type":"new"}\r', '\0\0{"type":"new"}', '{"type":"new"} '],
    ids=["bom", "crlf", "nul-run", "blank"],
)
def test_marks_around_an_event_do_not_hide_it(line: str) -> None:
    assert parse(line) == (Unknown(index=7, type="new"),)


def test_a_raw_nul_inside_a_string_is_tolerated() -> None:
    (event,) = parse(b'{"type":"assistant","message":{"id":"m","content":"a\0b"}}')
    assert isinstance(event, AssistantMessage)
    assert event.blocks == (TextBlock(text="a\0b"),)


def test_invalid_utf8_is_replaced_and_told() -> None:
    event, noise = parse(b'{"type":"assistant","message":{"id":"m","content":"a\xff\xfeb"}}')
    assert isinstance(event, AssistantMessage)
    assert event.blocks == (TextBlock(text="a\ufffd\ufffdb"),)
    assert isinstance(noise, Noise)
    assert noise.fault == "utf8"


def test_a_replacement_character_that_was_written_is_no_fault() -> None:
    assert len(parse('{"type":"assistant","message":{"content":"a\ufffdb \\ud83d"}}')) == 1


def test_st22_a_lone_surrogate_becomes_text_that_can_be_written() -> None:
    events = events_of(bug_stream("ST22"))
    user, result = events[1], events[2]
    assert isinstance(user, UserMessage)
    assert isinstance(result, Result)
    assert user.blocks == (ToolResultBlock(tool_use_id="t1", text="cut \ufffd... here", is_error=True),)
    assert result.text.encode() == "tail \ufffd".encode()


def test_a_whole_pair_beside_a_lone_surrogate_survives() -> None:
    (event,) = parse(r'{"type":"assistant","message":{"content":"\ud83d\ude00 \ud83d"}}')
    assert isinstance(event, AssistantMessage)
    assert event.blocks == (TextBlock(text="\U0001f600 \ufffd"),)


def test_deep_nesting_is_noise() -> None:
    (event,) = parse("[" * 100_000)
    assert isinstance(event, Noise)


def test_not_a_number_does_not_raise() -> None:
    (event,) = parse('{"type":"result","subtype":"success","num_turns":NaN,"total_cost_usd":Infinity}')
    assert isinstance(event, Result)
    assert (event.num_turns, event.cost_usd) == (0, 0.0)


def test_an_array_is_unpacked_with_the_index_of_its_line() -> None:
    events = parse('[{"type":"new"},{"type":"newer"},3]')
    assert [type(event) for event in events] == [Unknown, Unknown, Noise]
    assert {event.index for event in events} == {7}


def test_st20_arrays_are_unpacked_and_scalars_are_ignored() -> None:
    kinds = [type(event) for event in events_of(bug_stream("ST20"))]
    assert kinds == [Noise, Noise, Noise, Init, Result]


def test_st19_text_between_the_lines_is_never_joined_with_them() -> None:
    kinds = [type(event) for event in events_of(bug_stream("ST19"))]
    assert kinds == [Noise, Noise, Init, Noise, Noise, Result]


def test_a_line_over_the_limit_is_named_and_not_loaded() -> None:
    assert parse_line(Line(3, 100, None, 200 << 20, True)) == (Oversize(index=3, offset=100, size=200 << 20),)


def test_st24_a_partial_message_is_an_unknown_event() -> None:
    kinds = [type(event) for event in events_of(bug_stream("ST24"))]
    assert kinds == [Init, Unknown, Unknown, Unknown, AssistantMessage, Result]


@pytest.mark.parametrize(
    ("content", "blocks", "odd"),
    [
        pytest.param("plain", (TextBlock(text="plain"),), 0, id="string"),
        pytest.param([], (), 0, id="empty"),
        pytest.param(["bare"], (TextBlock(text="bare"),), 0, id="string-in-list"),
        pytest.param([3], (OtherBlock(type=""),), 1, id="number-in-list"),
        pytest.param(None, (), 1, id="null"),
        pytest.param({"type": "text"}, (), 1, id="object"),
        pytest.param(
            [{"type": "thinking", "thinking": "x"}], (OtherBlock(type="thinking"),), 0, id="thinking"
        ),
        pytest.param([{"type": "text"}], (TextBlock(text=""),), 0, id="text-without-text"),
        pytest.param([{"type": 4}], (OtherBlock(type=""),), 0, id="type-is-number"),
    ],
)
def test_st09_content_of_any_shape(content: object, blocks: tuple[object, ...], odd: int) -> None:
    event, *noises = assistant(content)
    assert isinstance(event, AssistantMessage)
    assert event.blocks == blocks
    assert [getattr(noise, "fault", "") for noise in noises] == ["odd"] * odd


@pytest.mark.parametrize("message", [None, "text", [], 3], ids=["null", "string", "list", "number"])
def test_st09_a_message_that_is_no_object_is_an_empty_one(message: object) -> None:
    event, noise = parse_value({"type": "assistant", "message": message})
    assert isinstance(event, AssistantMessage)
    assert isinstance(noise, Noise)
    assert (event.blocks, noise.fault) == ((), "odd")


@pytest.mark.parametrize(
    "given_input", ['{"command":"ls"}', None, ["ls"], 3], ids=["string", "null", "list", "number"]
)
def test_nm12_an_input_that_is_no_object_is_marked_unreadable(given_input: object) -> None:
    event, noise = assistant([{"type": "tool_use", "id": "t1", "name": "Bash", "input": given_input}])
    assert isinstance(event, AssistantMessage)
    assert event.blocks == (ToolUseBlock(id="t1", name="Bash", input={}, readable=False),)
    assert isinstance(noise, Noise)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        pytest.param("flat", "flat", id="string"),
        pytest.param(
            [{"type": "text", "text": "a"}, {"type": "image"}, {"type": "text", "text": "b"}],
            "a\nb",
            id="list",
        ),
        pytest.param(["a", "b"], "a\nb", id="strings"),
        pytest.param(None, "", id="missing"),
        pytest.param({"a": 1}, "", id="object"),
    ],
)
def test_st10_a_tool_result_is_flattened_by_one_rule(content: object, text: str) -> None:
    block = {"type": "tool_result", "tool_use_id": "t1", "content": content}
    event = parse_value({"type": "user", "message": {"content": [block]}})[0]
    assert isinstance(event, UserMessage)
    assert event.blocks == (ToolResultBlock(tool_use_id="t1", text=text, is_error=False),)


@pytest.mark.parametrize(
    ("meta", "denied"),
    [
        pytest.param({"permission_decision": {"decision": "reject"}}, True, id="rejected"),
        pytest.param({"permission_decision": {"decision": "accept"}}, False, id="accepted"),
        pytest.param({"non_execution_kind": "permission-rule"}, True, id="rule"),
        pytest.param({"non_execution_kind": "automode-blocked"}, True, id="auto-mode"),
        pytest.param({"non_execution_kind": "user-rejected"}, False, id="cut-by-sigint"),
        pytest.param({"non_execution_kind": "interrupted"}, False, id="interrupted"),
        pytest.param({"permission_decision": None, "non_execution_kind": 3}, False, id="odd"),
    ],
)
def test_which_marks_on_a_tool_result_mean_denied(meta: dict[str, object], denied: bool) -> None:
    event = parse_value(
        {"type": "user", "tool_result_meta": [{"id": "t1", **meta}], "message": {"content": []}}
    )[0]
    assert isinstance(event, UserMessage)
    assert event.denied == ({"t1"} if denied else set())


@pytest.mark.parametrize(
    ("fields", "parent"),
    [
        pytest.param({"parent_tool_use_id": "t1"}, "t1", id="parent"),
        pytest.param({"parent_tool_use_id": None}, None, id="main"),
        pytest.param({}, None, id="none-told"),
        pytest.param({"isSidechain": True}, "sidechain", id="older"),
        pytest.param({"isSidechain": False}, None, id="older-main"),
    ],
)
def test_a_side_conversation_is_marked(fields: dict[str, object], parent: str | None) -> None:
    event = parse_value({"type": "assistant", "message": {"content": "x"}, **fields})[0]
    assert isinstance(event, AssistantMessage)
    assert event.parent_tool_use_id == parent


@pytest.mark.parametrize(
    ("fields", "is_error"),
    [
        pytest.param({"is_error": True, "subtype": "success"}, True, id="flag-wins"),
        pytest.param({"subtype": "success"}, False, id="success"),
        pytest.param({"subtype": "error_during_execution"}, True, id="error-subtype"),
        pytest.param({}, True, id="says-nothing"),
    ],
)
def test_whether_a_result_is_an_error(fields: dict[str, object], is_error: bool) -> None:
    (event,) = parse_value({"type": "result", **fields})
    assert isinstance(event, Result)
    assert event.is_error == is_error


def test_an_older_result_names_its_cost_otherwise() -> None:
    (event,) = parse_value({"type": "result", "subtype": "success", "cost_usd": 0.5, "is_error": False})
    assert isinstance(event, Result)
    assert event.cost_usd == 0.5


@pytest.mark.parametrize(
    ("error", "told"),
    [
        pytest.param("broken", "broken", id="string"),
        pytest.param({"plugin": "demo", "message": "bad json"}, "demo: bad json", id="object"),
        pytest.param({"strange": 1}, "{'strange': 1}", id="unknown-shape"),
    ],
)
def test_a_plugin_error_of_any_shape_is_kept(error: object, told: str) -> None:
    (event,) = parse_value({"type": "system", "subtype": "init", "plugin_errors": [error]})
    assert isinstance(event, Init)
    assert event.plugin_errors == (told,)


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        pytest.param({"type": "system", "subtype": "compact_boundary"}, Compaction, id="compaction"),
        pytest.param({"type": "system", "subtype": "api_retry"}, ApiRetry, id="retry"),
        pytest.param({"type": "system", "subtype": "permission_denied"}, PermissionDenied, id="denied"),
        pytest.param({"type": "system", "subtype": "tomorrow"}, OtherSystem, id="other-system"),
        pytest.param({"type": "system"}, OtherSystem, id="no-subtype"),
        pytest.param({"type": "rate_limit_event"}, RateLimit, id="rate-limit"),
        pytest.param({"type": "stream_event"}, Unknown, id="partial"),
        pytest.param({}, Unknown, id="no-type"),
        pytest.param({"type": ["system"]}, Unknown, id="type-is-list"),
    ],
)
def test_each_kind_of_event_is_known_by_its_type(data: dict[str, object], kind: type) -> None:
    assert [type(event) for event in parse_value(data)] == [kind]


def test_an_older_hook_response_has_its_output_under_another_key() -> None:
    (event,) = parse_value(
        {"type": "system", "subtype": "hook_response", "hook_name": "SessionStart:startup", "output": "ctx"}
    )
    assert isinstance(event, HookResponse)
    assert (event.hook_event, event.stdout) == ("SessionStart", "ctx")


def test_every_recorded_line_is_understood() -> None:
    for path in sorted(STREAMS.glob("*[a-z0-9].jsonl")):
        if not path.name.endswith(".session.jsonl"):
            odd = [e for e in events_of(path.read_bytes()) if isinstance(e, Noise | Unknown | Oversize)]
            assert (path.name, odd) == (path.name, [])


message_lines = st.builds(
    lambda kind, message, more: json.dumps(
        {"type": kind, "message": message, **more}, separators=(",", ":"), ensure_ascii=False
    ),
    st.sampled_from(["user", "assistant"]),
    st.dictionaries(st.sampled_from(KEYS), odd_events, max_size=5)
    | st.fixed_dictionaries(
        {"content": st.lists(st.dictionaries(st.sampled_from(KEYS), odd_events, max_size=5), max_size=3)}
    ),
    st.dictionaries(
        st.sampled_from([k for k in KEYS if k not in ("type", "message")]), odd_events, max_size=3
    ),
)


@anything
@given(message_lines)
def test_the_quick_reader_agrees_with_the_tolerant_one(line: str) -> None:
    data = line.encode("utf-8", "surrogatepass")
    quick = parse_hot(7, data)
    assert quick is None or (quick,) == parse_tolerantly(7, data)


@pytest.mark.parametrize("stream", sorted(STREAMS.glob("*.jsonl")), ids=lambda path: path.stem)
def test_both_readers_agree_on_what_the_real_cli_wrote(stream: Path) -> None:
    for data in stream.read_bytes().split(b"\n"):
        quick = parse_hot(0, data)
        assert quick is None or (quick,) == parse_tolerantly(0, data)


def test_the_quick_reader_takes_ordinary_messages() -> None:
    lines = (STREAMS / "tools.jsonl").read_bytes().split(b"\n") if (STREAMS / "tools.jsonl").exists() else []
    sample = lines or next(p for p in sorted(STREAMS.glob("*.jsonl"))).read_bytes().split(b"\n")
    messages = [x for x in sample if x.startswith((b'{"type":"user"', b'{"type":"assistant"'))]
    assert messages
    assert all(parse_hot(0, x) is not None for x in messages if b'"error"' not in x)
