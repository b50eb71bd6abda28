"""One rule for what a judge's reply says: exactly one object that fits to the letter, or nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.judges.comparator import COMPARISON_SCHEMA
from harness.judges.reply import parse_reply
from harness.judges.schema import TEXT, record
from harness.model.judge import JudgeReply, Refusal

GOOD = '{"preferred": "A", "confidence": 0.7, "reasoning": "a.py:3 is right"}'
VALUE = {"preferred": "A", "confidence": 0.7, "reasoning": "a.py:3 is right"}
SCORE = record({"score": {"type": "integer"}, "reason": TEXT})


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(GOOD, id="bare"),
        pytest.param(f"```json\n{GOOD}\n```", id="JD01-fenced"),
        pytest.param(f"Here is my verdict:\n```json\n{GOOD}\n```\nThanks.", id="JD01-fenced-in-prose"),
        pytest.param(f"I weighed both. {GOOD} That is all.", id="prose-around"),
        pytest.param(f"{GOOD}\n{GOOD}", id="the-same-twice"),
    ],
)
def test_an_unambiguous_reply_is_accepted(raw: str) -> None:
    assert parse_reply(raw, COMPARISON_SCHEMA) == VALUE


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        pytest.param("", "empty", id="empty"),
        pytest.param(" \n", "empty", id="blank"),
        pytest.param("I cannot judge this.", "no JSON object", id="refusal"),
        pytest.param("A is better, PASS, 0.9", "no JSON object", id="prose"),
        pytest.param(GOOD[:-5], "cut off", id="cut-off-in-text"),
        pytest.param('{"preferred": "A",', "cut off", id="cut-off"),
        pytest.param(f"{GOOD}\n{GOOD.replace('A', 'B')}", "2 different objects", id="two-objects"),
        pytest.param(f"{{draft}} {GOOD}", "not valid JSON", id="stray-brace"),
        pytest.param(GOOD.replace("}", ', "score": 1}'), "too many", id="JD04-extra-field"),
        pytest.param(
            '{"preferred": "A", "confidence": 0.7}', "reasoning is missing", id="JD04-missing-field"
        ),
        pytest.param(GOOD.replace("preferred", "preferred "), "missing", id="JD04-renamed-field"),
        pytest.param(GOOD.replace('"A"', '"A", "preferred": "B"'), "twice", id="JD04-doubled-field"),
        pytest.param(GOOD.replace("0.7", '"0.9"'), "type number", id="number-as-text"),
        pytest.param(GOOD.replace("0.7", "NaN"), "NaN", id="nan"),
        pytest.param(GOOD.replace("0.7", "1e999"), "type number", id="infinity"),
        pytest.param(GOOD.replace("0.7", "1.5"), "between 0 and 1", id="too-large"),
        pytest.param(GOOD.replace("0.7", "-0.1"), "between 0 and 1", id="too-small"),
        pytest.param(GOOD.replace("0.7", "true"), "type number", id="bool-as-number"),
        pytest.param(GOOD.replace('"A"', '"a"'), "one of A, B, TIE", id="lower-case"),
        pytest.param(GOOD.replace('"A"', "true"), "type string", id="bool-as-preferred"),
        pytest.param(GOOD.replace('"A"', '"N/A"'), "one of A, B, TIE", id="JD07-not-applicable"),
        pytest.param(GOOD.replace('"a.py:3 is right"', '" "'), "empty", id="no-reasoning"),
        pytest.param("[]", "no JSON object", id="list"),
        pytest.param("{}", "missing", id="no-fields"),
        pytest.param('{"a":' * 100_000, "nested", id="very-deep"),
    ],
)
def test_every_other_reply_is_invalid_with_a_reason(raw: str, says: str) -> None:
    got = parse_reply(raw, COMPARISON_SCHEMA)
    assert isinstance(got, Refusal)
    assert says in got.reason


def test_jd01_a_fenced_score_is_read() -> None:
    raw = 'Here is my verdict:\n```json\n{"score": 4, "reason": "ok"}\n```\nThanks.'
    assert parse_reply(raw, SCORE) == {"score": 4, "reason": "ok"}


def test_jd03_a_draft_is_never_taken_for_the_answer() -> None:
    raw = "Draft: {\"score\": 5}. On reflection, final answer: {'score': 1, 'reason': 'no ADR read',}"
    lax = {"type": "object", "properties": {"score": {"type": "integer"}}, "required": ["score"]}
    assert isinstance(parse_reply(raw, lax), Refusal)


def test_jd11_an_object_quoted_from_the_material_is_no_answer() -> None:
    material = f"the agent wrote: {GOOD}"
    got = parse_reply(f"It says {GOOD.replace(', ', ',  ')}", COMPARISON_SCHEMA, material=[material])
    assert isinstance(got, Refusal)
    assert "quotation" in got.reason


def test_what_the_cli_checked_is_checked_again() -> None:
    reply = JudgeReply(raw="", structured={"preferred": "a", "confidence": 1, "reasoning": "x"})
    assert isinstance(parse_reply(reply, COMPARISON_SCHEMA), Refusal)


def test_an_outage_is_not_to_be_repaired() -> None:
    got = parse_reply(JudgeReply(raw=GOOD, outage="429"), COMPARISON_SCHEMA)
    assert got == Refusal(reason="no judge answered: 429", breach=False)


@given(st.text())
def test_parsing_never_raises(raw: str) -> None:
    parse_reply(raw, COMPARISON_SCHEMA)


@given(st.text(alphabet=st.characters(exclude_characters="{}")), st.text(alphabet="ab \n`*"))
def test_prose_without_braces_never_changes_the_answer(before: str, after: str) -> None:
    assert parse_reply(f"{before}{GOOD}{after}", COMPARISON_SCHEMA) == VALUE
