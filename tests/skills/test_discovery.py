"""The tree: which case belongs to which skill, and what may not stand where."""

from pathlib import Path

import pytest

from harness.errors import UserError
from harness.loaders.case.tree import tree_root
from harness.skills import discover, select
from tests.skills.conftest import GOOD, SKILL, Git, write

CASE = "tests/skills/team/change-review/small"


def told(root: Path) -> str:
    return "\n".join(map(str, discover(root).problems))


def test_a_case_is_found_at_the_mirrored_path(tree: Path) -> None:
    found = discover(tree)
    assert found.problems == ()
    assert [(s.path, [c.id for c in s.cases]) for s in found.skills] == [
        ("team/change-review", ["team/change-review/small"])
    ]
    assert found.skills[0].cases[0].fixture == tree / CASE / "fixture"


def test_a_skill_without_cases_is_reported(tree: Path) -> None:
    write(tree, {"skills/lonely/SKILL.md": SKILL})
    assert [s.path for s in discover(tree).untested] == ["lonely"]


def test_a_case_whose_skill_is_gone_is_reported(tree: Path) -> None:
    write(tree, {"tests/skills/gone/a/case.md": GOOD})
    assert discover(tree).orphans == (tree / "tests/skills/gone/a/case.md",)


@pytest.mark.parametrize("stray", ["case.md", "fixture/a.txt", "deep/er/case.md"])
def test_a_test_under_skills_is_refused(tree: Path, stray: str) -> None:
    write(tree, {f"skills/team/change-review/{stray}": "x"})
    assert "must never ride along" in told(tree)


def test_files_of_a_fixture_are_no_cases_of_ours(tree: Path, git: Git) -> None:
    write(tree, {f"{CASE}/fixture/tests/skills/x/y/case.md": "x", f"{CASE}/fixture/case.md": "x"})
    git("add", "-A")
    found = discover(tree)
    assert (found.problems, found.orphans) == ((), ())


def test_a_prompt_may_name_no_skill_of_the_tree(tree: Path) -> None:
    write(tree, {"skills/other-one/SKILL.md": SKILL.replace("change-review", "its-title")})
    for name in ("other-one", "its-title"):
        write(tree, {f"{CASE}/case.md": GOOD.replace("Please", f"Use {name}, please")})
        assert f"{CASE}/case.md:4: the Prompt names the skill or command '{name}'" in told(tree)


def test_an_uncommitted_fixture_file_is_refused(tree: Path) -> None:
    write(tree, {f"{CASE}/fixture/new.txt": "x"})
    assert "new.txt:1: is not committed" in told(tree)


def test_an_ignored_fixture_file_is_refused(tree: Path) -> None:
    write(tree, {".gitignore": "*.log\n", f"{CASE}/fixture/a.log": "x"})
    assert "a.log:1: is not committed" in told(tree)


@pytest.mark.parametrize("target", ["/etc/hosts", "../../../../../secret", "../case.md"])
def test_a_link_out_of_the_fixture_is_refused(tree: Path, target: str) -> None:
    (tree / CASE / "fixture" / "link").symlink_to(target)
    assert "links out of the fixture" in told(tree)


def test_a_link_within_the_fixture_is_fine(tree: Path, git: Git) -> None:
    (tree / CASE / "fixture" / "link").symlink_to("app.py")
    git("add", "-A")
    assert told(tree) == ""


def test_a_linked_fixture_folder_is_refused(tree: Path, git: Git) -> None:
    write(tree, {"tests/skills/team/change-review/other/case.md": GOOD})
    (tree / "tests/skills/team/change-review/other/fixture").symlink_to("../small/fixture")
    assert "must be a folder of its own" in told(tree)


def test_an_empty_fixture_is_refused(tree: Path) -> None:
    write(tree, {"tests/skills/team/change-review/other/case.md": GOOD})
    (tree / "tests/skills/team/change-review/other/fixture").mkdir()
    assert "git keeps no empty folder" in told(tree)


def test_fixture_and_seed_exclude_each_other(tree: Path) -> None:
    seed = "## Seed\n**User:** a\n**Assistant:** b\n## Soft criteria"
    write(tree, {f"{CASE}/case.md": GOOD.replace("## Soft criteria", seed)})
    assert "has a Seed and a fixture/" in told(tree)


def test_a_case_folder_without_case_md_is_told(tree: Path) -> None:
    write(tree, {"tests/skills/team/change-review/empty/notes": ""})
    assert "is a case folder without a case.md" in told(tree)


def test_a_tree_without_skills_is_a_user_error(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no skills/ folder"):
        discover(tmp_path)


@pytest.mark.parametrize("pattern", ["change-*", "team/*", "team/change-review"])
def test_skills_are_chosen_by_path_or_name(tree: Path, pattern: str) -> None:
    assert [s.name for s in select(discover(tree), pattern)] == ["change-review"]


def test_a_pattern_that_matches_nothing_is_a_user_error(tree: Path) -> None:
    with pytest.raises(UserError, match="there is: team/change-review"):
        select(discover(tree), "nothing*")


def test_skills_of_a_project_stand_under_its_claude_folder(tmp_path: Path) -> None:
    write(tmp_path, {".claude/skills/one/SKILL.md": SKILL, "tests/skills/one/a/case.md": GOOD})
    write(tmp_path, {".claude/commands/ship.md": "x"})
    found = discover(tmp_path)
    assert [(s.path, s.folder, [c.id for c in s.cases]) for s in found.skills] == [
        ("one", tmp_path / ".claude/skills/one", ["one/a"])
    ]
    write(tmp_path, {"tests/skills/one/a/case.md": GOOD.replace("Please", "Ship it, please")})
    assert "names the skill or command 'ship'" in told(tmp_path)


def test_a_root_that_is_a_skill_is_called_as_its_front_matter_says(tmp_path: Path) -> None:
    write(
        tmp_path, {"SKILL.md": SKILL, ".claude/skills/for-developers/SKILL.md": SKILL, "docs/SKILL.md": "x"}
    )
    write(tmp_path, {"tests/skills/change-review/a/case.md": GOOD})
    (skill,) = discover(tmp_path).skills
    assert (skill.name, skill.folder, [c.id for c in skill.cases]) == (
        "change-review",
        tmp_path,
        ["change-review/a"],
    )


def test_a_folder_that_only_happens_to_be_called_skills_hides_nothing(tmp_path: Path) -> None:
    write(tmp_path, {"skills/sword.py": "x", ".claude/skills/one/SKILL.md": SKILL})
    assert [s.path for s in discover(tmp_path).skills] == ["one"]


def test_a_tree_of_skills_is_not_looked_for_beyond_the_repository(tmp_path: Path) -> None:
    write(tmp_path, {"skills/one/SKILL.md": SKILL, "mine/.git/HEAD": "x", "mine/src/a.py": "x"})
    with pytest.raises(UserError, match=r"no SKILL\.md under skills/"):
        tree_root(tmp_path / "mine/src")
    assert tree_root(tmp_path / "skills/one") == tmp_path / "skills/one"
