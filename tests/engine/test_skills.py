"""``harness eval --skills`` as a user starts it, on the real claude: the example tree, and trees with something wrong."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import cast

import pytest

from harness.engine.recheck import first_body
from harness.engine.skill_runs import run_differences
from harness.results.row_codec import read_rows
from harness.skills.request import asked_wrongly, spoken
from tests.engine.conftest import Done, clean_env

EXAMPLE = Path(__file__).parents[2] / "fixtures" / "skills-repo"
Json = dict[str, object]


def copy_tree(root: Path) -> Path:
    """The example, with one trial that is enough."""
    shutil.copytree(EXAMPLE, root)
    suite = root / "tests/skills/suite.yaml"
    text = (
        suite.read_text()
        .replace("trials: 3", "trials: 1")
        .replace("min_valid_trials: 3", "min_valid_trials: 1")
    )
    suite.write_text(text)
    return root


def commit(root: Path) -> None:
    """A fixture that is in no commit is refused."""
    who = ["-c", "user.name=a", "-c", "user.email=a@example.invalid"]
    for words in (["init", "-q"], ["add", "-A"], [*who, "commit", "-qm", "one"]):
        subprocess.run(["git", *words], cwd=root, check=True, env=clean_env(root), capture_output=True)


def evaluate(root: Path, home: Path, *words: str) -> Done:
    home.mkdir(exist_ok=True)
    done = subprocess.run(
        [sys.executable, "-m", "harness", "eval", "--skills", str(root), *words],
        cwd=root.parent,
        env=clean_env(home),
        capture_output=True,
        text=True,
        timeout=170,
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr)


def cases_of(done: Done) -> dict[str, Json]:
    """By folder name of the case."""
    skills = cast("list[Json]", done.json["skills"])
    cases = [case for skill in skills for case in cast("list[Json]", skill["cases"])]
    return {str(case["case"]).rpartition("/")[2]: case for case in cases}


def of(document: object, *names: str) -> object:
    for name in names:
        document = cast("Mapping[str, object]", document)[name]
    return document


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("skills")


@pytest.fixture(scope="module")
def example(place: Path) -> Done:
    root = copy_tree(place / "tree")
    commit(root)
    done = evaluate(root, place / "home", "--jobs", "2", "--grade", "--seed", "5", "--json")
    assert done.out, done.err
    return done


@pytest.mark.parametrize(
    ("case", "verdict", "baseline", "old"),
    [
        pytest.param("pager-drops-last-page", "pass", "win", "win", id="a-win"),
        pytest.param("moving-the-release", "fail", "tie", "tie", id="a-tie"),
        pytest.param("a-renamed-option", "fail", "tie", "loss", id="worse"),
    ],
)
def test_the_example_shows_each_verdict(
    example: Done, case: str, verdict: str, baseline: str, old: str
) -> None:
    found = cases_of(example)[case]
    pairs = found["comparisons"]
    seen = (found["verdict"], of(pairs, "baseline/1", "for_new"), of(pairs, "old/1", "for_new"))
    assert seen == (verdict, baseline, old)


def test_a_failed_skill_makes_the_exit_code_one_and_recommends(example: Done) -> None:
    skills = cast("list[Json]", example.json["skills"])
    assert example.code == 1
    assert {s["skill"]: s["recommendation"] for s in skills} == {
        "review/change-review": "SHIP",
        "settled-notes": "ITERATE",
        "release-notes": "ITERATE",
    }


def test_a_comparison_is_exactly_three_fields(example: Done) -> None:
    found = of(cases_of(example)["pager-drops-last-page"], "comparisons", "old/1", "comparison")
    assert set(cast("Json", found)) == {"preferred", "confidence", "reasoning"}


def test_what_was_printed_is_kept(example: Done, place: Path) -> None:
    kept = [json.loads(Path(path).read_bytes()) for path in cast("list[str]", example.json["kept"])]
    assert [{k: v for k, v in k.items() if k != "made_at"} for k in kept] == example.json["skills"]
    assert {Path(p).parent for p in cast("list[str]", example.json["kept"])} == {place / "results/skills"}


def test_every_arm_has_a_row_and_the_gate_of_new_alone_decides(example: Done, place: Path) -> None:
    rows = [r for r in read_rows(place / "results/results.tsv").rows if r.scenario == "pager-drops-last-page"]
    assert {r.suite for r in rows} == {"skills:review/change-review"}
    assert {r.arm: (r.pass_, r.axis_a, r.axis_b) for r in rows} == {
        "baseline": ("fail", "n/a", "n/a"),
        "old": ("pass", "n/a", "n/a"),
        "new": ("pass", "n/a", "n/a"),
    }
    assert cases_of(example)["pager-drops-last-page"]["verdict"] == "pass"
    assert {r.seed for r in rows} == {"5"}


def runs_of(place: Path, scenario: str) -> dict[str, Path]:
    rows = read_rows(place / "results/results.tsv").rows
    return {r.arm: place / "results/runs" / r.run_id for r in rows if r.scenario == scenario}


@pytest.mark.usefixtures("example")
def test_the_arms_were_launched_and_asked_alike(place: Path) -> None:
    for case, skill in (("pager-drops-last-page", "change-review"), ("moving-the-release", "settled-notes")):
        runs = runs_of(place, case)
        found = [run_differences(runs["new"], runs[arm], arm, {skill}) for arm in ("baseline", "old")]
        assert found == [(), ()]
        assert run_differences(runs["new"], runs["baseline"], "baseline", {"another"}) != ()


@pytest.mark.usefixtures("example")
def test_the_seed_reached_every_arm_with_its_roles(place: Path) -> None:
    runs = runs_of(place, "moving-the-release")
    said = [spoken(first_body(folder)) for folder in runs.values()]
    assert len(runs) == 3
    assert said[0] == said[1] == said[2]
    assert [role for role, _ in said[0]] == ["user", "assistant"] * 3 + ["user"]
    assert "**User:** import of q1.csv" in said[0][0][1]
    assert asked_wrongly(first_body(runs["new"]), (), said[0][-1][1]) != ""


def test_queries_are_scored_apart(example: Done) -> None:
    skills = {str(s["skill"]): s for s in cast("list[Json]", example.json["skills"])}
    found = of(skills["review/change-review"], "triggers")
    seen = [of(found, name) for name in ("precision", "recall", "n", "invalid")]
    assert seen == [1.0, 1.0, 4, 0]
    assert skills["settled-notes"]["triggers"] is None


def test_every_valid_run_is_graded_by_its_soft_criteria(example: Done) -> None:
    case = cases_of(example)["pager-drops-last-page"]
    gradings = cast("Mapping[str, Json]", case["gradings"])
    passed = {
        arm: [of(e, "passed") for e in cast("list[Json]", found["expectations"])]
        for arm, found in gradings.items()
    }
    assert passed == {
        "baseline/1": [False, False, False, True],
        "old/1": [True, False, False, True],
        "new/1": [True, True, True, True],
    }
    untelling = [pair[0] for pair in cast("list[list[str]]", case["never_telling"])]
    assert untelling == ["The answer says plainly whether the change can go in."]


def test_cost_is_told_beside_the_verdict(example: Done) -> None:
    costs = cast("list[Json]", cases_of(example)["pager-drops-last-page"]["cost"])
    assert {c["arm"] for c in costs} == {"baseline", "old", "new"}
    assert all(cast("float", c["equivalent_tokens"]) > 0 for c in costs)


@pytest.mark.usefixtures("example")
def test_going_on_runs_nothing_again_and_asks_no_judge_again(place: Path) -> None:
    rows = (place / "results/results.tsv").read_bytes()
    done = evaluate(place / "tree", place / "home", "--grade", "--json")
    assert (done.code, (place / "results/results.tsv").read_bytes()) == (1, rows)
    pairs = [
        pair
        for case in cases_of(done).values()
        for pair in cast("Mapping[str, Json]", case["comparisons"]).values()
    ]
    assert [of(pair, "about", "calls") for pair in pairs] == [0] * 6


Tree = Callable[..., Done]


@pytest.fixture
def one_case(tmp_path: Path) -> Path:
    """The tree with the conversation only, which is the quickest."""
    root = copy_tree(tmp_path / "tree")
    for name in ("release-notes", "review"):
        shutil.rmtree(root / "skills" / name)
        shutil.rmtree(root / "tests/skills" / name)
    return root


CASE = "tests/skills/settled-notes/moving-the-release"


def test_a_red_gate_fails_the_case_outright(one_case: Path, tmp_path: Path) -> None:
    done = evaluate(
        one_case, tmp_path / "home", "--model", "scripted:red-gate", "--no-audit", "--sandbox", "tempdir"
    )
    assert done.code == 1, done.err
    assert "REWRITE: settled-notes/moving-the-release: the gate is red in 1 of 1 valid trials" in done.out
    assert "0/1 green" in done.out


def test_a_baseline_that_has_the_skill_is_invalid(one_case: Path, tmp_path: Path) -> None:
    """``verify`` is a skill that Claude Code brings along."""
    for top in ("skills", "old/skills", "tests/skills"):
        (one_case / top / "settled-notes").rename(one_case / top / "verify")
    done = evaluate(one_case, tmp_path / "home", "--no-audit")
    rows = {r.arm: r for r in read_rows(tmp_path / "results/results.tsv").rows}
    assert (done.code, rows["baseline"].pass_, rows["new"].pass_) == (3, "invalid", "pass")
    assert rows["baseline"].reason == "the baseline has the skill verify"
    assert "NOT EVALUATED" in done.out


def test_arms_that_were_not_run_alike_are_no_pair(one_case: Path, tmp_path: Path) -> None:
    playbook = one_case / CASE / "playbooks/ideal.old.yaml"
    playbook.write_text("deny: ['WebFetch']\n" + playbook.read_text())
    done = evaluate(one_case, tmp_path / "home", "--no-audit", "--json", "--sandbox", "tempdir")
    case = cases_of(done)["moving-the-release"]
    assert done.code == 3
    assert "not run as new was: argv differs" in str(of(case, "comparisons", "old/1", "invalid"))
    assert of(case, "comparisons", "baseline/1", "for_new") == "tie"


@pytest.mark.parametrize(
    ("line", "says"),
    [
        pytest.param(
            'nosuchtool "$OUTPUT"', "command that is not there: nosuchtool", id="before-anything-runs"
        ),
        pytest.param('"$OUTPUT" now', "could not be run (exit 126)", id="when-it-runs"),
    ],
)
def test_an_assertion_that_cannot_run_is_the_authors_mistake(
    one_case: Path, tmp_path: Path, line: str, says: str
) -> None:
    case = one_case / CASE / "case.md"
    case.write_text(case.read_text().replace("grep -q 'Maya' \"$OUTPUT\"", line))
    done = evaluate(one_case, tmp_path / "home", "--no-audit")
    assert done.code == 2
    assert says in done.out + done.err
    assert ("pass" in done.out, "Traceback" in done.err) == (False, False)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        pytest.param(["--model", "scripted:typo"], "no case has a playbook 'typo'", id="playbook"),
        pytest.param(["--skill", "nothing*"], "matches 'nothing*'", id="skill"),
        pytest.param(["--scenario", "x"], "no case matches", id="case"),
        pytest.param(["--arm", "new"], "has no suites, arms or tags", id="arm"),
        pytest.param(["--old", "main"], "no git repository", id="old"),
        pytest.param(["--engine", "dask", "--workers", "1"], "on this machine", id="dask"),
    ],
)
def test_a_wrong_choice_is_one_sentence(one_case: Path, tmp_path: Path, words: list[str], says: str) -> None:
    done = evaluate(one_case, tmp_path / "home", *words)
    assert (done.code, done.out) == (2, "")
    assert says in done.err
    assert done.err.count("\n") <= 2


def run_harness(place: Path, *words: str) -> Done:
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


@pytest.mark.usefixtures("example")
@pytest.mark.parametrize(
    ("arm", "last", "said"),
    [
        ("baseline", "1.000000", "1 of 1 pair with a winner; in no rate: 2 tied"),
        ("old", "0.500000", "1 of 2 pairs with a winner; in no rate: 1 tied"),
    ],
)
def test_the_win_rate_is_of_what_the_judge_said(place: Path, arm: str, last: str, said: str) -> None:
    done = run_harness(place, "score", "--metric", "win-rate", "--arm", arm)
    assert (done.code, done.out.split("\n")[-2]) == (0, last), done.err
    assert said in done.out


@pytest.mark.usefixtures("example")
def test_two_runs_are_judged_by_hand_by_the_criteria_of_their_case(place: Path) -> None:
    runs = runs_of(place, "pager-drops-last-page")
    rules = EXAMPLE / "tests/skills/review/change-review/pager-drops-last-page/playbooks/judge.yaml"
    done = run_harness(
        place, "judge", runs["old"].name, runs["new"].name, "--model", f"scripted:{rules}", "--json"
    )
    assert done.code == 0, done.err
    assert done.json["winner"] == runs["new"].name
    assert set(cast("Json", done.json["comparison"])) == {"preferred", "confidence", "reasoning"}
    assert set(cast("Json", done.json["letters"]).values()) == {runs["old"].name, runs["new"].name}


@pytest.mark.usefixtures("example")
def test_an_evaluation_is_exported_for_skill_creator_with_the_delta_of_new(place: Path) -> None:
    done = run_harness(place, "export", "skill-creator", "--suite", "skills:review/*", "--out", "made")
    assert done.code == 0, done.err
    folder = place / "made/review-change-review-scripted-ideal"
    found = {
        against: json.loads((folder / f"against-{against}" / "benchmark.json").read_bytes())
        for against in ("baseline", "old")
    }
    deltas = {against: of(made, "run_summary", "delta", "pass_rate") for against, made in found.items()}
    assert deltas == {"baseline": "+0.56", "old": "+0.22"}
    run = folder / "against-old/eval-0/new_skill/run-1"
    assert {p.name for p in run.iterdir()} == {
        "eval_metadata.json",
        "grading.json",
        "timing.json",
        "outputs",
    }
    assert len(json.loads((run / "grading.json").read_bytes())["expectations"]) == 5 + 4


@pytest.mark.usefixtures("example")
def test_a_run_of_a_skill_is_neither_rescored_nor_had_again_alone(place: Path) -> None:
    run = runs_of(place, "moving-the-release")["new"].name
    done = run_harness(place, "rescore", run)
    assert (done.code, "gate needs the world" in done.out) == (
        0,
        True,
    )
