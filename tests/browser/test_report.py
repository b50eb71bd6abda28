"""The report as a person uses it in a browser, from the disk."""

import time
from pathlib import Path

import pytest

from harness.report.index import write_report
from harness.results.table import append_all
from tests.browser.watched import Open, Watched
from tests.report.tables import many_rows

OPENS_WITHIN_S = 2.0


def rows(watched: Watched) -> list[str]:
    """The run table's lines, each as its scenario, arm and result."""
    found = watched.page.eval_on_selector_all(
        "#list tbody tr", "all => all.map(r => [1, 2, 0].map(n => r.cells[n].textContent).join(' '))"
    )
    return [str(line) for line in found]


def count(watched: Watched) -> str:
    return watched.page.locator("#count").inner_text()


def settle(watched: Watched) -> None:
    watched.page.wait_for_timeout(200)  # the filters wait for a pause in typing


def test_the_report_opens_without_a_request_or_a_complaint(
    open_page: Open, report: Path, screenshots: Path
) -> None:
    watched = open_page(report)
    assert "valid cells pass" in watched.page.locator("header").inner_text()
    assert watched.page.locator("svg[role=img]").count() == 3
    watched.page.screenshot(path=screenshots / "report.png", full_page=True)
    assert (watched.left, watched.complaints) == ([], [])


def test_five_thousand_rows_open_within_two_seconds(open_page: Open, tmp_path: Path) -> None:
    append_all(tmp_path / "results.tsv", many_rows(5_000))
    index = write_report(tmp_path, tmp_path / "report").index
    watched = open_page(index)
    times: list[float] = []
    while (
        len(times) < 10 and min(times, default=OPENS_WITHIN_S) >= OPENS_WITHIN_S
    ):  # a busy machine may need another go
        began = time.monotonic()
        watched.page.reload()
        watched.page.locator("#list tbody tr").first.wait_for()
        times.append(time.monotonic() - began)
    assert min(times) < OPENS_WITHIN_S, times


def test_a_filter_narrows_runs_and_grid(open_page: Open, report: Path) -> None:
    watched = open_page(report)
    watched.page.locator("#suite").select_option("demo")
    watched.page.locator("#verdict").select_option("fail")
    settle(watched)
    assert sorted(rows(watched)) == ["A2 new fail", "A3 new fail"]
    shown = watched.page.locator(".grid tbody tr:visible th").all_inner_texts()
    assert shown == ["A2", "A3"]


def test_a_search_finds_words_of_the_reason(open_page: Open, report: Path) -> None:
    watched = open_page(report)
    watched.page.keyboard.press("/")
    watched.page.keyboard.type("did not CONSULT")
    watched.page.locator("#suite").select_option("demo")
    settle(watched)
    assert rows(watched) == ["A2 new fail"]


def test_a_deep_link_opens_with_its_filters_set(open_page: Open, report: Path) -> None:
    watched = open_page(report, fragment="#suite=demo&scenario=A2")
    assert (rows(watched), watched.page.locator("#scenario").input_value()) == (["A2 new fail"], "A2")


def test_the_filters_make_the_link(open_page: Open, report: Path) -> None:
    watched = open_page(report)
    watched.page.locator("#arm").select_option("baseline")
    settle(watched)
    again = open_page(report, fragment="#" + watched.page.url.partition("#")[2])
    assert count(again) == count(watched) and "baseline" in watched.page.url


def test_a_cell_of_the_grid_opens_its_runs(open_page: Open, report: Path) -> None:
    watched = open_page(report)
    watched.page.locator(".suite[data-suite=demo] td.cell a").first.click()
    settle(watched)
    assert rows(watched) == ["A1 new pass"]


def test_keys_walk_the_runs_and_escape_clears(open_page: Open, report: Path) -> None:
    watched = open_page(report, fragment="#suite=demo")
    watched.page.keyboard.press("j")
    watched.page.keyboard.press("j")
    assert watched.page.evaluate("document.activeElement.closest('tr').rowIndex") == 2
    watched.page.keyboard.press("k")
    assert watched.page.evaluate("document.activeElement.closest('tr').rowIndex") == 1
    watched.page.keyboard.press("Escape")
    settle(watched)
    assert watched.page.locator("#suite").input_value() == ""


def test_enter_on_a_run_opens_its_page(open_page: Open, report: Path) -> None:
    watched = open_page(report, fragment="#suite=demo&scenario=A1")
    watched.page.keyboard.press("j")
    watched.page.keyboard.press("Enter")
    watched.page.wait_for_url("**/runs/good.html")
    assert "demo A1" in watched.page.locator("h1").inner_text()


def test_more_runs_come_on_demand(open_page: Open, report: Path) -> None:
    watched = open_page(report, fragment="#old=1")
    before = len(rows(watched))
    watched.page.locator("#more").click()
    assert (before, len(rows(watched))) == (200, 400)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_a_narrow_screen_never_scrolls_sideways(
    open_page: Open, report: Path, screenshots: Path, dark: bool
) -> None:
    watched = open_page(report, width=400, dark=dark)
    assert watched.page.evaluate("document.documentElement.scrollWidth") == 400
    watched.page.screenshot(path=screenshots / f"report-400-{'dark' if dark else 'light'}.png")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_text_is_readable_in_either_colour_scheme(open_page: Open, report: Path, dark: bool) -> None:
    watched = open_page(report, dark=dark)
    contrast = watched.page.evaluate(
        """() => {
          const light = (text) => {
            const [r, g, b] = text.match(/[\\d.]+/g).map(v => v / 255)
              .map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
            return 0.2126 * r + 0.7152 * g + 0.0722 * b;
          };
          const worst = [];
          for (const one of document.querySelectorAll("td.pass b, td.fail b, .tag, .faint, th, td")) {
            let behind = one;
            while (behind && getComputedStyle(behind).backgroundColor === "rgba(0, 0, 0, 0)") behind = behind.parentElement;
            const pair = [light(getComputedStyle(one).color), light(getComputedStyle(behind || document.body).backgroundColor)];
            worst.push((Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05));
          }
          return Math.min(...worst);
        }"""
    )
    assert contrast >= 4.5
