"""Trigger cases: what counts as firing, and what leaves the denominator."""

from pathlib import Path

import orjson
import pytest

from harness.claude.transcript import read_transcript
from harness.errors import AuthoringError
from harness.skills.trigger import (
    How,
    TriggerCase,
    TriggerTrial,
    how_triggered,
    load_triggers,
    score_triggers,
)


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "trigger_eval.json"
    path.write_text(text, encoding="utf-8")
    return path


def test_queries_are_read_with_their_lines(tmp_path: Path) -> None:
    text = '[\n {"query": "review {this}", "should_trigger": true},\n\n {"query": "hi", "should_trigger": false}\n]'
    got = load_triggers(write(tmp_path, text))
    assert [(c.query, c.should_trigger, c.line) for c in got] == [
        ("review {this}", True, 2),
        ("hi", False, 4),
    ]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        pytest.param("[", "not JSON", id="broken"),
        pytest.param("{}", "must be a list", id="no-list"),
        pytest.param("[]", "not empty", id="empty"),
        pytest.param('[{"query": "a"}]', "needs should_trigger", id="missing"),
        pytest.param('[{"query": "a", "should_trigger": "yes"}]', "needs should_trigger", id="as-text"),
        pytest.param('[{"query": "a", "should_trigger": 1}]', "needs should_trigger", id="as-number"),
        pytest.param('[{"query": "", "should_trigger": true}]', "empty query", id="empty-query"),
        pytest.param('[{"query": "a", "should_trigger": true, "x": 1}]', "unknown field", id="unknown"),
        pytest.param("[3]", "must be an object", id="no-object"),
        pytest.param(
            '[{"query": "a", "should_trigger": true}, {"query": "a", "should_trigger": false}]',
            "stands there already",
            id="twice",
        ),
    ],
)
def test_a_mistake_is_told(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(AuthoringError, match=says):
        load_triggers(write(tmp_path, text))


def trials(*pairs: tuple[bool, How]) -> list[TriggerTrial]:
    return [TriggerTrial(case=TriggerCase(query="q", should_trigger=s, line=1), how=h) for s, h in pairs]


def test_rates_count_skill_calls_only() -> None:
    got = score_triggers(
        trials(
            (True, "skill"),
            (True, "skill"),
            (True, "none"),
            (False, "skill"),
            (False, "none"),
            (True, "read"),
        )
    )
    assert (got.precision, got.recall, got.n, got.by_read) == (2 / 3, 0.5, 6, 1)
    assert got.recall_interval is not None
    assert got.recall_interval.low < 0.5 < got.recall_interval.high


def test_failures_of_the_machinery_leave_the_denominator() -> None:
    got = score_triggers(trials((True, "skill"), (True, "invalid"), (False, "invalid"), (True, "slash")))
    assert (got.n, got.recall, got.invalid, got.by_slash) == (1, 1.0, 2, 1)


def test_nothing_to_count_is_no_rate() -> None:
    got = score_triggers(trials((True, "invalid")))
    assert (got.precision, got.recall, got.recall_interval) == (None, None, None)


INIT = {"type": "system", "subtype": "init", "session_id": "s", "cwd": "/w", "model": "m", "tools": ["Skill"]}
DONE = {"type": "result", "subtype": "success", "is_error": False, "num_turns": 2, "result": "ok"}
FAILED = {**DONE, "is_error": True, "terminal_reason": "api_error", "api_error_status": 529}


def call(name: str, **given: str) -> dict[str, object]:
    block = {"type": "tool_use", "id": "t1", "name": name, "input": given}
    message = {"id": "m1", "role": "assistant", "model": "m", "content": [block]}
    return {"type": "assistant", "message": message, "parent_tool_use_id": None}


def result(text: str, is_error: bool = False) -> dict[str, object]:
    block = {"type": "tool_result", "tool_use_id": "t1", "content": text, "is_error": is_error}
    return {"type": "user", "message": {"role": "user", "content": [block]}, "parent_tool_use_id": None}


@pytest.mark.parametrize(
    ("events", "query", "how"),
    [
        pytest.param([INIT, call("Skill", skill="team:change-review"), DONE], "q", "skill", id="skill"),
        pytest.param([INIT, call("Skill", command="change-review"), DONE], "q", "skill", id="older-key"),
        pytest.param([INIT, call("Skill", skill="other"), DONE], "q", "none", id="another-skill"),
        pytest.param([INIT, call("Skill", skill="my-change-review"), DONE], "q", "none", id="longer-name"),
        pytest.param([INIT, call("Bash", command="ls"), DONE], "q", "none", id="silent"),
        pytest.param(
            [INIT, call("Skill", skill="change-review"), FAILED], "q", "skill", id="fired-then-died"
        ),
        pytest.param(
            [INIT, call("Skill", skill="change-review"), result("Unknown skill", True), DONE],
            "q",
            "invalid",
            id="skill-was-not-there",
        ),
        pytest.param(
            [INIT, call("Read", file_path="/p/change-review/SKILL.md"), DONE], "q", "read", id="read"
        ),
        pytest.param(
            [INIT, call("Bash", command="cat x/change-review/SKILL.md"), DONE], "q", "read", id="bash"
        ),
        pytest.param([INIT, call("Bash", command="ls"), DONE], "/change-review a", "slash", id="slash"),
        pytest.param(
            [INIT, call("Skill", skill="change-review"), DONE], "/team:change-review", "slash", id="slash-2"
        ),
        pytest.param([INIT, call("Bash", command="ls"), FAILED], "q", "invalid", id="api-failure"),
        pytest.param([INIT, DONE], "q", "invalid", id="NM11-nothing-said"),
        pytest.param([INIT, call("Bash", command="ls")], "q", "invalid", id="NM11-no-result"),
        pytest.param([], "q", "invalid", id="NM11-empty-stream"),
    ],
)
def test_how_a_skill_came_in(tmp_path: Path, events: list[dict[str, object]], query: str, how: How) -> None:
    (tmp_path / "stream.jsonl").write_bytes(b"".join(orjson.dumps(e) + b"\n" for e in events))
    transcript = read_transcript(tmp_path / "stream.jsonl")
    assert how_triggered(transcript, ["team:change-review"], query) == how
