"""The report in a real headless Chromium: Debian's, driven by playwright. Without either, these tests are skipped."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness.report.index import write_report
from harness.results.table import append_all
from tests.browser.watched import Open, opener
from tests.report.runs import PLAIN, add_run, answer, assistant, call, result, said
from tests.report.tables import many_rows
from tests.results.rows import a_row

if TYPE_CHECKING:
    from playwright.sync_api import Browser

CHROMIUM = os.environ.get("HARNESS_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars")
EVIL = '</pre></script><script>document.title="taken"</script><img src="http://example.invalid/x" onerror="document.title=1">'


@pytest.fixture(scope="module")
def browser() -> Iterator["Browser"]:
    """One for each module: playwright's loop must not run on while other tests start theirs."""
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="playwright is not installed (make setup-dev)"
    )
    if CHROMIUM is None:
        pytest.skip("there is no chromium (Debian: apt-get install chromium)")
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def screenshots(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Kept where HARNESS_SCREENSHOTS says, for CI to take along."""
    named = os.environ.get("HARNESS_SCREENSHOTS")
    folder = Path(named) if named else tmp_path_factory.mktemp("screenshots")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture
def open_page(browser: "Browser") -> Iterator[Open]:
    yield opener(browser)
    for context in browser.contexts:
        context.close()


@pytest.fixture(scope="session")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A few hundred rows over some nights, three of them with run folders; one of those is hostile."""
    results = tmp_path_factory.mktemp("browser") / "results"
    append_all(results / "results.tsv", many_rows(600))
    add_run(results, a_row(run_id="good", suite="demo", scenario="A1"), PLAIN)
    add_run(
        results,
        a_row(run_id="bad", suite="demo", scenario="A2", pass_="fail", reason="did not consult"),
        PLAIN,
    )
    hostile = [
        assistant(said(EVIL), call("Bash", {"command": EVIL}), message="m1"),
        answer("\x1b[31m" + EVIL + "y" * 10_000_000),
        result(EVIL),
    ]
    add_run(
        results,
        a_row(run_id="evil", suite="demo", scenario="A3", pass_="fail", reason=EVIL),
        hostile,
        prompt=EVIL,
        context=EVIL,
        diff="+" + EVIL,
    )
    return write_report(results, results / "report").index
