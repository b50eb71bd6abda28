"""What a run of a skill's case or query is made of, kept with the results, and its cell made again from that."""

import hashlib
from pathlib import Path

from msgspec import Struct

from harness.engine.input_store import (
    MOST_BYTES,
    Missing,
    archive_of,
    check_digests,
    index_of,
    keep_files,
    read_index,
    unpack_tree,
    write_index,
)
from harness.engine.invocation import Invocation
from harness.engine.skill_tree import case_scenario, query_scenario, suite_of
from harness.errors import AuthoringError, UserError
from harness.loaders.case.load import read_case
from harness.model.case import ARMS, Case, Skill
from harness.model.cell import Arm, Cell
from harness.model.problem import Problem
from harness.model.scenario import SKILLS, CaseExpectation, Scenario, Suite
from harness.plan.digest import scenario_digest
from harness.results.archive import unpack
from harness.skills.suite import SkillsSuite, load_skills_suite
from harness.skills.trigger import load_triggers, trigger_path

QUERIES = "trigger_eval.json"


class KeptSkill(Struct, frozen=True, kw_only=True):
    """One case or query of a skill as it was."""

    skill: str
    """Its path below ``skills/``."""
    title: str
    scenario: str
    definition: str
    """Digest of the tree's settings with the case's folder, or with the file of queries."""


def keep_skill(cell: Cell, results: Path) -> None:
    """Keep the case or query; the skill itself is the caller's to keep, as each arm has another."""
    suite, scenario = cell.suite, cell.scenario
    index = index_of(results, _key(suite.name, scenario.id, cell.scenario_digest))
    if index.is_file():
        return
    skill = Skill(path=suite.name.removeprefix(SKILLS), folder=suite.plugin, title=suite.description)
    settings = suite.folder / "suite.yaml"
    files = [("tests/skills/suite.yaml", settings)] if settings.is_file() else []
    if isinstance(scenario.expect, CaseExpectation):
        files.append((_case_folder(skill.path, scenario.id), scenario.expect.case.path.parent))
    else:
        queries = trigger_path(suite.root, skill)
        files += [(QUERIES, queries)] if queries is not None else []
    definition = keep_files(files, results)
    kept = KeptSkill(skill=skill.path, title=skill.title, scenario=scenario.id, definition=definition)
    write_index(index, kept)


def skill_files(invocation: Invocation, results: Path) -> tuple[Path, ...] | Missing:
    """Every file of the store that the run needs."""
    kept = _read(invocation, results)
    if isinstance(kept, Missing):
        return kept
    digests = sorted({kept.definition, invocation.plugin_digest} - {""})
    files = (_index(invocation, results), *(archive_of(results, digest) for digest in digests))
    gone = next((f for f in files if not f.is_file()), None)
    return Missing(f"{gone} is not there") if gone is not None else files


def restore_skill(
    invocation: Invocation, results: Path, target: Path
) -> tuple[Suite, Scenario, Arm] | Missing:
    """The run's case or query and its arm, made again under ``target``.

    Raises UserError where what was kept does not make the run's scenario.
    """
    files, kept = skill_files(invocation, results), _read(invocation, results)
    if isinstance(files, Missing) or isinstance(kept, Missing):
        return files if isinstance(files, Missing) else kept if isinstance(kept, Missing) else Missing("")
    root, empty = target / "tree", target / "empty"
    for folder in (root, empty):
        folder.mkdir(parents=True)
    unpack(archive_of(results, kept.definition), root, most_bytes=MOST_BYTES)
    settings = load_skills_suite(root)
    skill = Skill(path=kept.skill, folder=root / "skills" / kept.skill, title=kept.title)
    suite = suite_of(skill, root, settings, skill.folder, [invocation.arm])
    scenario = _scenario(kept, suite, settings, invocation, empty)
    if scenario_digest(suite, scenario, invocation.model) != invocation.scenario_digest:
        raise UserError(f"{archive_of(results, kept.definition)} does not hold what its name says")
    return suite, scenario, _arm(invocation, skill, results, target)


def _scenario(
    kept: KeptSkill, suite: Suite, settings: SkillsSuite, invocation: Invocation, empty: Path
) -> Scenario:
    queries = suite.root / QUERIES
    if queries.is_file():
        numbered = enumerate(load_triggers(queries), 1)
        found = next(((n, q) for n, q in numbered if kept.scenario == f"trigger-{n:02d}"), None)
        if found is None:
            raise UserError(f"the kept queries of {kept.skill} have no {kept.scenario}")
        return query_scenario(found[1], found[0], suite, settings, invocation.model, empty)
    arm = next(name for name in ARMS if name == invocation.arm)
    return case_scenario(_case(kept, suite.root), suite, arm, invocation.model, empty)


def _case(kept: KeptSkill, root: Path) -> Case:
    problems: list[Problem] = []
    path = root / _case_folder(kept.skill, kept.scenario) / "case.md"
    case = read_case(path, f"{kept.skill}/{kept.scenario}", (), problems, committed=False)
    if case is None:
        raise AuthoringError(problems)
    return case


def _arm(invocation: Invocation, skill: Skill, results: Path, target: Path) -> Arm:
    digest = invocation.plugin_digest
    if not digest:
        return Arm(name=invocation.arm, plugin=None, plugin_digest="")
    place = target / "arm" / skill.name
    place.parent.mkdir(parents=True)
    unpack_tree(results, digest, place, target)
    return Arm(name=invocation.arm, plugin=None, plugin_digest=digest, skill=place)


def _read(invocation: Invocation, results: Path) -> KeptSkill | Missing:
    return read_index(_index(invocation, results), KeptSkill, lambda kept: _check(kept, invocation))


def _check(kept: KeptSkill, invocation: Invocation) -> None:
    """Raises ValueError where it cannot have been written by ``keep_skill``: it may come from a stranger."""
    check_digests(filter(None, (kept.definition, invocation.scenario_digest, invocation.plugin_digest)))
    if (
        any(part in ("", ".", "..") for part in (*kept.skill.split("/"), kept.scenario))
        or "/" in kept.scenario
    ):
        raise ValueError("a name is none")
    if (SKILLS + kept.skill, kept.scenario) != (invocation.suite, invocation.scenario):
        raise ValueError("it is of another scenario")
    if invocation.arm not in ARMS:
        raise ValueError(f"there is no arm {invocation.arm!r}")


def _index(invocation: Invocation, results: Path) -> Path:
    return index_of(results, _key(invocation.suite, invocation.scenario, invocation.scenario_digest))


def _key(suite: str, scenario: str, digest: str) -> str:
    """Two skills may have the same query, which makes one digest."""
    return hashlib.sha256(f"{suite}\0{scenario}\0{digest}".encode()).hexdigest()


def _case_folder(skill: str, case: str) -> str:
    return f"tests/skills/{skill}/{case}"
