"""A tree of skills as cells: what was asked for, found, checked, and multiplied by arms, models and trials."""

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from harness.claude.launch import is_scripted
from harness.errors import AuthoringError, UserError
from harness.loaders.case.tree import discover, select
from harness.model.case import ArmName, Case, Discovery, Skill
from harness.model.cell import Arm, Cell
from harness.model.problem import Problem
from harness.model.scenario import (
    SKILLS,
    CaseExpectation,
    ConsultRule,
    JailRule,
    Kind,
    Limits,
    Playbook,
    Scenario,
    Suite,
    ToolUse,
    TriggerExpectation,
    Turn,
)
from harness.plan.digest import scenario_digest
from harness.plan.expand import MODELS
from harness.skills.arms import SkillArm, prepare_arms
from harness.skills.gate import Wrap, missing_commands
from harness.skills.suite import SkillsSuite, case_playbook, load_skills_suite, playbook_names
from harness.skills.trigger import TriggerCase, load_triggers, trigger_path

STAND_INS = ("ideal", "silent", "eager")
"""How a scripted model can take the queries of ``trigger_eval.json``: as it should, never, or always with the skill."""


class Chosen(Struct, frozen=True, kw_only=True):
    """What of a tree is to be evaluated."""

    root: Path
    found: Discovery
    settings: SkillsSuite
    skills: tuple[Skill, ...]
    """With the cases asked for."""
    triggers: Mapping[str, tuple[TriggerCase, ...]]
    """By skill path."""
    old: str | None


def choose(root: Path, *, skill: str | None, cases: Sequence[str], old: str | None) -> Chosen:
    """Raises AuthoringError for every mistake in the tree, UserError where nothing is left to run."""
    found = discover(root)
    if found.problems:
        raise AuthoringError(found.problems)
    settings = load_skills_suite(root)
    skills = select(found, skill) if skill is not None else found.skills
    if cases:
        skills = tuple(replace(s, cases=tuple(c for c in s.cases if _wanted(c, cases))) for s in skills)
    triggers = {} if cases else _triggers(root, skills)
    if not any(s.cases for s in skills) and not triggers:
        there = ", ".join(c.id for s in found.skills for c in s.cases) or "none"
        raise UserError(f"nothing to run: no case matches; there are: {there}")
    return Chosen(
        root=root, found=found, settings=settings, skills=skills, triggers=triggers, old=old or settings.old
    )


def _wanted(case: Case, globs: Sequence[str]) -> bool:
    return any(fnmatchcase(name, glob) for glob in globs for name in (case.name, case.id))


def _triggers(root: Path, skills: Sequence[Skill]) -> dict[str, tuple[TriggerCase, ...]]:
    paths = {s.path: trigger_path(root, s) for s in skills}
    return {skill: load_triggers(path) for skill, path in paths.items() if path is not None}


def check_commands(chosen: Chosen, wrap: Wrap | None) -> None:
    """Raises AuthoringError for assertions that name a command which is not there where the gate runs."""
    problems = [
        Problem(path=case.path, line=line, text=f"names a command that is not there: {', '.join(names)}")
        for skill in chosen.skills
        for case in skill.cases
        for line, names in missing_commands(case.assertions, wrap=wrap).items()
    ]
    if problems:
        raise AuthoringError(problems)


def skill_cells(chosen: Chosen, *, models: Sequence[str], trials: int, room: Path) -> tuple[Cell, ...]:
    """Every cell, by skill, case, arm, model and trial. ``room``: a new folder that must outlast the runs."""
    _check_models(models, chosen)
    empty = room / "empty"
    empty.mkdir(parents=True)
    cells: list[Cell] = []
    for number, skill in enumerate(chosen.skills):
        if not skill.cases and skill.path not in chosen.triggers:
            continue
        arms = prepare_arms(skill, chosen.root, chosen.old, room / f"skill-{number}")
        suite = suite_of(
            skill, chosen.root, chosen.settings, _folder_of(skill, chosen.root, arms), [a.name for a in arms]
        )
        for case in skill.cases:
            for arm in arms:
                for model in models:
                    scenario = case_scenario(case, suite, arm.name, model, empty)
                    cells += _trials(suite, scenario, arm, model, trials)
        for place, query in enumerate(chosen.triggers.get(skill.path, ()), 1):
            for model in models:
                scenario = query_scenario(query, place, suite, chosen.settings, model, empty)
                cells += _trials(suite, scenario, arms[-1], model, trials)
    return tuple(cells)


