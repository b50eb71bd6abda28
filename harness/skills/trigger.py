"""Trigger cases: does the skill fire when it should, and stay silent when it should not."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal

import orjson
from msgspec import Struct

from harness.errors import AuthoringError
from harness.model.case import Skill
from harness.model.problem import Problem
from harness.model.transcript import ToolCall, Transcript
from harness.stats import Interval, wilson

How = Literal["skill", "slash", "read", "none", "invalid"]
"""By a Skill call; by a slash command of the user; by opening its file; not at all; nobody can tell."""
FIELDS = {"query": str, "should_trigger": bool}


class TriggerCase(Struct, frozen=True, kw_only=True):
    query: str
    should_trigger: bool
    line: int


class TriggerTrial(Struct, frozen=True, kw_only=True):
    case: TriggerCase
    how: How


class TriggerScore(Struct, frozen=True, kw_only=True):
    """Counts of valid trials; a rate is None where its denominator is empty."""

    true_positive: int
    false_positive: int
    false_negative: int
    true_negative: int
    invalid: int
    by_slash: int
    """Trials where a slash command brought the skill in: the user's doing, counted apart from all rates."""
    by_read: int
    """Of the trials that count as silent: the skill's file was opened without a Skill call."""

    @property
    def n(self) -> int:
        return self.true_positive + self.false_positive + self.false_negative + self.true_negative

    @property
    def precision(self) -> float | None:
        return _rate(self.true_positive, self.true_positive + self.false_positive)

    @property
    def recall(self) -> float | None:
        return _rate(self.true_positive, self.true_positive + self.false_negative)

    @property
    def precision_interval(self) -> Interval | None:
        return wilson(self.true_positive, self.true_positive + self.false_positive)

    @property
    def recall_interval(self) -> Interval | None:
        return wilson(self.true_positive, self.true_positive + self.false_negative)


def _rate(k: int, n: int) -> float | None:
    return k / n if n else None


def trigger_path(root: Path, skill: Skill) -> Path | None:
    """Where a skill's trigger cases stand, beside its other cases; None where it has none."""
    path = root / "tests" / "skills" / skill.path / "trigger_eval.json"
    return path if path.is_file() else None


def load_triggers(path: Path) -> tuple[TriggerCase, ...]:
    """``trigger_eval.json``: a list of exactly query and should_trigger. Raises AuthoringError."""
    problems: list[Problem] = []

    def note(line: int, text: str) -> None:
        problems.append(Problem(path=path, line=line, text=text))

    try:
        text = path.read_text(encoding="utf-8-sig")
        data: object = orjson.loads(text)
    except (OSError, UnicodeDecodeError, orjson.JSONDecodeError) as error:
        raise AuthoringError(
            [Problem(path=path, line=getattr(error, "lineno", 1), text=f"is not JSON: {error}")]
        ) from None
    lines = _item_lines(text)
    made: list[TriggerCase] = []
    if not isinstance(data, list) or not data:
        note(1, "must be a list of {query, should_trigger}, and not empty")
    for place, item in enumerate(data if isinstance(data, list) else []):
        line = lines[place] if place < len(lines) else 1
        wrong = _wrong(item)
        for text in wrong:
            note(line, f"[{place}] {text}")
        if not wrong:
            made.append(TriggerCase(query=item["query"], should_trigger=item["should_trigger"], line=line))
    for place, case in enumerate(made):
        if case.query in [c.query for c in made[:place]]:
            note(case.line, "asks a query that stands there already")
    if problems:
        raise AuthoringError(problems)
    return tuple(made)


def _item_lines(text: str) -> list[int]:
    """Lines of the objects at the top level; text in quotes is passed over."""
    bare = re.sub(r'"(?:[^"\\]|\\.)*"', lambda m: "_" * len(m[0]), text)
    lines, depth = list[int](), 0
    for place, char in enumerate(bare):
        if char == "{" and depth == 1:
            lines.append(bare.count("\n", 0, place) + 1)
        depth += (char in "[{") - (char in "]}")
    return lines


def _wrong(item: object) -> list[str]:
    if not isinstance(item, dict):
        return ["must be an object with query and should_trigger"]
    found = [f"has the unknown field {key!r}" for key in item if key not in FIELDS]
    for name, kind in FIELDS.items():
        if not isinstance(item.get(name), kind):
            found.append(f"needs {name}, {'true or false' if kind is bool else 'a text'}")
    if item.get("query") == "":
        found.append("has an empty query")
    return found


def _asks_for(call: ToolCall, names: frozenset[str]) -> bool:
    asked = call.input.get("skill") or call.input.get("command") or call.input.get("name")
    bare = str(asked).lstrip("/").split(" ")[0]
    return call.tool == "Skill" and (bare in names or bare.rpartition(":")[2] in names)


def _opens(call: ToolCall, names: frozenset[str]) -> bool:
    if call.tool not in ("Read", "Bash"):
        return False
    text = str(call.input.get("file_path") or call.input.get("command") or "")
    return any(re.search(rf"(?:^|[\s/'\"=]){re.escape(n)}/SKILL\.md\b", text) for n in names)


def how_triggered(transcript: Transcript, names: Iterable[str], query: str) -> How:
    """How the skill came in. A run that an API error or a missing result cut short tells nothing.

    A denied Skill call is an attempt, so it fired; a failed one means that the arm did not have the skill.
    """
    wanted = frozenset(n.rpartition(":")[2] for n in names)
    result = transcript.result
    calls = [c for c in transcript.calls if _asks_for(c, wanted)]
    if any(c.failed and not c.denied for c in calls):
        return "invalid"
    if query.lstrip().startswith("/") and query.lstrip(" /").split(" ")[0].rpartition(":")[2] in wanted:
        return "slash"
    if calls:
        return "skill"
    if transcript.init is None or result is None or not transcript.assistant_messages:
        return "invalid"
    if (
        result.api_error_status is not None
        or result.terminal_reason == "api_error"
        or transcript.synthetic_error
    ):
        return "invalid"
    return "read" if any(_opens(c, wanted) for c in transcript.calls) else "none"


def score_triggers(trials: Sequence[TriggerTrial]) -> TriggerScore:
    """Only a Skill call is firing; what is invalid or was the user's own doing leaves every denominator."""
    judged = [(t.case.should_trigger, t.how == "skill") for t in trials if t.how not in ("invalid", "slash")]
    return TriggerScore(
        true_positive=judged.count((True, True)),
        false_positive=judged.count((False, True)),
        false_negative=judged.count((True, False)),
        true_negative=judged.count((False, False)),
        invalid=sum(t.how == "invalid" for t in trials),
        by_slash=sum(t.how == "slash" for t in trials),
        by_read=sum(t.how == "read" for t in trials),
    )
