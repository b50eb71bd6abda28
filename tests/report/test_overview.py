"""What a table of rows adds up to in the report."""

from harness.report.overview import Side, overview
from tests.results.rows import a_row


def test_a_cell_counts_valid_trials_alone() -> None:
    rows = [
        a_row(run_id="a", trial="1"),
        a_row(run_id="b", trial="2", pass_="fail"),
        a_row(run_id="c", trial="3", pass_="invalid"),
    ]
    (cell,) = overview(rows).grids[0].lines[0].cells
    assert cell is not None
    assert (cell.tally.passed, cell.tally.valid, cell.tally.invalid, cell.flaky) == (1, 2, 1, True)


def test_an_arm_without_a_scenario_has_a_hole() -> None:
    rows = [a_row(run_id="a", arm="new"), a_row(run_id="b", arm="baseline", scenario="R2")]
    grid = overview(rows).grids[0]
    assert grid.sides == (Side("baseline", "haiku"), Side("new", "haiku"))
    assert [[c is not None for c in line.cells] for line in grid.lines] == [[False, True], [True, False]]


def test_scenarios_stand_in_the_order_of_their_numbers() -> None:
    rows = [a_row(run_id=name, scenario=name) for name in ("R10", "R2", "W1", "R1")]
    assert [line.scenario for line in overview(rows).grids[0].lines] == ["R1", "R2", "R10", "W1"]


def test_arms_are_compared_pair_by_pair() -> None:
    rows = [
        a_row(run_id=f"{arm}{trial}", arm=arm, trial=str(trial), pass_="pass" if arm == "new" else "fail")
        for arm in ("baseline", "new")
        for trial in range(1, 9)
    ]
    (pair,) = overview(rows).pairs
    assert (pair.found.a.name, pair.found.b.name, pair.found.only_b, pair.found.verdict) == (
        "baseline",
        "new",
        8,
        "b-better",
    )


def test_a_night_is_the_day_that_the_run_began() -> None:
    rows = [
        a_row(run_id="20261129T230000Z-x", started_at="2026-11-29T23:00:00.000Z"),
        a_row(run_id="20261130T030000Z-x", pass_="fail"),
        a_row(
            run_id="20261129T230000Z-x-r1",
            warnings="rescored from 20261129T230000Z-x",
            started_at="2026-12-05T10:00:00.000Z",
        ),
    ]
    assert [(n.day, n.passed, n.valid) for n in overview(rows).nights] == [
        ("2026-11-29", 1, 1),
        ("2026-11-30", 0, 1),
    ]


def test_reasons_of_invalid_cells_are_counted() -> None:
    rows = [
        a_row(run_id=f"r{n}", trial=str(n), pass_="invalid", status="api_error", reason=why)
        for n, why in enumerate(("overloaded", "credit", "overloaded"))
    ]
    assert [(r.count, r.reason) for r in overview(rows).invalid] == [(2, "overloaded"), (1, "credit")]


def test_no_row_is_no_rate() -> None:
    empty = overview([])
    assert (empty.whole.pass_rate, empty.grids, empty.nights) == (None, (), ())
