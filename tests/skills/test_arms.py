"""The arms: the old skill's bytes come from git, and the work tree stays as it is."""

from pathlib import Path

import pytest

from harness.errors import UserError
from harness.skills import discover
from harness.skills.arms import (
    SkillArm,
    differences,
    install_personal,
    install_plugin,
    old_skill,
    prepare_arms,
    request_differences,
    skill_at_ref,
)
from tests.skills.conftest import Git, write

SKILL = "skills/team/change-review"


def test_old_holds_the_bytes_at_the_ref_and_the_work_tree_is_untouched(
    tree: Path, git: Git, tmp_path: Path
) -> None:
    write(tree, {f"{SKILL}/SKILL.md": "changed\r\n", f"{SKILL}/run.sh": "echo\n"})
    (tree / SKILL / "run.sh").chmod(0o755)
    git("add", "-A")
    git("commit", "-qm", "two")
    write(tree, {f"{SKILL}/SKILL.md": "not committed"})
    status, head = git("status", "--porcelain"), git("rev-parse", "HEAD")
    got = skill_at_ref(tree, "HEAD", SKILL, tmp_path / "old")
    assert got is not None
    assert (got / "SKILL.md").read_bytes() == b"changed\r\n"
    assert (got / "run.sh").stat().st_mode & 0o100
    assert (git("status", "--porcelain"), git("rev-parse", "HEAD")) == (status, head)


def test_attributes_of_the_repository_do_not_change_the_bytes(tree: Path, git: Git, tmp_path: Path) -> None:
    write(
        tree, {".gitattributes": "*.md export-ignore\n*.txt export-subst\n", f"{SKILL}/a.txt": "$Format:%H$"}
    )
    git("add", "-A")
    git("commit", "-qm", "two")
    got = skill_at_ref(tree, "HEAD", SKILL, tmp_path / "old")
    assert got is not None
    assert (got / "a.txt").read_text() == "$Format:%H$"


def test_old_is_none_where_the_skill_did_not_exist(tree: Path, git: Git, tmp_path: Path) -> None:
    first = git("rev-parse", "HEAD").strip()
    write(tree, {"skills/later/SKILL.md": "x"})
    git("add", "-A")
    git("commit", "-qm", "two")
    assert skill_at_ref(tree, first, "skills/later", tmp_path / "old") is None


def test_old_works_from_a_tree_below_the_repository(tree: Path, git: Git, tmp_path: Path) -> None:
    write(tree, {"pack/skills/inner/SKILL.md": "inner\n"})
    git("add", "-A")
    git("commit", "-qm", "two")
    got = skill_at_ref(tree / "pack", "HEAD", "skills/inner", tmp_path / "old")
    assert got is not None
    assert (got / "SKILL.md").read_text() == "inner\n"


@pytest.mark.parametrize("ref", ["nothing", "--help", "HEAD~99"])
def test_an_unknown_ref_is_a_user_error(tree: Path, tmp_path: Path, ref: str) -> None:
    with pytest.raises(UserError, match="git knows no commit"):
        skill_at_ref(tree, ref, SKILL, tmp_path / "old")


def test_a_link_out_of_the_skill_is_refused(tree: Path, git: Git, tmp_path: Path) -> None:
    (tree / SKILL / "link").symlink_to("/etc")
    git("add", "-A")
    git("commit", "-qm", "two")
    with pytest.raises(UserError, match="links out of the skill"):
        skill_at_ref(tree, "HEAD", SKILL, tmp_path / "old")


def test_old_may_be_a_folder(tree: Path, tmp_path: Path) -> None:
    write(tree, {f"before/{SKILL}/SKILL.md": "former"})
    got = old_skill(tree, "path:before", SKILL, tmp_path / "x")
    assert got is not None
    assert (got / "SKILL.md").read_text() == "former"
    assert old_skill(tree, "path:before", "skills/other", tmp_path / "y") is None


