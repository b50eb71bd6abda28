"""From a repository of skills that harness has never seen to a verdict of its own."""

import json
import subprocess
from pathlib import Path

import pytest
import yaml

from harness.authoring.init_skills import init_skills
from harness.errors import UserError
from harness.results.row_codec import read_rows
from tests.authoring.test_init import run, write
from tests.report.runs import Done

SKILL = (
    "---\nname: {name}\ndescription: Keeps {name} in order when code is changed\n---\nLook around first.\n"
)
CASE = "tests/skills/tidy/settled-question"
HIDDEN = "---\nname: hidden\ndescription: d\ndisable-model-invocation: true\n---\nx\n"


def repository(root: Path, files: dict[str, str]) -> Path:
    write(root, files)
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    return root


def quick(root: Path) -> None:
    """One trial instead of three, and that one enough."""
    suite = root / "tests/skills/suite.yaml"
    suite.write_text(suite.read_text().replace("trials: 3", "trials: 1"))


def said(done: Done) -> str:
    return done.out + done.err


@pytest.fixture
def strange(tmp_path: Path) -> Path:
    names = ("tidy", "zeal", "aloof")
    files = {f"skills/{name}/SKILL.md": SKILL.format(name=name) for name in names}
    return repository(tmp_path / "acme", {**files, "skills/aloof/SKILL.md": HIDDEN})


def test_what_is_written_runs_green_and_red_at_once(strange: Path) -> None:
    made = run(strange, "init")
    assert (made.code, made.err) == (0, "")
    green = run(strange, "eval", "--skills", ".", "--jobs", "2", "--no-audit")
    assert (green.code, "SHIP: its case passes" in green.out) == (0, True), said(green)
    red = run(strange, "eval", "--skills", ".", "--model", "scripted:silent", "--jobs", "2", "--no-audit")
    assert (red.code, "the gate is red in 3 of 3 valid trials" in red.out) == (1, True), said(red)


@pytest.mark.parametrize(
    "place", [".claude/skills/tidy/SKILL.md", "SKILL.md"], ids=["of-a-project", "the-repository-itself"]
)
def test_skills_at_other_places_run_as_well(tmp_path: Path, place: str) -> None:
    root = repository(tmp_path / "somewhere", {place: SKILL.format(name="tidy"), "notes.txt": "mine"})
    assert run(root, "init").code == 0
    quick(root)
    done = run(root, "eval", "--jobs", "2", "--no-audit")  # no suites here: the tree of skills is meant
    assert (done.code, "SHIP" in done.out) == (0, True), said(done)
    rows = read_rows(root / "results/results.tsv").rows
    assert {(r.suite, r.arm, r.pass_) for r in rows} == {
        ("skills:tidy", "new", "pass"),
        ("skills:tidy", "baseline", "fail"),
    }


def test_the_grid_runs_the_tree_within_its_budget(strange: Path) -> None:
    run(strange, "init")
    dry = run(strange, "grid", "nightly", "--dry-run")
    assert (dry.code, "6 cells: 6 to run" in dry.out, "$5.00" in dry.out) == (0, True, True), said(dry)
    quick(strange)
    grid = strange / "grids/nightly.yaml"
    grid.write_text(grid.read_text().replace("haiku", "scripted:ideal").replace("trials: 3", "trials: 1"))
    poor = run(strange, "grid", "nightly", "--budget", "0.000001")
    assert (poor.code, "budget does not cover them" in poor.err) == (3, True), said(poor)
    done = run(strange, "grid", "nightly")
    assert (done.code, "SHIP" in done.out) == (0, True), said(done)


def test_a_skill_with_a_name_unlike_its_folder_is_compared(tmp_path: Path) -> None:
    root = repository(tmp_path / "acme", {"skills/tidy/SKILL.md": SKILL.format(name="neat-imports")})
    run(root, "init")
    quick(root)
    done = run(root, "eval", "--jobs", "2", "--no-audit")
    assert (done.code, "1 won, 0 lost" in done.out) == (0, True), said(done)


def test_the_first_skill_that_the_model_may_call_gets_the_case_and_the_others_are_named(
    strange: Path,
) -> None:
    done = run(strange, "init")
    assert "found 3 skills: aloof, tidy, zeal" in done.out
    assert (strange / CASE / "case.md").is_file()
    assert "without a case: aloof, zeal; `harness new case aloof NAME`" in done.out


def test_a_skill_can_be_chosen(strange: Path) -> None:
    told = json.loads(run(strange, "init", "--skill", "ze*", "--json").out)
    assert (told["skill"], told["problems"]) == ("zeal", [])


def test_nothing_that_is_there_is_written_over(strange: Path) -> None:
    mine = write(strange, {"tests/skills/suite.yaml": "trials: 5\n"}) / "tests/skills/suite.yaml"
    run(strange, "init")
    told = json.loads(run(strange, "init", "--json").out)
    assert mine.read_text() == "trials: 5\n"
    assert (told["written"], len(told["kept"]) > 10, told["problems"]) == ([], True, [])


def test_the_workflow_asks_for_green_and_red(strange: Path) -> None:
    run(strange, "init")
    jobs = yaml.safe_load((strange / ".github/workflows/harness.yml").read_text())["jobs"]
    commands = [step["run"] for step in jobs["checks"]["steps"] if "run" in step]
    assert [c.count("harness eval --skills .") for c in commands] == [0, 1, 1]
    assert 'test "$code" -eq 1' in commands[-1]


def test_a_plugin_with_skills_gets_a_suite_unless_a_case_is_asked_for(strange: Path) -> None:
    write(strange, {".claude-plugin/plugin.json": '{"name": "acme"}'})
    assert "suite" in json.loads(run(strange, "init", "--json").out)
    assert "case" in json.loads(run(strange, "init", "--skill", "tidy", "--json").out)


@pytest.mark.parametrize(
    ("files", "skill", "says"),
    [
        pytest.param({"skills/a/SKILL.md": HIDDEN}, None, "may not call a by itself", id="hidden"),
        pytest.param(
            {"skills/a/SKILL.md": SKILL}, "b", "no skill under .* matches 'b'; there is: a", id="choice"
        ),
        pytest.param({"skills/README.md": "x"}, None, "no skill under .*; there is: none", id="none"),
    ],
)
def test_a_mistake_is_one_sentence_and_writes_nothing(
    tmp_path: Path, files: dict[str, str], skill: str | None, says: str
) -> None:
    root = repository(tmp_path / "acme", files)
    with pytest.raises(UserError, match=says):
        init_skills(root, skill)
    assert not (root / "tests").exists()


def test_outside_of_git_it_says_what_to_type(tmp_path: Path) -> None:
    root = write(tmp_path / "acme", {"skills/tidy/SKILL.md": SKILL.format(name="tidy")})
    done = run(root, "init")
    assert (done.code, "type `git init` first" in done.err, done.err.count("\n")) == (2, True, 1)
    assert not (root / "tests").exists()
