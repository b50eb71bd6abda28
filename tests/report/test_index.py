"""The report of a whole results folder."""

import re
from pathlib import Path

import orjson
import pytest

from harness.report.index import write_report
from harness.results.table import append_all
from tests.report.runs import add_run
from tests.report.tables import many_rows
from tests.results.rows import a_row

MOST_BYTES = 6 << 20


def data(index: Path) -> dict[str, object]:
    (text,) = re.findall(r'id="rows">(.*?)</script>', index.read_text(), re.DOTALL)
    made = orjson.loads(text)
    assert isinstance(made, dict)
    return made


def test_five_thousand_rows_stay_small(tmp_path: Path) -> None:
    append_all(tmp_path / "results.tsv", many_rows(5_000))
    made = write_report(tmp_path, tmp_path / "report")
    assert (made.rows, made.size_bytes < MOST_BYTES) == (5_000, True)


def test_a_second_report_keeps_the_pages_of_runs(tmp_path: Path) -> None:
    add_run(tmp_path, a_row(run_id="r1"))
    first = write_report(tmp_path, tmp_path / "report")
    second = write_report(tmp_path, tmp_path / "report")
    assert [(r.pages, r.kept) for r in (first, second)] == [(1, 0), (0, 1)]


def test_a_page_is_made_again_when_its_run_was_judged_again(tmp_path: Path) -> None:
    import os

    folder = add_run(tmp_path, a_row(run_id="r1"))
    page = tmp_path / "report/runs/r1.html"
    write_report(tmp_path, tmp_path / "report")
    later = page.stat().st_mtime + 5
    os.utime(folder / "checks.json", (later, later))
    assert write_report(tmp_path, tmp_path / "report").pages == 1


@pytest.mark.parametrize(("which", "pages"), [("all", ["r1", "r2"]), ("failing", ["r2"]), ("none", [])])
def test_only_the_runs_asked_for_get_a_page(tmp_path: Path, which: str, pages: list[str]) -> None:
    add_run(tmp_path, a_row(run_id="r1"))
    add_run(tmp_path, a_row(run_id="r2", trial="2", pass_="fail"))
    write_report(tmp_path, tmp_path / "report", which=which)  # type: ignore[arg-type]
    assert sorted(p.stem for p in (tmp_path / "report/runs").iterdir()) == pages


def test_text_of_a_row_cannot_leave_the_page_s_data(tmp_path: Path) -> None:
    evil = "</script><script>alert(1)</script><!--"
    append_all(
        tmp_path / "results.tsv", [a_row(run_id="r1", reason=evil, scenario=evil, arm=evil, pass_="invalid")]
    )
    index = write_report(tmp_path, tmp_path / "report").index
    html = index.read_text()
    assert html.count("<script") == 2 and "<!--" not in html.partition("<svg")[0]
    words = data(index)["words"]
    assert isinstance(words, dict) and words["reason"] == [evil]


def test_rows_that_no_longer_count_are_told_apart(tmp_path: Path) -> None:
    append_all(tmp_path / "results.tsv", [a_row(run_id="r1", pass_="fail"), a_row(run_id="r2")])
    made = data(write_report(tmp_path, tmp_path / "report").index)
    places, lines = made["places"], made["rows"]
    assert isinstance(places, dict) and isinstance(lines, list)
    assert [(line[places["run"]], line[places["counts"]]) for line in lines] == [("r2", 1), ("r1", 0)]


def test_a_torn_line_is_named_in_the_report(tmp_path: Path) -> None:
    append_all(tmp_path / "results.tsv", [a_row(run_id="r1")])
    with (tmp_path / "results.tsv").open("a") as table:
        table.write("R1\thaiku")
    made = write_report(tmp_path, tmp_path / "report")
    assert "results.tsv:3" in made.faults[0] and "results.tsv:3" in made.index.read_text()


def test_an_empty_table_is_a_report_too(tmp_path: Path) -> None:
    append_all(tmp_path / "results.tsv", [])
    assert "no suite" in write_report(tmp_path, tmp_path / "report").index.read_text()


def test_nothing_in_the_report_names_another_place(tmp_path: Path) -> None:
    append_all(tmp_path / "results.tsv", many_rows(60))
    html = write_report(tmp_path, tmp_path / "report").index.read_text()
    found = set(re.findall(r"""(?:src|href|action|data)\s*=\s*["'](https?:|//)[^"']*""", html))
    assert not found and "url(http" not in html and "@import" not in html