def test_three_arms_each_with_a_copy_of_its_own(tree: Path, tmp_path: Path) -> None:
    skill = discover(tree).skills[0]
    write(tree, {f"{SKILL}/SKILL.md": "newer"})
    arms = prepare_arms(skill, tree, "HEAD", tmp_path / "arms")
    assert [a.name for a in arms] == ["baseline", "old", "new"]
    assert arms[0].skill is None
    assert len({a.digest for a in arms}) == 3
    assert [a.skill.name for a in arms if a.skill] == ["change-review", "change-review"]


def test_a_skill_that_is_the_root_comes_without_its_evaluation(git: Git, tree: Path, tmp_path: Path) -> None:
    root = tree / "alone"
    write(root, {"SKILL.md": "---\nname: alone\n---\n", "a.txt": "a", "tests/skills/alone/x/case.md": "x"})
    git("add", "-A")
    git("commit", "-qm", "two")
    write(root, {"runs/results.tsv": "x", ".github/workflows/a.yml": "x"})
    arms = prepare_arms(discover(root).skills[0], root, "HEAD", tmp_path / "arms")
    copies = [arm.skill for arm in arms if arm.skill is not None]
    assert [copy.name for copy in copies] == ["alone", "alone"]
    assert [sorted(p.name for p in copy.rglob("*")) for copy in copies] == [["SKILL.md", "a.txt"]] * 2


def test_without_old_there_are_two_arms(tree: Path, tmp_path: Path) -> None:
    arms = prepare_arms(discover(tree).skills[0], tree, None, tmp_path / "arms")
    assert [a.name for a in arms] == ["baseline", "new"]


def test_a_personal_skill_lands_in_the_config_folder_only(tree: Path, tmp_path: Path) -> None:
    arms = prepare_arms(discover(tree).skills[0], tree, None, tmp_path / "arms")
    assert [install_personal(a.skill, tmp_path / a.name) for a in arms] == ["", "change-review"]
    assert (tmp_path / "new/skills/change-review/SKILL.md").is_file()
    assert not (tmp_path / "baseline").exists()


def test_a_plugin_holds_the_one_skill(tree: Path, tmp_path: Path) -> None:
    arms = prepare_arms(discover(tree).skills[0], tree, None, tmp_path / "arms")
    names = [install_plugin(a, "team", tmp_path / f"p-{a.name}") for a in arms]
    assert names == ["", "team:change-review"]
    assert [p.parent.name for p in (tmp_path / "p-new").rglob("SKILL.md")] == ["change-review"]


def test_launch_records_may_differ_in_what_is_allowed_only() -> None:
    a: dict[str, object] = {"prompt": "p", "arm": "new", "tools": ["x"]}
    b: dict[str, object] = {"prompt": "p ", "arm": "old", "tools": ["x"]}
    assert differences([("new", a), ("old", b)], ["arm", "prompt"]) == ()
    assert len(differences([("new", a), ("old", b)], ["arm"])) == 1


def test_a_baseline_has_no_digest() -> None:
    assert SkillArm(name="baseline", skill=None, digest="").skill is None


BASE = "You are an agent.\n- dataviz: Draws.\nPlease."


@pytest.mark.parametrize(
    ("other", "count"),
    [
        pytest.param(BASE, 0, id="the-same"),
        pytest.param(BASE.replace("- data", "- change-review: Reviews.\n- data"), 0, id="the-skill-listed"),
        pytest.param(BASE.replace("- data", "- change-review (its-title): R.\n- data"), 0, id="by-two-names"),
        pytest.param(BASE.replace("- data", "- change-review-two: X.\n- data"), 1, id="another-skill"),
        pytest.param(BASE.replace("Please.", "Please"), 1, id="another-prompt"),
        pytest.param(BASE + "\nMore", 1, id="one-line-more"),
    ],
)
def test_first_requests_may_differ_in_the_listing_of_the_skill_only(other: str, count: int) -> None:
    got = request_differences([("baseline", BASE), ("new", other)], ["change-review", "team:change-review"])
    assert len(got) == count
