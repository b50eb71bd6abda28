"""What judges said of skills, read back from ``results/skills/``: the latest verdict of each skill and model."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import orjson
from msgspec import Struct

from harness.claude.fields import integer, items, mapping, text
from harness.results.folder import VERDICTS
from harness.scoring.win_rate import JudgedPair


class Compared(Struct, frozen=True, kw_only=True):
    """One pair that a judge compared without knowing which was which."""

    pair: str
    """``ARM/TRIAL`` of the arm that new was held against."""
    for_new: str
    """win, loss, tie or invalid."""
    reasoning: str


class JudgedCase(Struct, frozen=True, kw_only=True):
    case: str
    verdict: str
    reason: str
    vs_baseline: str
    vs_old: str
    comparisons: tuple[Compared, ...]
    arms: Mapping[str, str]
    """Run id to ``ARM/TRIAL``."""


class JudgedSkill(Struct, frozen=True, kw_only=True):
    skill: str
    model: str
    judge_model: str
    verdict: str
    recommendation: str
    reason: str
    cases: tuple[JudgedCase, ...]


def read_skills(results: Path) -> tuple[JudgedSkill, ...]:
    """Files that are not as harness writes them are passed over."""
    latest = {(made.skill, made.model): made for made in _all(results)}
    return tuple(latest[key] for key in sorted(latest))


def read_pairs(results: Path) -> Iterator[JudgedPair]:
    """Every pair of runs that was ever judged, oldest first."""
    for case in (case for made in _all(results) for case in made.cases):
        by_name = {name: run_id for run_id, name in case.arms.items()}
        for one in case.comparisons:
            new = by_name.get(f"new/{one.pair.partition('/')[2]}", "")
            yield JudgedPair(new=new, other=by_name.get(one.pair, ""), for_new=one.for_new)


def _all(results: Path) -> Iterator[JudgedSkill]:
    for path in sorted((results / VERDICTS).glob("*.json")):  # names begin with their time
        try:
            made = _skill(mapping(orjson.loads(path.read_bytes())))
        except (OSError, orjson.JSONDecodeError):
            continue
        if made.skill:
            yield made


def said_of(skills: tuple[JudgedSkill, ...], run_id: str) -> Iterator[tuple[JudgedCase, Compared]]:
    """The comparisons that a run took part in."""
    for case in (case for skill in skills for case in skill.cases):
        mine = case.arms.get(run_id, "")
        arm, _, trial = mine.partition("/")
        for one in case.comparisons:
            if mine and (one.pair == mine or (arm == "new" and one.pair.partition("/")[2] == trial)):
                yield case, one


def _skill(data: Mapping[str, object]) -> JudgedSkill:
    return JudgedSkill(
        skill=text(data.get("skill")),
        model=text(data.get("model")),
        judge_model=text(data.get("judge_model")),
        verdict=text(data.get("verdict")) or "n/a",
        recommendation=text(data.get("recommendation")),
        reason=text(data.get("reason")),
        cases=tuple(_case(mapping(item)) for item in items(data.get("cases"))),
    )


def _case(data: Mapping[str, object]) -> JudgedCase:
    return JudgedCase(
        case=text(data.get("case")),
        verdict=text(data.get("verdict")),
        reason=text(data.get("reason")),
        vs_baseline=_tally(data.get("vs_baseline")),
        vs_old=_tally(data.get("vs_old")),
        comparisons=tuple(
            _compared(name, mapping(made)) for name, made in mapping(data.get("comparisons")).items()
        ),
        arms={
            text(run.get("run_id")): f"{text(run.get('arm'))}/{integer(run.get('trial'))}"
            for run in map(mapping, items(data.get("runs")))
        },
    )


def _tally(value: object) -> str:
    found = mapping(value)
    if not found:
        return "–"
    wins, losses, ties = (integer(found.get(name)) for name in ("wins", "losses", "ties"))
    return f"{wins} won, {losses} lost, {ties} tied"


def _compared(pair: str, data: Mapping[str, object]) -> Compared:
    reasoning = text(mapping(data.get("comparison")).get("reasoning")) or text(data.get("invalid"))
    return Compared(pair=pair, for_new=text(data.get("for_new")), reasoning=reasoning)
