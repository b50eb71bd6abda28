"""A loop gets a number only where there is one to give."""

import pytest

from harness.errors import UserError
from harness.model.row import Row
from harness.scoring.score import render_score, score
from tests.results.rows import a_row


def rows(*verdicts: str, **cells: str) -> list[Row]:
    return [a_row(trial=str(n), pass_=verdict, **cells) for n, verdict in enumerate(verdicts, start=1)]


def test_the_pass_rate_is_the_share_of_valid_cells() -> None:
    assert score(rows("pass", "fail", "pass", "pass")).value == 0.75


def test_the_axis_a_rate_leaves_out_rows_it_does_not_apply_to() -> None:
    found = score(
        [*rows("pass"), a_row(trial="2", axis_a="n/a"), a_row(trial="3", axis_a="false")], "axis-a-rate"
    )
    assert (found.value, found.n) == (0.5, 2)


def test_the_axis_b_rate_counts_axis_b() -> None:
    assert score(rows("pass", axis_b="false"), "axis-b-rate").value == 0.0


def test_an_unresolved_invalid_cell_gives_no_number_and_exit_3() -> None:
    found = score(rows("pass", "invalid", status="api_error"))
    assert (found.value, found.exit_code) == (None, 3)
    assert found.reason == "1 invalid cell to run again: R1 new haiku trial 2 (api_error)"


def test_an_invalid_cell_that_was_run_again_is_resolved() -> None:
    assert score([a_row(pass_="invalid"), a_row(pass_="pass")]).value == 1.0


@pytest.mark.parametrize("min_valid", [1, 5])
def test_is10_no_rows_are_no_score(min_valid: int) -> None:
    found = score([], min_valid=min_valid)
    assert (found.value, found.exit_code, found.interval) == (None, 3, None)


def test_short_coverage_gives_no_number() -> None:
    assert score(rows("pass"), min_valid=2).reason == "1 valid cell where --min-valid asks for 2"


def test_rows_of_older_inputs_are_named_where_coverage_is_short() -> None:
    found = score([a_row(trial="2", plugin_digest="old"), a_row()], min_valid=2)
    assert found.reason == "1 valid cell where --min-valid asks for 2 (1 more of older inputs)"


def test_is10_a_minimum_of_none_is_refused() -> None:
    with pytest.raises(UserError, match="at least 1"):
        score([], min_valid=0)


def test_a_metric_that_there_is_not_is_refused() -> None:
    with pytest.raises(UserError, match="there are pass-rate, axis-a-rate, axis-b-rate and win-rate"):
        score([], "speed")


def test_the_last_line_is_the_number() -> None:
    assert render_score(score(rows("pass", "pass", "fail"))).split("\n")[-2:] == ["0.666667", ""]


def test_without_a_score_no_line_is_a_number() -> None:
    text = render_score(score(rows("invalid")))
    assert [line for line in text.split("\n") if line.replace(".", "").isdigit()] == []
