"""``harness judge``, ``grade`` and ``import`` on folders that no run of ours made."""

import json
import subprocess
import sys
from pathlib import Path
from typing import cast

import pytest

from tests.engine.conftest import Done, clean_env, write

SKILL = "---\nname: tidy\ndescription: Tidies.\n---\nTidy.\n"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    return tmp_path


def harness(place: Path, *words: str) -> Done:
    done = subprocess.run(
        [sys.executable, "-m", "harness", *words],
        cwd=place,
        env=clean_env(place / "home"),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr)


def test_two_folders_are_judged_by_criteria(place: Path) -> None:
    write(
        place, {"one/a.md": "fine\n", "two/a.md": "fine and right\n", "judge.yaml": "correctness: [right]\n"}
    )
    asked = ("--criterion", "It is right.", "--task", "Write a.md.", "--model", "scripted:judge.yaml")
    done = harness(place, "judge", "one", "two", *asked)
    assert (done.code, done.out.split("\n")[0]) == (0, "two is better (confidence 0.50)"), done.err
    there = harness(place, "judge", "two", "one", *asked)
    assert there.out.split("\n")[0] == "two is better (confidence 0.50)"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        pytest.param(["one", "nowhere"], "no runs in", id="no-run"),
        pytest.param(["one", "two"], "give --case FILE, or --criterion", id="no-criterion"),
        pytest.param(["one", "two", "--criterion", "x"], "give --case FILE, or --task", id="no-task"),
        pytest.param(
            ["one", "two", "--criterion", "x", "--task", "y"], "needs your credentials", id="no-credential"
        ),
        pytest.param(
            ["one", "two", "--criterion", "x", "--task", "y", "--model", "scripted:no"],
            "no is no file",
            id="no-rules",
        ),
    ],
)
def test_what_is_missing_is_one_sentence(place: Path, words: list[str], says: str) -> None:
    write(place, {"one/a.md": "1\n", "two/a.md": "2\n"})
    done = harness(place, "judge", *words)
    assert (done.code, done.out) == (2, "")
    assert says in done.err


def test_an_iteration_is_graded_in_place(place: Path) -> None:
    metadata = {
        "eval_id": 0,
        "eval_name": "tidy",
        "prompt": "Tidy.",
        "assertions": [
            {"name": "a", "description": "It is tidy."},
            {"name": "b", "description": "It is short."},
        ],
    }
    for name, text in (("with_skill", "tidy and short"), ("without_skill", "short")):
        folder = f"iteration-1/eval-0/{name}"
        write(place, {f"{folder}/eval_metadata.json": json.dumps(metadata), f"{folder}/outputs/a.md": text})
    write(place, {"grader.yaml": "expectations: [tidy, short]\n"})
    done = harness(place, "grade", "iteration-1", "--model", "scripted:grader.yaml")
    assert done.code == 0, done.err
    assert "eval-0 with_skill run 1: 2 of 2 passed" in done.out
    assert "tells nothing apart: 'It is short.' passed in all 2 runs of all arms" in done.out
    grading = json.loads((place / "iteration-1/eval-0/without_skill/grading.json").read_bytes())
    assert [set(e) for e in grading["expectations"]] == [{"text", "passed", "evidence"}] * 2
    assert [e["passed"] for e in grading["expectations"]] == [False, True]


def test_evals_are_imported_and_what_no_case_says_is_listed(place: Path) -> None:
    evals = {
        "skill_name": "tidy",
        "evals": [{"id": 1, "prompt": "Sort it.", "expectations": ["Sorted."], "odd": 1}],
    }
    write(place, {"skills/tidy/SKILL.md": SKILL, "evals.json": json.dumps(evals)})
    done = harness(place, "import", "evals.json", "--skill", "tidy", "--json")
    assert done.code == 0, done.err
    written = cast("list[str]", done.json["written"])
    assert ["- Sorted." in (place / path).read_text() for path in written] == [True]
    assert done.json["left_out"] == ["evals.json:1: not imported: evals[0].odd is not known"]
    again = harness(place, "import", "evals.json", "--skill", "tidy")
    assert (again.code, "exists already" in again.err) == (2, True)


def test_an_import_for_no_skill_is_refused(place: Path) -> None:
    write(place, {"evals.json": "{}"})
    nowhere = harness(place, "import", "evals.json", "--skill", "none")
    assert (nowhere.code, "has no skills/ folder" in nowhere.err) == (2, True)
    write(place, {"skills/tidy/SKILL.md": SKILL})
    done = harness(place, "import", "evals.json", "--skill", "none")
    assert (done.code, "there is no skill 'none'" in done.err) == (2, True)
