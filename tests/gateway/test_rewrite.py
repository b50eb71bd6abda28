import itertools

import orjson
from hypothesis import given
from hypothesis import strategies as st

from harness.gateway.canonical import Moved
from harness.gateway.message import event
from harness.gateway.rewrite import rewrite_events

MOVED = Moved([("/old/world", "/new/place")])


def stream(kind: str, field: str, *pieces: str) -> str:
    deltas = [event("content_block_delta", {"index": 0, "delta": {"type": kind, field: p}}) for p in pieces]
    end = event("content_block_stop", {"index": 0})
    return b"".join([event("message_start", {}), *deltas, end]).decode()


def said(text: str, field: str) -> str:
    lines = [line.removeprefix("data: ") for line in text.split("\n") if line.startswith("data: ")]
    deltas = [e["delta"] for e in map(orjson.loads, lines) if "delta" in e]
    return "".join(delta.get(field, "") for delta in deltas)


@given(st.lists(st.integers(min_value=0, max_value=40), max_size=6))
def test_a_path_is_found_however_the_deltas_cut_it(cuts: list[int]) -> None:
    whole = '{"file_path":"/old/world/a.py","n":1}'
    places = [0, *sorted(cuts), len(whole)]
    pieces = [whole[a:b] for a, b in itertools.pairwise(places)]
    rewritten = rewrite_events(stream("input_json_delta", "partial_json", *pieces), MOVED)
    assert said(rewritten, "partial_json") == '{"file_path":"/new/place/a.py","n":1}'


def test_events_stay_in_order() -> None:
    rewritten = rewrite_events(stream("text_delta", "text", "in /old", "/world"), MOVED)
    assert rewritten == stream("text_delta", "text", "in /new/place")


def test_thinking_keeps_its_words() -> None:
    text = stream("thinking_delta", "thinking", "about /old/", "elsewhere")
    assert rewrite_events(text, MOVED) == text


def test_nothing_changes_where_nothing_moved() -> None:
    text = "not: events\n\nat all"
    assert rewrite_events(text, Moved([("/same", "/same")])) == text


def test_a_stream_that_was_cut_keeps_its_last_words() -> None:
    text = stream("text_delta", "text", "in /old", "/world").partition("event: content_block_stop")[0]
    assert said(rewrite_events(text, MOVED), "text") == "in /new/place"
