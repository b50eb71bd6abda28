"""The figures agree with published values, and no data says nothing."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.stats import (
    cost_equivalent_tokens,
    mcnemar_exact,
    needed_trials,
    paired_bootstrap,
    pass_at_k,
    pass_hat_k,
    wilson,
)


@pytest.mark.parametrize(
    ("k", "n", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
    ids=["newcombe-1", "newcombe-2", "newcombe-3", "newcombe-4"],
)
def test_wilson_agrees_with_newcombe_1998(k: int, n: int, low: float, high: float) -> None:
    assert wilson(k, n) == pytest.approx((low, high), abs=5e-5)


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_holds_the_rate_and_stays_within_0_and_1(kn: tuple[int, int]) -> None:
    interval = wilson(*kn)
    assert interval is not None
    assert 0.0 <= interval.low <= kn[0] / kn[1] + 1e-12 <= interval.high + 2e-12 <= 1.0 + 2e-12


def test_no_trials_have_no_interval() -> None:
    assert wilson(0, 0) is None


@pytest.mark.parametrize(("b", "c", "p"), [(5, 0, 0.0625), (6, 0, 0.03125), (1, 1, 1.0), (2, 10, 0.0385742)])
def test_mcnemar_is_the_exact_binomial(b: int, c: int, p: float) -> None:
    assert mcnemar_exact(b, c) == pytest.approx(p, abs=1e-7)


def test_mcnemar_of_no_differing_pair_is_not_known() -> None:
    assert mcnemar_exact(0, 0) is None


def test_the_bootstrap_of_one_constant_difference_is_that_difference() -> None:
    assert paired_bootstrap([0, 0, 0], [1, 1, 1]) == (1.0, 1.0)


def test_the_bootstrap_is_near_the_normal_interval_for_many_pairs() -> None:
    a, b = [0.0] * 400, [1.0, 0.0] * 200
    assert paired_bootstrap(a, b) == pytest.approx((0.451, 0.549), abs=0.006)


def test_the_bootstrap_is_the_same_every_time() -> None:
    a, b = [0.0, 1.0, 0.0, 1.0], [1.0, 1.0, 0.0, 0.0]
    assert paired_bootstrap(a, b) == paired_bootstrap(a, b)


def test_trials_that_only_repeat_their_scenario_do_not_narrow_the_interval() -> None:
    once = [0.0, 1.0, 0.0, 1.0, 1.0, 0.0]
    scenarios = [str(n) for n in range(6)]
    single = paired_bootstrap([0.0] * 6, once, scenarios)
    repeated = paired_bootstrap([0.0] * 60, once * 10, scenarios * 10)
    assert single == repeated


@pytest.mark.parametrize("pairs", [[], [1.0]], ids=["none", "one"])
def test_the_bootstrap_of_fewer_than_two_pairs_is_not_known(pairs: list[float]) -> None:
    assert paired_bootstrap(pairs, pairs) is None


@given(st.lists(st.booleans(), min_size=1, max_size=8), st.integers(1, 8))
def test_pass_at_k_and_pass_hat_k_are_shares_of_all_draws(trials: list[bool], k: int) -> None:
    draws = list(combinations(trials, k))
    at, hat = pass_at_k(len(trials), sum(trials), k), pass_hat_k(len(trials), sum(trials), k)
    if not draws:
        assert (at, hat) == (None, None)
    else:
        assert at == pytest.approx(sum(map(any, draws)) / len(draws))
        assert hat == pytest.approx(sum(map(all, draws)) / len(draws))


def test_pass_at_k_does_not_overflow() -> None:
    assert pass_at_k(10_000, 1, 5_000) == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("only_a", "only_b", "pairs", "more"),
    [
        (0, 0, 10, None),
        (3, 3, 10, None),
        (0, 0, 0, None),
        (0, 6, 10, 0),
        (0, 1, 7, 46),
        (0, 5, 5, 1),
        (0, 3, 3, 3),
    ],
    ids=["nothing-differs", "both-alike", "no-pairs", "told", "one-of-seven", "one-short", "three-short"],
)
def test_how_many_more_pairs_would_tell(only_a: int, only_b: int, pairs: int, more: int | None) -> None:
    assert needed_trials(only_a, only_b, pairs) == more


def test_connors_number_of_pairs() -> None:
    # (1.95996 * sqrt(0.35) + 0.84162 * sqrt(0.35 - 0.15 ** 2)) ** 2 / 0.15 ** 2 = 119.7 pairs for 25 % against 10 %.
    assert needed_trials(10, 4, 40) == 80


def test_tokens_are_weighed_by_their_price() -> None:
    assert cost_equivalent_tokens(input=100, cache_write=100, cache_read=100, output=100) == pytest.approx(
        735
    )
