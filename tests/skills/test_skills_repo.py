"""The example tree as its loaders see it; tests/engine/test_skills.py plays it."""

import shutil
from pathlib import Path

import pytest

from harness.errors import AuthoringError
from harness.judges.scripted import load_patterns, load_rules
from harness.model.case import ARMS, Skill
from harness.skills import discover, select
from harness.skills.suite import GRADER_RULES, JUDGE_RULES, case_playbook, playbook_names
from harness.skills.trigger import load_triggers, trigger_path

ROOT = Path(__file__).parents[2] / "fixtures" / "skills-repo"


@pytest.fixture(scope="module")
def skills() -> dict[str, Skill]:
    found = discover(ROOT)
    assert (found.problems, found.orphans, found.untested) == ((), (), ())
    return {s.name: s for s in found.skills}


def test_every_playbook_of_the_tree_can_be_read(skills: dict[str, Skill]) -> None:
    for skill in skills.values():
        for case in skill.cases:
            kinds = {case_playbook(case, "ideal", arm).kind for arm in ARMS}
            assert kinds == {"ideal"}
            load_rules(case.path.parent / "playbooks" / JUDGE_RULES)


def test_judges_are_no_playbooks(skills: dict[str, Skill]) -> None:
    case = skills["change-review"].cases[0]
    assert playbook_names(case) == {"ideal", "red-gate"}
    assert len(load_patterns(case.path.parent / "playbooks" / GRADER_RULES)) == len(case.criteria)


def test_its_trigger_cases_hold_both_kinds(skills: dict[str, Skill]) -> None:
    paths = [trigger_path(ROOT, skill) for skill in skills.values()]
    found = [load_triggers(path) for path in paths if path is not None]
    assert [{c.should_trigger for c in cases} for cases in found] == [{True, False}]


def test_a_case_without_playbooks_says_so(skills: dict[str, Skill], tmp_path: Path) -> None:
    copy = tmp_path / "repo"
    shutil.copytree(ROOT, copy)
    shutil.rmtree(copy / "tests/skills/settled-notes/moving-the-release/playbooks")
    case = select(discover(copy), "settled-notes")[0].cases[0]
    with pytest.raises(AuthoringError, match="write one"):
        case_playbook(case, "ideal", "new")
