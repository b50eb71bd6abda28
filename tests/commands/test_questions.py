"""score, guard, compare and merge as a user starts them, on rows of real runs."""

import json
from pathlib import Path

import pytest

from tests.engine.project import CRASH, Project, make_project

GRID = "suites: [demo]\nsandbox: tempdir\nmodels: [scripted:ideal]\nseed: 7\narms: [baseline, new]\ntrials: 3\njobs: 4\n"


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Project:
    made = make_project(tmp_path_factory.mktemp("ran"))
    code, said = made.grid(GRID)
    assert code == 0, said
    return made


@pytest.fixture
def small(tmp_path: Path) -> Project:
    return make_project(tmp_path)


def fail_from_now_on(project: Project) -> None:
    """The model's answer no longer names the decision."""
    fake = project.claude
    fake.write_text(fake.read_text().replace("Done as ADR-0001 says.", "Done."))


def test_the_last_line_of_a_score_is_the_number(ran: Project) -> None:
    code, said = ran.harness("score")
    assert (code, float(said.splitlines()[-1])) == (0, 1.0)


def test_a_score_of_too_few_cells_is_no_number(ran: Project) -> None:
    code, said = ran.harness("score", "--min-valid", "7")
    assert code == 3 and "6 valid cells where --min-valid asks for 7" in said.splitlines()[-1]


def test_an_unresolved_invalid_cell_is_no_number(small: Project) -> None:
    small.turn_away(*[CRASH] * 9)
    small.grid("suites: [demo]\nsandbox: tempdir\nmodels: [scripted:ideal]\n")
    code, said = small.harness("score")
    assert code == 3 and "2 invalid cells to run again" in said


def test_a_loop_file_begins_with_the_direction(ran: Project, tmp_path: Path) -> None:
    path = tmp_path / "demo-results.tsv"
    ran.harness("score", "--loop-file", str(path))
    first, header, *lines = path.read_text().splitlines()
    assert first == "# metric_direction: higher_is_better"
    assert header == "scenario\tmodel\taxis_a\taxis_b\tpass" and len(lines) == 6


@pytest.mark.parametrize("command", [("score",), ("guard", "--baseline", "results")], ids=["score", "guard"])
def test_held_out_scenarios_are_refused(small: Project, command: tuple[str, ...]) -> None:
    small.grid("suites: [demo]\nsandbox: tempdir\nmodels: [scripted:ideal]\n")
    scenario = small.root / "scenarios/demo/A1/scenario.yaml"
    scenario.write_text(scenario.read_text().replace("held_out: false", "held_out: true"))
    code, said = small.harness(*command)
    assert code == 2 and "demo/A1 are held out" in said


def test_unlocking_is_recorded(small: Project) -> None:
    small.grid("suites: [demo]\nsandbox: tempdir\nmodels: [scripted:ideal]\n")
    scenario = small.root / "scenarios/demo/A1/scenario.yaml"
    scenario.write_text(scenario.read_text().replace("held_out: false", "held_out: true"))
    code, _ = small.harness("score", "--unlock-held-out")
    (line,) = (small.results / "held-out-unlocked.tsv").read_text().splitlines()
    assert code == 0 and line.split("\t")[1:] == ["score pass-rate", "demo/A1"]


def test_green_to_red_is_a_regression(small: Project) -> None:
    small.grid("suites: [demo]\nsandbox: tempdir\nmodels: [scripted:ideal]\n")
    (small.results / "results.tsv").rename(small.root / "before.tsv")
    fail_from_now_on(small)
    small.grid("suites: [demo]\nsandbox: tempdir\nmodels: [scripted:ideal]\n", "--fresh")
    code, said = small.harness("guard", "--baseline", "before.tsv")
    assert code == 1 and said.splitlines()[-1] == "2 regressions in 2 green scenarios"


def test_no_change_is_no_regression(ran: Project) -> None:
    code, said = ran.harness("guard", "--baseline", "results")
    assert code == 0, said


def test_arms_are_compared_by_scenario_and_trial(ran: Project) -> None:
    code, said = ran.harness("compare", "baseline", "new", "--json")
    found = json.loads(said)
    assert code == 0 and (found["pairs"], found["both"], found["verdict"]) == (6, 6, "not-enough-data")


def test_a_side_may_be_a_commit(small: Project) -> None:
    import subprocess

    def git(*words: str) -> None:
        who = ("-c", "user.name=t", "-c", "user.email=t@example.org")
        subprocess.run(["git", *who, *words], cwd=small.root, check=True, capture_output=True)

    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "one")
    small.grid("suites: [demo]\nsandbox: tempdir\nmodels: [scripted:ideal]\n")
    (small.root / "fixtures/plugins/demo/new.md").write_text("more\n")
    small.grid("suites: [demo]\nsandbox: tempdir\nmodels: [scripted:ideal]\n")
    git("add", ".")
    git("commit", "-qm", "two")
    code, said = small.harness("compare", "HEAD~1", "HEAD")
    assert code == 0 and "2 pairs: both pass 2" in said, said


def test_an_unknown_side_is_refused(ran: Project) -> None:
    code, said = ran.harness("compare", "baseline", "nobody")
    assert code == 2 and "'nobody' is no file, no arm or model with rows, and no commit" in said


def test_shards_merge_to_the_whole(small: Project) -> None:
    for number in ("1", "2"):
        small.grid(GRID, "--shard", f"{number}/2", "--results", f"part{number}")
    code, said = small.harness("merge", "part1", "part2", "--into", "results")
    again, twice = small.harness("merge", "part1", "part2", "--into", "results")
    assert (code, again) == (0, 0), said
    assert len(small.rows()) == 12 and "12 rows and 12 run folders added" in said
    assert "0 rows and 0 run folders added" in twice


def test_a_cell_answered_twice_is_not_merged(small: Project) -> None:
    for number in ("1", "2"):
        small.grid(
            "suites: [demo]\nsandbox: tempdir\nmodels: [scripted:ideal]\n", "--results", f"part{number}"
        )
    code, said = small.harness("merge", "part1", "part2", "--into", "results")
    assert code == 2 and "nothing was merged, a cell would count twice" in said
