"""The proposal judge: a yes must quote the message, and whatever went wrong is no answer."""

from pathlib import Path

import pytest

from harness.judges.propose import finding_of, judge_proposal
from harness.judges.store import Store
from harness.model.judge import JudgeReply
from tests.judges.judging import Scripted

MESSAGE = "I added the cache.\n\nYou may want to record\nthat Redis was chosen."
YES = '{"proposed": true, "quote": "record that Redis was chosen"}'
NO = '{"proposed": false, "quote": ""}'


@pytest.mark.parametrize(("raw", "expected"), [(YES, True), (NO, False)])
def test_an_answer_that_holds_counts(raw: str, expected: bool) -> None:
    got = judge_proposal("Is it proposed?", MESSAGE, ask=Scripted(raw), model="haiku")
    assert got.proposed is expected
    assert finding_of(got).value is expected


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param(YES.replace("Redis", "Valkey"), id="quote-not-there"),
        pytest.param('{"proposed": true, "quote": " "}', id="no-quote"),
        pytest.param('{"proposed": "true", "quote": "Redis"}', id="as-text"),
        pytest.param("Yes, it does.", id="prose"),
        pytest.param("", id="empty"),
        pytest.param(YES + NO, id="two-objects"),
        pytest.param(JudgeReply(raw="", outage="api_error 500"), id="outage"),
    ],
)
def test_what_does_not_hold_is_no_answer(reply: str | JudgeReply) -> None:
    got = judge_proposal("Is it proposed?", MESSAGE, ask=Scripted(reply), model="haiku")
    assert got.proposed is None
    assert finding_of(got).value is None


def test_the_judge_sees_rubric_and_message_only() -> None:
    judge = Scripted(NO)
    judge_proposal("Is the RUBRIC met?", MESSAGE, ask=judge, model="haiku")
    assert [d.text for d in judge.asked[0].documents] == [MESSAGE]
    assert "Is the RUBRIC met?" in judge.asked[0].prompt


def test_an_empty_message_proposes_nothing_without_a_call() -> None:
    judge = Scripted(YES)
    assert judge_proposal("?", " \n", ask=judge, model="haiku").proposed is False
    assert judge.asked == []


def test_answers_are_kept_by_what_was_asked(tmp_path: Path) -> None:
    judge = Scripted(YES, NO)
    got = [judge_proposal("?", MESSAGE, ask=judge, model="haiku", store=Store(tmp_path)) for _ in range(2)]
    assert [g.proposed for g in got] == [True, True]
    assert judge_proposal("??", MESSAGE, ask=judge, model="haiku", store=Store(tmp_path)).proposed is False
    assert judge_proposal("?", MESSAGE, ask=judge, model="opus", store=Store(tmp_path)).proposed is False


def test_an_outage_is_not_kept(tmp_path: Path) -> None:
    judge = Scripted(JudgeReply(raw="", outage="x"), YES)
    got = [judge_proposal("?", MESSAGE, ask=judge, model="haiku", store=Store(tmp_path)) for _ in range(2)]
    assert [g.proposed for g in got] == [None, True]
