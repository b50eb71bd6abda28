"""Only the last word on a cell counts, and only of the inputs that were run last."""

import pytest

from harness.scoring.current import current, number
from tests.results.rows import a_row


def test_the_last_row_of_a_cell_counts() -> None:
    assert [row.run_id for row in current([a_row(run_id="r1"), a_row(run_id="r2")]).rows] == ["r2"]


def test_trials_are_cells_of_their_own() -> None:
    assert len(current([a_row(trial="1"), a_row(trial="2")]).rows) == 2


@pytest.mark.parametrize("column", ["plugin_digest", "scenario_digest", "cli_version"])
def test_ts07_rows_of_older_inputs_are_not_mixed_in(column: str) -> None:
    rows = [a_row(trial=t, **{column: "old"}) for t in "123"] + [a_row(trial="1", **{column: "new"})]
    found = current(rows)
    assert ([row.trial for row in found.rows], found.stale) == (["1"], 2)


def test_ts07_one_plugin_version_holds_for_all_scenarios_of_an_arm() -> None:
    rows = [a_row(scenario="R1", plugin_digest="old"), a_row(scenario="R2", plugin_digest="new")]
    assert [row.scenario for row in current(rows).rows] == ["R2"]


def test_arms_have_plugin_versions_of_their_own() -> None:
    rows = [a_row(arm="old", plugin_digest="p0"), a_row(arm="new", plugin_digest="p1")]
    assert len(current(rows).rows) == 2


@pytest.mark.parametrize(
    ("cell", "value"), [("12", 12.0), ("0.5", 0.5), ("", 0.0), ("nan", 0.0), ("-1", 0.0), ("x", 0.0)]
)
def test_a_cell_that_is_no_count_counts_nothing(cell: str, value: float) -> None:
    assert number(cell) == value
