"""The sum of what is spent and what is set aside never passes the total, whatever runs cost and in whatever order they end."""

import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import UserError
from harness.plan.budget import Ledger, Reservation, Standing

DOLLARS = st.floats(0, 20, allow_nan=False)
STEPS = st.lists(st.tuples(st.floats(0, 3), st.floats(0, 1), st.sampled_from([0, 0, 0, 1, 2])), max_size=40)


def committed(standing: Standing) -> float:
    return standing.spent_usd + standing.reserved_usd


def reserve(ledger: Ledger, cap_usd: float) -> Reservation:
    reservation = ledger.reserve(cap_usd)
    assert reservation is not None
    return reservation


@given(DOLLARS, STEPS)
def test_runs_within_their_caps_never_pass_the_total(
    total: float, steps: list[tuple[float, float, int]]
) -> None:
    ledger = Ledger(total_usd=total)
    running: list[tuple[Reservation, float]] = []
    for cap, share, ending in steps:
        reservation = ledger.reserve(cap)
        if reservation is not None:
            running.append((reservation, cap * share))
        assert committed(ledger.standing()) <= total + 1e-9
        for held, actual in running[:ending]:
            held.settle(actual)
        del running[:ending]
        assert committed(ledger.standing()) <= total + 1e-9


@given(DOLLARS, st.lists(st.tuples(DOLLARS, DOLLARS), max_size=40))
def test_runs_over_their_caps_pass_the_total_by_no_more_than_their_excess(
    total: float, runs: list[tuple[float, float]]
) -> None:
    ledger = Ledger(total_usd=total)
    for cap, actual in runs:
        reservation = ledger.reserve(cap)
        if reservation is not None:
            reservation.settle(actual)
        standing = ledger.standing()
        assert committed(standing) <= total + standing.overshoot_usd + 1e-9


@given(DOLLARS, st.lists(st.tuples(DOLLARS, DOLLARS), max_size=40))
def test_nothing_starts_that_the_rest_does_not_cover(total: float, runs: list[tuple[float, float]]) -> None:
    ledger = Ledger(total_usd=total)
    for cap, actual in runs:
        reservation = ledger.reserve(cap)
        if reservation is not None:
            assert committed(ledger.standing()) <= total + 1e-9
            reservation.settle(actual)


@given(st.integers(0, 20), st.lists(st.booleans(), max_size=60))
def test_runs_started_never_pass_the_total_of_runs(total: int, ends: list[bool]) -> None:
    ledger = Ledger(total_runs=total)
    running: list[Reservation] = []
    for end in ends:
        reservation = ledger.reserve(None)
        if reservation is not None:
            running.append(reservation)
        if end and running:
            running.pop().settle(1.0)
        standing = ledger.standing()
        assert standing.runs_done + standing.runs_reserved <= total


@pytest.fixture
def _hasty_threads() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("_hasty_threads")
def test_lanes_that_reserve_at_once_share_one_total() -> None:
    ledgers = [Ledger(total_usd=0.04) for _ in range(300)]
    together = threading.Barrier(8)

    def lane(_: int) -> list[bool]:
        held = []
        for ledger in ledgers:
            together.wait()
            held.append(ledger.reserve(0.01) is not None)
        return held

    with ThreadPoolExecutor(8) as pool:
        lanes = list(pool.map(lane, range(8)))
    assert [sum(held) for held in zip(*lanes, strict=True)] == [4] * 300


def test_a_run_that_does_not_fit_is_not_started() -> None:
    ledger = Ledger(total_usd=1.0)
    reserve(ledger, 0.6)
    assert ledger.reserve(0.5) is None


def test_what_a_run_did_not_use_is_free_again() -> None:
    ledger = Ledger(total_usd=1.0)
    reserve(ledger, 0.6).settle(0.1)
    assert ledger.reserve(0.9) is not None


def test_waiting_can_help_while_what_runs_may_cost_less() -> None:
    ledger = Ledger(total_usd=1.0)
    held = reserve(ledger, 0.6)
    assert ledger.can_ever_fit(0.5)
    held.settle(0.6)
    assert not ledger.can_ever_fit(0.5)


def test_ten_dimes_are_a_dollar() -> None:
    ledger = Ledger(total_usd=1.0)
    assert [ledger.reserve(0.1) is not None for _ in range(11)] == [True] * 10 + [False]


@pytest.mark.parametrize(
    "actual", [None, float("nan"), float("inf"), -1.0], ids=["none", "nan", "inf", "negative"]
)
def test_a_cost_that_is_not_known_counts_as_the_cap(actual: float | None) -> None:
    ledger = Ledger(total_usd=1.0)
    reserve(ledger, 0.6).settle(actual)
    assert ledger.standing().spent_usd == 0.6


def test_a_run_that_was_never_started_costs_neither_money_nor_a_run() -> None:
    ledger = Ledger(total_usd=1.0, total_runs=1)
    reserve(ledger, 1.0).cancel()
    assert ledger.reserve(1.0) is not None


def test_an_excess_is_recorded_and_set_aside_for_later_runs() -> None:
    ledger = Ledger(total_usd=10.0)
    reserve(ledger, 1.0).settle(1.5)
    reserve(ledger, 1.0)
    standing = ledger.standing()
    assert standing == Standing(
        spent_usd=1.5, reserved_usd=1.5, runs_done=1, runs_reserved=1, overshoots=1, overshoot_usd=0.5
    )


def test_settling_twice_is_an_error() -> None:
    held = reserve(Ledger(total_usd=1.0), 0.5)
    held.settle(0.1)
    with pytest.raises(ValueError, match="settled before"):
        held.settle(0.1)


def test_what_earlier_rows_cost_counts() -> None:
    assert Ledger(total_usd=1.0, spent_usd=0.9).reserve(0.2) is None


def test_a_run_without_a_cap_is_refused_under_a_budget_in_dollars() -> None:
    with pytest.raises(UserError, match="max_cost_usd"):
        Ledger(total_usd=1.0).reserve(None)


@pytest.mark.parametrize("total", [-1.0, float("nan"), float("inf")])
def test_a_budget_that_is_no_amount_is_refused(total: float) -> None:
    with pytest.raises(UserError, match="is not possible"):
        Ledger(total_usd=total)


def test_without_a_total_everything_fits_and_is_counted() -> None:
    ledger = Ledger()
    reserve(ledger, 5.0).settle(7.0)
    assert ledger.standing() == Standing(
        spent_usd=7.0, reserved_usd=0.0, runs_done=1, runs_reserved=0, overshoots=0, overshoot_usd=0.0
    )
