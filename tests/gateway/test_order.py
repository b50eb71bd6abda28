from collections.abc import Sequence

import pytest

from harness.gateway.order import QUIET_S, order_of
from harness.gateway.wire import Recorded

CALL = '{"type":"tool_use","id":"toolu_b","name":"Bash"}'
LAUNCH = '{"type":"tool_use","id":"toolu_x","name":"Agent"}'


def told(task: str, call: str) -> str:
    ids = f"<task-id>{task}</task-id><tool-use-id>{call}</tool-use-id>"
    return f"[SYSTEM NOTIFICATION]<task-notification>{ids}</task-notification>"


def kept(n: int, at: int, end: int, *said: str, agent: str = "", answer: str = "words") -> Recorded:
    """``said``: one message each."""
    return Recorded(
        n=n,
        at_ms=at,
        method="POST",
        path="/v1/messages",
        headers={"x-claude-code-agent-id": agent} if agent else {},
        body={"messages": [{"role": "user", "content": text} for text in said]},
        status=200,
        response_headers={},
        chunks=((end - at, answer),),
        ended="complete",
    )


RACE = (
    kept(1, 0, 1, "go", answer=LAUNCH),
    kept(2, 10, 11, "go", answer=CALL),
    kept(3, 12, 13, "dig", agent="x", answer=CALL),
    kept(4, 40, 41, "dig", "found", agent="x"),
    kept(5, 60, 61, "go", told("x", "toolu_x")),
)
"""The main conversation's command was on when the subagent ended."""


def ends(exchanges: Sequence[Recorded]) -> list[int]:
    """The numbers in the order in which they are to end."""
    found = order_of(exchanges).ends
    return sorted(found, key=lambda n: found[n])


def test_an_answer_whose_tools_may_outrun_a_subagent_waits_for_its_end() -> None:
    assert ends(RACE) == [1, 3, 4, 2, 5]


def test_what_claude_then_tells_is_waited_for_too() -> None:
    assert order_of(RACE).told == {4: ("toolu_x", 1)}


def test_a_notice_told_before_is_none_again() -> None:
    again = kept(6, 80, 81, "go", told("x", "toolu_x"), "more")
    assert order_of((*RACE, again)).told == {4: ("toolu_x", 1)}


def test_a_subagent_does_not_end_before_the_request_that_does_not_tell_it() -> None:
    exchanges = (
        *RACE[:3],
        kept(4, 40, 41, "dig", "found", agent="x"),
        kept(5, 45, 46, "go", "one", answer=CALL),
        kept(6, 60, 61, "go", "one", told("x", "toolu_x")),
    )
    order = order_of(exchanges)
    assert order.begins[5] < order.ends[4] < order.ends[5]


def test_what_came_of_an_answer_moves_with_it() -> None:
    exchanges = (
        kept(1, 0, 1, "go", answer=LAUNCH),
        kept(2, 10, 30, "dig", agent="x"),
        kept(3, 12, 13, "go", "one", answer=LAUNCH),
        kept(4, 20, 21, "look", agent="y"),
        kept(5, 60, 61, "go", "one", told("x", "toolu_x")),
    )
    order = order_of(exchanges)
    assert order.ends[2] < order.ends[3] < order.begins[4] < order.ends[4] < order.begins[5]


def test_what_began_while_its_cause_was_still_on_its_way_begins_after_it() -> None:
    """Claude carries out a call as soon as it is there, and the answer goes on."""
    exchanges = (
        kept(1, 0, 50, "go", answer=LAUNCH),
        kept(2, 30, 40, "dig", agent="x"),
        kept(3, 60, 70, "go", "one"),
    )
    order = order_of(exchanges)
    assert order.ends[1] < order.begins[2] < order.ends[2] < order.begins[3]


def test_subagents_end_in_the_order_in_which_they_are_told() -> None:
    exchanges = (
        kept(1, 0, 1, "go", answer=LAUNCH),
        kept(2, 10, 11, "go", answer=CALL),
        kept(3, 20, 21, "dig", agent="x"),
        kept(4, 20, 22, "look", agent="y"),
        kept(5, 60, 61, "go", told("y", "toolu_y") + told("x", "toolu_x")),
    )
    assert ends(exchanges) == [1, 4, 3, 2, 5]


def test_a_conversation_at_its_end_has_come_to_rest_before_it_is_told() -> None:
    exchanges = (RACE[0], kept(2, 10, 11, "go"), RACE[2], kept(4, 900, 901, "dig", agent="x"), RACE[4])
    order = order_of((*exchanges[:4], kept(5, 950, 951, "go", told("x", "toolu_x"))))
    assert (order.rests, ends(exchanges[:4])) == ({4: (2, QUIET_S)}, [1, 2, 3, 4])


def test_the_end_of_a_command_is_waited_for_no_longer_than_it_took() -> None:
    exchanges = (
        kept(1, 0, 1, "go", answer='{"type":"tool_use","id":"toolu_c","name":"Bash"}'),
        kept(2, 10, 400, "go", "one", answer=CALL),
        kept(3, 410, 800, "go", "one", "two", answer=CALL),
        kept(4, 900, 901, "go", "one", "two", "three" + told("c0mmand", "toolu_c")),
    )
    (wanted,) = order_of(exchanges).waits[3]
    assert (wanted.call, wanted.count, wanted.since, wanted.within_s) == ("toolu_c", 1, 1, 0.899)


@pytest.mark.parametrize("answer", ["words", CALL.replace("toolu_b", "toolu_c")], ids=["rests", "its-own"])
def test_no_answer_waits_for_a_command_that_cannot_end_before(answer: str) -> None:
    exchanges = (
        kept(1, 0, 1, "go", answer=LAUNCH),
        kept(2, 10, 11, "go", "one", answer=answer),
        kept(3, 900, 901, "go", "one", "two" + told("c0mmand", "toolu_c")),
    )
    assert order_of(exchanges).waits == {}


def test_one_conversation_keeps_its_times() -> None:
    exchanges = [kept(n, n * 10, n * 10 + 5, *["x"] * n) for n in (1, 2, 3)]
    order = order_of(exchanges)
    assert (order.begins, order.ends) == ({1: 10, 2: 20, 3: 30}, {1: 15, 2: 25, 3: 35})


def test_a_body_that_is_no_request_is_passed_over() -> None:
    odd = kept(1, 0, 1)
    assert order_of([odd]).ends == {1: 1}
