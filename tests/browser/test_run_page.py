"""A run's page in a browser: complete by keyboard, and dead to whatever the run had put in it."""

from pathlib import Path

import pytest

from tests.browser.watched import Open


def page_of(report: Path, run_id: str) -> Path:
    return report.parent / "runs" / f"{run_id}.html"


def test_a_page_opens_without_a_request_or_a_complaint(
    open_page: Open, report: Path, screenshots: Path
) -> None:
    watched = open_page(page_of(report, "good"))
    watched.page.screenshot(path=screenshots / "run.png", full_page=True)
    assert (watched.left, watched.complaints) == ([], [])


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_a_hostile_run_does_nothing(open_page: Open, report: Path, dark: bool) -> None:
    watched = open_page(page_of(report, "evil"), dark=dark)
    watched.page.locator("[data-fold=open]").click()
    assert watched.page.title() == "A3 new haiku #1: fail"
    assert watched.page.locator("img, iframe, object, embed, form").count() == 0
    assert (watched.left, watched.complaints) == ([], [])


def test_a_hostile_reason_does_nothing_in_the_report(open_page: Open, report: Path) -> None:
    watched = open_page(report, fragment="#suite=demo")
    assert watched.page.title() == "harness report"
    assert watched.page.locator("#list img").count() == 0 and watched.left == []


def test_the_policy_stops_what_gets_in_all_the_same(open_page: Open, report: Path) -> None:
    watched = open_page(page_of(report, "good"))
    watched.page.evaluate(
        """() => {
          const script = document.createElement("script");
          script.textContent = "document.title = 'taken'";
          const image = new Image();
          image.src = "http://example.invalid/x.png";
          document.body.append(script, image);
        }"""
    )
    watched.page.wait_for_timeout(200)
    assert watched.page.title() != "taken"
    assert len([c for c in watched.complaints if "Content Security Policy" in c]) >= 2


def test_a_deep_link_opens_its_step(open_page: Open, report: Path) -> None:
    watched = open_page(page_of(report, "bad"), fragment="#s0")
    assert watched.page.locator("#s0").get_attribute("open") is not None


def test_keys_walk_the_steps_and_space_folds_them(open_page: Open, report: Path) -> None:
    watched = open_page(page_of(report, "good"))
    watched.page.keyboard.press("j")
    was_open = watched.page.evaluate("document.activeElement.parentElement.open")
    watched.page.keyboard.press("Space")
    assert watched.page.evaluate("document.activeElement.parentElement.open") is not was_open


def test_only_marked_steps_can_be_unfolded(open_page: Open, report: Path) -> None:
    watched = open_page(page_of(report, "good"))
    watched.page.locator("[data-fold=marked]").click()
    opened = watched.page.locator("details.step[open]")
    assert opened.count() == watched.page.locator("details.step.marked").count() > 0


def test_the_command_to_repeat_the_run_is_copied(open_page: Open, report: Path) -> None:
    watched = open_page(page_of(report, "good"))
    watched.page.locator("[data-copy=again]").click()
    assert watched.page.locator("#said").inner_text() == "copied"


def test_ten_megabytes_stay_in_the_raw_file(open_page: Open, report: Path) -> None:
    page = page_of(report, "evil")
    assert page.stat().st_size < 200_000
    watched = open_page(page, width=400)
    watched.page.locator("[data-fold=open]").click()
    assert watched.page.evaluate("document.documentElement.scrollWidth") == 400
    raw = watched.page.locator("text=the whole is in the raw file").first.get_attribute("href") or ""
    assert (page.parent / raw).is_file()
