"""The commands that show what was found, as a user starts them."""

import json
from pathlib import Path

import pytest

from tests.report.runs import Done, add_run, harness
from tests.results.rows import a_row


@pytest.fixture
def results(tmp_path: Path) -> Path:
    add_run(tmp_path / "results", a_row(run_id="2026-R1-aaa"))
    add_run(
        tmp_path / "results",
        a_row(run_id="2026-R2-bbb", scenario="R2", pass_="fail", reason="did not consult"),
    )
    return tmp_path / "results"


def run(results: Path, *words: str) -> Done:
    done = harness(*words, cwd=results.parent)
    assert done.code == 0, done.err
    return done


def test_ls_lists_what_is_asked_for(results: Path) -> None:
    assert run(results, "ls", "--verdict", "fail", "--ids").out == "2026-R2-bbb\n"


def test_ls_last_takes_the_latest(results: Path) -> None:
    assert len(run(results, "ls", "--last", "1", "--ids").out.split()) == 1


def test_ls_as_json_has_the_columns(results: Path) -> None:
    rows = json.loads(run(results, "ls", "--scenario", "R1", "--json").out)
    assert [(r["run_id"], r["axis_a"], r["trial"]) for r in rows] == [("2026-R1-aaa", True, 1)]


def test_show_tells_the_run(results: Path) -> None:
    out = run(results, "show", "aaa").out
    for part in (
        "Add a discount.",
        "decisions live in docs/adr",
        "▸ signal: read",
        "names ADR-0007",
        "+D = 1",
        "again:",
    ):
        assert part in out, part


def test_show_as_json_holds_every_step(results: Path) -> None:
    assert [s["kind"] for s in json.loads(run(results, "show", "aaa", "--json").out)["steps"]] == [
        "call",
        "said",
        "result",
    ]


def test_diff_says_that_two_runs_did_the_same(results: Path) -> None:
    assert "the model does the same in both" in run(results, "diff", "aaa", "bbb").out


def test_diff_as_json_and_as_a_page(results: Path) -> None:
    assert json.loads(run(results, "diff", "aaa", "bbb", "--json").out)["first_divergence"] is None
    run(results, "diff", "aaa", "bbb", "--html", "out/diff.html")
    assert (results.parent / "out/diff.html").is_file()


def test_report_writes_the_pages(results: Path) -> None:
    told = json.loads(run(results, "report", "--json").out)
    assert (told["rows"], told["pages"]) == (2, 2)
    assert (results / "report/index.html").is_file() and (results / "report/runs/2026-R1-aaa.html").is_file()


@pytest.mark.parametrize(
    ("form", "name", "holds"),
    [
        ("junit", "junit.xml", "<failure"),
        ("github", "summary.md", "1 of 2 valid cells pass"),
        ("loop", "os-adr-results.tsv", "# metric_direction: higher_is_better"),
    ],
)
def test_export_writes_each_format(results: Path, form: str, name: str, holds: str) -> None:
    run(results, "export", form, "--out", name)
    assert holds in (results.parent / name).read_text()


def test_export_github_adds_to_the_summary_of_the_job(results: Path) -> None:
    summary = results.parent / "summary"
    summary.write_text("before\n")
    done = harness("export", "github", cwd=results.parent, GITHUB_STEP_SUMMARY=str(summary))
    assert "::error file=scenarios/os-adr/R2/scenario.yaml" in done.out
    assert summary.read_text().startswith("before\n### harness: 1 of 2")


def test_export_inspect_writes_a_log_for_each_arm(results: Path) -> None:
    told = json.loads(run(results, "export", "inspect", "--json").out)
    assert [Path(p).is_file() for p in told["written"]] == [True]


@pytest.mark.parametrize(
    "words",
    [("ls",), ("show", "x"), ("diff", "x", "y"), ("report",), ("export", "junit"), ("tail",)],
    ids=lambda words: words[0],
)
def test_without_results_each_says_what_to_do(tmp_path: Path, words: tuple[str, ...]) -> None:
    done = harness(*words, cwd=tmp_path)
    assert done.code == 2 and "results" in done.err and "Traceback" not in done.err


def test_an_unknown_format_is_one_sentence(results: Path) -> None:
    done = harness("export", "xml", cwd=results.parent)
    assert (done.code, done.err) == (
        2,
        "harness: there is no format 'xml'; there are junit, github, inspect, loop, skill-creator\n",
    )
