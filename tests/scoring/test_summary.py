"""The summary is of the whole file, and says apart what was run this time."""

from harness.scoring.loop import loop_tsv
from harness.scoring.summary import render_summary, summary
from tests.results.rows import a_row


def test_ts05_a_resumed_grid_is_told_whole_and_this_time_apart() -> None:
    old = [a_row(run_id=f"r{n}", trial=str(n)) for n in range(90)]
    new = [a_row(run_id=f"r{n}", trial=str(n), pass_="invalid", status="api_error") for n in range(90, 100)]
    found = summary([*old, *new], here=[row.run_id for row in new])
    assert (found.here.invalid, found.here.cells) == (10, 10)
    assert (found.whole.invalid, found.whole.cells) == (10, 100)


def test_ts05_a_cell_run_again_counts_once() -> None:
    found = summary([a_row(run_id="r1", pass_="invalid"), a_row(run_id="r2")])
    assert (found.whole.passed, found.whole.invalid) == (1, 0)


def test_arms_are_told_apart() -> None:
    found = summary([a_row(arm="baseline", pass_="fail"), a_row(arm="new")])
    assert [(one.arm, one.tally.pass_rate) for one in found.arms] == [("baseline", 0.0), ("new", 1.0)]


def test_a_rate_of_no_valid_row_is_not_known() -> None:
    assert summary([a_row(pass_="invalid")]).whole.pass_rate is None


def test_the_text_shows_invalid_beside_pass() -> None:
    text = render_summary(summary([a_row(), a_row(trial="2", pass_="invalid", axis_a="n/a", axis_b="n/a")]))
    assert text.startswith("os-adr new haiku: 1/1 pass, 1/2 invalid, axis a 1/1, axis b 1/1, $0.0246\n")


def test_the_loop_form_begins_with_its_direction() -> None:
    assert loop_tsv([a_row(), a_row(trial="2", pass_="fail", axis_b="false")]) == (
        "# metric_direction: higher_is_better\n"
        "scenario\tmodel\taxis_a\taxis_b\tpass\n"
        "R1\thaiku\ttrue\ttrue\tpass\n"
        "R1\thaiku\ttrue\tfalse\tfail\n"
    )
