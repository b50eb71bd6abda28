"""Finished runs of skills to verdicts: the judges asked, what came of it kept as one file a skill."""

import re
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import orjson
from msgspec import Struct

from harness.claude.launch import is_scripted
from harness.engine.judging import Bench, comparator_for, grader_for
from harness.engine.skill_cell import TRIGGER
from harness.engine.skill_runs import arm_runs, cell_name
from harness.engine.skill_tree import Chosen
from harness.judges.grader import Grading, grade
from harness.model.case import Case, Skill
from harness.model.cell import Cell
from harness.model.outcome import Verdict
from harness.model.row import Row
from harness.model.scenario import SKILLS, TriggerExpectation
from harness.results.folder import VERDICTS
from harness.skills.evaluate import CaseOutcome, evaluate_case, secrets_for
from harness.skills.outcome import SkillOutcome, as_json
from harness.skills.suite import GRADER_RULES, JUDGE_RULES
from harness.skills.trigger import How, TriggerCase, TriggerTrial


class Finished(Struct, frozen=True, kw_only=True):
    """The cells of an evaluation with the rows that count for them."""

    cells: tuple[Cell, ...]
    rows: Mapping[str, Row]
    """By ``cell_name``."""
    results: Path

    def of(self, suite: str, model: str, kind: str) -> list[Cell]:
        wanted = (suite, model, kind)
        return [c for c in self.cells if (c.suite.name, c.model, c.scenario.kind) == wanted]


class Judging(Struct, frozen=True, kw_only=True):
    """How the runs are judged."""

    bench: Bench
    model: str
    """The judge's; a scripted arm has a scripted judge."""
    audit: bool
    grade: bool
    lanes: int


def skill_outcome(skill: Skill, model: str, found: Finished, chosen: Chosen, how: Judging) -> SkillOutcome:
    cells = found.of(SKILLS + skill.path, model, "skill-case")
    scripted = is_scripted(model)

    def outcome(case: Case) -> tuple[CaseOutcome, dict[str, Grading]]:
        own = [c for c in cells if c.scenario.id == case.name]
        rules = _beside(case, JUDGE_RULES) if scripted else None
        by = comparator_for(how.bench, model=how.model, rules=rules, audit=how.audit)
        runs = arm_runs(own, found.rows, found.results)
        made = evaluate_case(skill, case, runs, by=by, rule=chosen.settings.rule)
        return made, _gradings(skill, case, made, how, scripted) if how.grade else {}

    with ThreadPoolExecutor(max_workers=max(1, how.lanes)) as lanes:
        made = list(lanes.map(outcome, skill.cases))
    return SkillOutcome(
        skill=skill,
        model=model,
        judge_model="a scripted judge" if scripted else how.model,
        old=chosen.old,
        seeds=tuple(sorted({row.seed for c in cells if (row := found.rows.get(cell_name(c))) is not None})),
        rule=chosen.settings.rule,
        cases=tuple(case for case, _ in made),
        triggers=tuple(_trigger(c, found) for c in found.of(SKILLS + skill.path, model, "skill-trigger")),
        gradings={case.case: gradings for case, gradings in made if gradings},
    )


def _beside(case: Case, name: str) -> Path:
    return case.path.parent / "playbooks" / name


def _gradings(
    skill: Skill, case: Case, made: CaseOutcome, how: Judging, scripted: bool
) -> dict[str, Grading]:
    """The soft criteria of every valid run, each by itself."""
    rules = _beside(case, GRADER_RULES) if scripted else None
    ask, model = grader_for(how.bench, model=how.model, rules=rules)
    secrets = secrets_for(skill, made.runs)
    return {
        f"{run.arm}/{run.trial}": grade(
            [c.text for c in case.criteria], run.output, secrets, ask=ask, model=model, store=how.bench.store
        )
        for run in made.runs
        if not run.invalid
    }


def _trigger(cell: Cell, found: Finished) -> TriggerTrial:
    expect = cell.scenario.expect
    assert isinstance(expect, TriggerExpectation), "only queries are asked for"
    case = TriggerCase(query=cell.scenario.prompt, should_trigger=expect.should_trigger, line=0)
    row = found.rows.get(cell_name(cell))
    how: How = "invalid"
    if row is not None and row.pass_ != Verdict.INVALID:
        how = orjson.loads((found.results / "runs" / row.run_id / TRIGGER).read_bytes())["how"]
    return TriggerTrial(case=case, how=how)


def keep(outcomes: Sequence[SkillOutcome], results: Path) -> tuple[Path, ...]:
    """Write each as ``results/skills/<time>-<skill>-<model>.json``; returns the files."""
    now = datetime.now(UTC)
    folder = results / VERDICTS
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for outcome in outcomes:
        slug = re.sub(r"[^A-Za-z0-9._]+", "-", f"{outcome.skill.path}-{outcome.model}")
        path = folder / f"{now:%Y%m%dT%H%M%SZ}-{slug}.json"
        document = {**as_json(outcome), "made_at": f"{now:%Y-%m-%dT%H:%M:%SZ}"}
        path.write_bytes(orjson.dumps(document, option=orjson.OPT_INDENT_2) + b"\n")
        written.append(path)
    return tuple(written)
