"""What can be said about rates from few trials: intervals, paired comparison, pass@k. No data gives None, never 0.

scipy is imported where it is used: it takes longer to load than most commands take to run.
"""

import math
from collections.abc import Hashable, Sequence
from statistics import NormalDist
from typing import NamedTuple

ALPHA = 0.05
INPUT_WEIGHT = 1.0
CACHE_WRITE_WEIGHT = 1.25
CACHE_READ_WEIGHT = 0.1
OUTPUT_WEIGHT = 5.0
_RESAMPLES = 9999
_FEWEST_GROUPS = 5


class Interval(NamedTuple):
    low: float
    high: float


def wilson(k: int, n: int, confidence: float = 0.95) -> Interval | None:
    """The Wilson score interval of ``k`` successes in ``n`` trials."""
    if n == 0:
        return None
    from scipy.stats import binomtest

    found = binomtest(k, n).proportion_ci(confidence_level=confidence, method="wilson")
    return Interval(max(0.0, float(found.low)), min(1.0, float(found.high)))


def mcnemar_exact(only_a: int, only_b: int) -> float | None:
    """Two-sided exact p that pairs which differ favour neither side; None where no pair differs."""
    if only_a + only_b == 0:
        return None
    from scipy.stats import binomtest

    return float(binomtest(only_a, only_a + only_b, 0.5).pvalue)


def paired_bootstrap(
    a: Sequence[float],
    b: Sequence[float],
    groups: Sequence[Hashable] | None = None,
    *,
    confidence: float = 0.95,
    seed: int = 0,
) -> Interval | None:
    """A percentile interval of mean(b - a) over pairs; None for fewer than two pairs.

    With ``groups`` (the scenario of each pair) whole groups are drawn, since trials of one scenario are alike; fewer than
    five groups are too few to draw from, and pairs are drawn instead.
    """
    sums, sizes = _grouped([y - x for x, y in zip(a, b, strict=True)], groups)
    if len(sums) < 2:
        return None
    import numpy
    from scipy.stats import bootstrap

    def mean(total: "numpy.ndarray", size: "numpy.ndarray", axis: int = -1) -> "numpy.ndarray":
        return numpy.asarray(total.sum(axis=axis) / size.sum(axis=axis))

    found = bootstrap(
        (numpy.array(sums), numpy.array(sizes)),
        mean,
        paired=True,
        vectorized=True,
        n_resamples=_RESAMPLES,
        batch=500,
        confidence_level=confidence,
        method="percentile",
        rng=numpy.random.default_rng(seed),
    ).confidence_interval
    return Interval(float(found.low), float(found.high))


def _grouped(differences: list[float], groups: Sequence[Hashable] | None) -> tuple[list[float], list[int]]:
    if groups is None or len(set(groups)) < _FEWEST_GROUPS:
        return differences, [1] * len(differences)
    sums: dict[Hashable, float] = {}
    sizes: dict[Hashable, int] = {}
    for group, difference in zip(groups, differences, strict=True):
        sums[group] = sums.get(group, 0.0) + difference
        sizes[group] = sizes.get(group, 0) + 1
    return list(sums.values()), list(sizes.values())


def pass_at_k(n: int, passed: int, k: int) -> float | None:
    """The unbiased estimate that at least one of ``k`` trials passes; None for fewer than ``k`` trials."""
    if not 1 <= k <= n:
        return None
    return 1.0 - math.comb(n - passed, k) / math.comb(n, k)


def pass_hat_k(n: int, passed: int, k: int) -> float | None:
    """The unbiased estimate that all of ``k`` trials pass (pass^k); None for fewer than ``k`` trials."""
    if not 1 <= k <= n:
        return None
    return math.comb(passed, k) / math.comb(n, k)


def needed_trials(
    only_a: int, only_b: int, pairs: int, *, alpha: float = ALPHA, power: float = 0.8
) -> int | None:
    """How many more pairs would tell the sides apart, if pairs go on to differ as they did; 0 where they are told apart already.

    None where no number would: nothing differs so far, or both directions alike. After Connor (1987), and never fewer than the
    exact test needs when all differing pairs agree.
    """
    if pairs <= 0 or only_a == only_b:
        return None
    p = mcnemar_exact(only_a, only_b)
    if p is not None and p < alpha:
        return 0
    differing, difference = (only_a + only_b) / pairs, abs(only_a - only_b) / pairs
    normal = NormalDist()
    reach = normal.inv_cdf(1 - alpha / 2) * math.sqrt(differing)
    reach += normal.inv_cdf(power) * math.sqrt(differing - difference**2)
    fewest_differing = math.floor(math.log2(2 / alpha)) + 1
    total = max(math.ceil(reach**2 / difference**2), math.ceil(fewest_differing / differing))
    return max(1, total - pairs)


def cost_equivalent_tokens(*, input: float, cache_write: float, cache_read: float, output: float) -> float:
    """Tokens weighed by what they cost, in input tokens; comparable between models and price lists."""
    return (
        INPUT_WEIGHT * input
        + CACHE_WRITE_WEIGHT * cache_write
        + CACHE_READ_WEIGHT * cache_read
        + OUTPUT_WEIGHT * output
    )
