"""Annotations and job summary of GitHub Actions."""

from harness.report.github import MOST_SHOWN, annotations, summary_markdown
from harness.report.overview import overview
from tests.results.rows import a_row


def test_a_fail_is_an_error_at_the_scenario_and_an_invalid_cell_a_warning() -> None:
    rows = [
        a_row(run_id="r1", pass_="fail", reason="bad: 50%"),
        a_row(run_id="r2", trial="2", pass_="invalid", reason="x"),
    ]
    error, warning = annotations(rows)
    assert error.startswith(
        "::error file=scenarios/os-adr/R1/scenario.yaml,line=1,title=R1 new haiku #1%3A fail::bad: 50%25"
    )
    assert warning.startswith("::warning ")


def test_a_reason_cannot_begin_a_command_of_its_own() -> None:
    (line,) = annotations(
        [a_row(pass_="fail", reason="a\n::set-output name=x::y\r\n::error::z", scenario="a,b::c")]
    )
    assert "\n" not in line and "\r" not in line and "a%2Cb%3A%3Ac" in line


def test_what_github_would_not_show_is_counted() -> None:
    rows = [a_row(run_id=f"r{n}", trial=str(n), pass_="fail") for n in range(MOST_SHOWN + 3)]
    assert list(annotations(rows))[-1].startswith("::notice title=harness::3 more cells are fail")


def test_the_summary_is_a_table_that_text_cannot_break() -> None:
    rows = [a_row(run_id="r1"), a_row(run_id="r2", arm="baseline", pass_="invalid", reason="a|b\n<img>@team")]
    text = summary_markdown(overview(rows))
    assert "1 of 1 valid cells pass, 1 of 2 invalid" in text
    assert "a\\|b \\<img\\>\\@team" in text and "✅ 1/1" in text and "⚠️ 0/0 (1 invalid)" in text
