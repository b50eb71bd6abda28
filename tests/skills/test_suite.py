"""suite.yaml of a tree of skills, and the playbooks of its cases."""

from pathlib import Path

import pytest

from harness.errors import AuthoringError
from harness.model.case import ArmName
from harness.model.scenario import Limits
from harness.skills import discover
from harness.skills.suite import SkillsSuite, case_playbook, load_skills_suite
from harness.skills.verdict import PassRule
from tests.skills.conftest import write

PLAYBOOK = "kind: k\nexpect: {{status: completed, verdict: pass, axis_a: null, axis_b: null}}\nturns: [{{text: {}}}]\n"


def test_without_a_file_all_is_as_by_default(tmp_path: Path) -> None:
    assert load_skills_suite(tmp_path) == SkillsSuite(limits=Limits(), rule=PassRule())


def test_numbers_come_from_configuration(tmp_path: Path) -> None:
    text = (
        "old: path:before\ntrials: 5\nrule: {min_valid_trials: 1, lead_over_baseline: 0, lead_over_old: -1}\n"
    )
    write(tmp_path, {"tests/skills/suite.yaml": text})
    got = load_skills_suite(tmp_path)
    assert (got.old, got.trials) == ("path:before", 5)
    assert got.rule == PassRule(min_valid_trials=1, lead_over_baseline=0, lead_over_old=-1)


@pytest.mark.parametrize("text", ["trial: 3\n", "rule: {min_valid_trial: 1}\n", "permission_mode: yolo\n"])
def test_a_mistake_is_told_with_its_line(tmp_path: Path, text: str) -> None:
    write(tmp_path, {"tests/skills/suite.yaml": text})
    with pytest.raises(AuthoringError, match=r"suite.yaml:1: "):
        load_skills_suite(tmp_path)


def test_the_nearest_playbook_plays_the_arm(tree: Path) -> None:
    case = discover(tree).skills[0].cases[0]
    folder = "tests/skills/team/change-review/small/playbooks"
    write(
        tree,
        {
            f"{folder}/ideal.new.yaml": PLAYBOOK.format("new"),
            f"{folder}/ideal.old.yaml": PLAYBOOK.format("old"),
            f"{folder}/bad.new.yaml": PLAYBOOK.format("bad"),
            f"{folder}/same.yaml": PLAYBOOK.format("same"),
        },
    )
    asked: list[tuple[str, ArmName]] = [("bad", "new"), ("bad", "old"), ("same", "new")]
    assert [case_playbook(case, n, a).turns[0].text for n, a in asked] == ["bad", "old", "same"]
    with pytest.raises(AuthoringError, match=r"has no playbooks/ideal\.baseline\.yaml"):
        case_playbook(case, "ideal", "baseline")