def _check_models(models: Sequence[str], chosen: Chosen) -> None:
    for model in models:
        kind, colon, name = model.partition(":")
        if not colon and model not in MODELS and not model.startswith("claude-"):
            raise UserError(
                f"there is no model {model!r}; give {', '.join(MODELS)}, a full id (claude-…) or scripted:NAME"
            )
        if colon and kind != "scripted":
            raise UserError(f"there is no kind of model {kind!r}; only scripted:NAME has a colon")
        known = {*STAND_INS, *(n for s in chosen.skills for c in s.cases for n in playbook_names(c))}
        if colon and name not in known:
            raise UserError(f"no case has a playbook {name!r}; there are: {', '.join(sorted(known))}")


def _folder_of(skill: Skill, root: Path, arms: Sequence[SkillArm]) -> Path:
    """A copy, where the tree itself is the skill: the folder's name is then not the skill's."""
    return skill.folder if skill.folder != root else arms[-1].skill or skill.folder


def suite_of(skill: Skill, root: Path, settings: SkillsSuite, plugin: Path, arms: Sequence[str]) -> Suite:
    """``plugin``: a folder that is called as the skill is."""
    return Suite(
        name=SKILLS + skill.path,
        description=skill.title,
        folder=root / "tests" / "skills",
        root=root,
        plugin=plugin,
        held_out=False,
        consult=ConsultRule(skills=(), commands=(), paths=()),
        hook=None,
        adr_dir="",
        arms=tuple(arms),
        limits=settings.limits,
        never_say=(),
        playbook_kinds=(),
        allowed_tools=settings.allowed_tools,
        permission_mode=settings.permission_mode,
        env={},
        jail=JailRule(),
        requires=(),
        lines={},
        scenarios=(),
    )


def case_scenario(case: Case, suite: Suite, arm: ArmName, model: str, empty: Path) -> Scenario:
    name = model.partition(":")[2]
    playbooks = {name: case_playbook(case, name, arm)} if is_scripted(model) else {}
    return _scenario(
        case.name,
        "skill-case",
        case.description,
        folder=case.path.parent,
        fixture=case.fixture or empty,
        prompt=case.prompt,
        expect=CaseExpectation(case=case),
        limits=suite.limits,
        playbooks=playbooks,
    )


def query_scenario(
    query: TriggerCase, place: int, suite: Suite, settings: SkillsSuite, model: str, empty: Path
) -> Scenario:
    turns = settings.trigger_turns
    most = min(turns, suite.limits.max_turns or turns)
    name = model.partition(":")[2]
    playbooks = {name: _stand_in(name, query)} if is_scripted(model) else {}
    return _scenario(
        f"trigger-{place:02d}",
        "skill-trigger",
        query.query,
        folder=suite.folder,
        fixture=empty,
        prompt=query.query,
        expect=TriggerExpectation(should_trigger=query.should_trigger),
        limits=replace(suite.limits, max_turns=most),
        playbooks=playbooks,
    )


def _scenario(
    name: str,
    kind: Kind,
    title: str,
    *,
    folder: Path,
    fixture: Path,
    prompt: str,
    expect: CaseExpectation | TriggerExpectation,
    limits: Limits,
    playbooks: Mapping[str, Playbook],
) -> Scenario:
    return Scenario(
        id=name,
        title=title,
        kind=kind,
        held_out=False,
        tags=(),
        folder=folder,
        fixture=fixture,
        prompt=prompt,
        expect=expect,
        limits=limits,
        graph=None,
        never_say=(),
        playbooks=playbooks,
        lines={},
    )


def _stand_in(name: str, query: TriggerCase) -> Playbook:
    """A scripted model's way with a query; a name that only cases know plays it as it should be."""
    fires = name == "eager" or (name != "silent" and query.should_trigger)
    call = Turn(tools=(ToolUse(name="Skill", input={"skill": "{{skill}}"}),))
    turns = (*((call,) if fires else ()), Turn(text="Done."))
    return Playbook(name=name, kind=name, note="", path=Path("trigger_eval.json"), turns=turns)


def _trials(suite: Suite, scenario: Scenario, arm: SkillArm, model: str, trials: int) -> list[Cell]:
    made = Arm(name=arm.name, plugin=None, plugin_digest=arm.digest, skill=arm.skill)
    digest = scenario_digest(suite, scenario, model)
    return [
        Cell(suite=suite, scenario=scenario, arm=made, model=model, trial=t, scenario_digest=digest)
        for t in range(1, trials + 1)
    ]
