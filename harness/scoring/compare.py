"""Whether one side passes more often than the other, on the same scenarios and trials, and whether that is more than luck."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Literal

from msgspec import Struct

from harness.errors import UserError
from harness.model.row import Row
from harness.scoring.current import current, has_passed, is_valid, number
from harness.stats import (
    ALPHA,
    Interval,
    cost_equivalent_tokens,
    mcnemar_exact,
    needed_trials,
    paired_bootstrap,
    pass_at_k,
    pass_hat_k,
    wilson,
)

KS = (1, 2, 3, 5, 10)
Pair = tuple[str, ...]
Verdict = Literal["b-better", "a-better", "not-enough-data"]


class PassK(Struct, frozen=True, kw_only=True):
    """Means over the side's scenarios, all of which have ``k`` valid trials or more."""

    k: int
    at: float
    """At least one of k trials passes."""
    hat: float
    """All of k trials pass."""


class Side(Struct, frozen=True, kw_only=True):
    name: str
    passed: int
    valid: int
    invalid: int
    stale: int
    rate: float | None
    interval: Interval | None
    pass_k: tuple[PassK, ...]
    tokens: float | None
    """Cost-equivalent tokens of a valid run, on average."""
    cost_usd: float | None
    """Dollars of a valid run, on average."""


class Comparison(Struct, frozen=True, kw_only=True):
    a: Side
    b: Side
    pairs: int
    both: int
    only_a: int
    only_b: int
    neither: int
    unpaired: int
    """Rows that count on one side only, or whose counterpart is invalid."""
    difference: float | None
    """Pass rate of b minus that of a, over the pairs."""
    difference_interval: Interval | None
    p: float | None
    """McNemar, exact, two-sided; None where no pair differs."""
    verdict: Verdict
    needed_pairs: int | None
    """How many more pairs would tell, if they differ as these do; None where no number would."""
    scenarios: int

    @property
    def needed_trials(self) -> int | None:
        """``needed_pairs`` as trials more of every scenario compared."""
        if self.needed_pairs is None or not self.scenarios:
            return None
        return -(-self.needed_pairs // self.scenarios)


def compare(
    rows_a: Iterable[Row], rows_b: Iterable[Row], *, name_a: str = "A", name_b: str = "B"
) -> Comparison:
    """Pair the rows that count by suite, scenario and trial, and by model and arm where the sides share any.

    Raises UserError where a side has two rows for one pair (two models, or two arms, against one).
    """
    a, b = current(rows_a), current(rows_b)
    fields = _pairing(a.rows, b.rows)
    by_pair_a, by_pair_b = _by_pair(a.rows, fields, name_a), _by_pair(b.rows, fields, name_b)
    shared = [key for key in by_pair_a if key in by_pair_b]
    keys = [key for key in shared if is_valid(by_pair_a[key]) and is_valid(by_pair_b[key])]
    passed = [(has_passed(by_pair_a[key]), has_passed(by_pair_b[key])) for key in keys]
    table = Counter(passed)
    only_a, only_b = table[True, False], table[False, True]
    p = mcnemar_exact(only_a, only_b)
    scenarios = [key[:2] for key in keys]
    return Comparison(
        a=_side(name_a, a.rows, a.stale),
        b=_side(name_b, b.rows, b.stale),
        pairs=len(keys),
        both=table[True, True],
        only_a=only_a,
        only_b=only_b,
        neither=table[False, False],
        unpaired=len(by_pair_a) + len(by_pair_b) - 2 * len(keys),
        difference=(only_b - only_a) / len(keys) if keys else None,
        difference_interval=paired_bootstrap([x for x, _ in passed], [y for _, y in passed], scenarios),
        p=p,
        verdict=_verdict(p, only_a, only_b),
        needed_pairs=needed_trials(only_a, only_b, len(keys)),
        scenarios=len({_group(key) for key in keys}),
    )


def _group(key: Pair) -> Pair:
    """A pair's key without its trial."""
    return (*key[:2], *key[3:])


def _pairing(rows_a: tuple[Row, ...], rows_b: tuple[Row, ...]) -> tuple[str, ...]:
    def is_shared(name: str) -> bool:
        return bool({getattr(row, name) for row in rows_a} & {getattr(row, name) for row in rows_b})

    return ("suite", "scenario", "trial", *filter(is_shared, ("model", "arm")))


def _by_pair(rows: tuple[Row, ...], fields: tuple[str, ...], side: str) -> Mapping[Pair, Row]:
    found: dict[Pair, Row] = {}
    for row in rows:
        key = tuple(getattr(row, name) for name in fields)
        other = found.setdefault(key, row)
        if other is not row:
            raise UserError(
                f"{side} has two rows for {row.suite}/{row.scenario} trial {row.trial}: {other.arm} {other.model} and "
                f"{row.arm} {row.model}; choose one arm and one model for it"
            )
    return found


def _verdict(p: float | None, only_a: int, only_b: int) -> Verdict:
    if p is None or p >= ALPHA:
        return "not-enough-data"
    return "b-better" if only_b > only_a else "a-better"


def _side(name: str, rows: tuple[Row, ...], stale: int) -> Side:
    valid = [row for row in rows if is_valid(row)]
    passed, n = sum(map(has_passed, valid)), len(valid)
    return Side(
        name=name,
        passed=passed,
        valid=n,
        invalid=len(rows) - n,
        stale=stale,
        rate=passed / n if n else None,
        interval=wilson(passed, n),
        pass_k=_pass_k(valid),
        tokens=sum(map(_tokens, valid)) / n if n else None,
        cost_usd=sum(number(row.cost_usd) for row in valid) / n if n else None,
    )


def _tokens(row: Row) -> float:
    return cost_equivalent_tokens(
        input=number(row.input_tokens),
        cache_write=number(row.cache_write_tokens),
        cache_read=number(row.cache_read_tokens),
        output=number(row.output_tokens),
    )


def _pass_k(rows: list[Row]) -> tuple[PassK, ...]:
    trials: dict[Pair, list[bool]] = {}
    for row in rows:
        trials.setdefault((row.suite, row.scenario, row.arm, row.model), []).append(has_passed(row))
    found = []
    for k in KS:
        at = [pass_at_k(len(each), sum(each), k) for each in trials.values()]
        hat = [pass_hat_k(len(each), sum(each), k) for each in trials.values()]
        known_at, known_hat = [x for x in at if x is not None], [x for x in hat if x is not None]
        if trials and len(known_at) == len(trials):
            found.append(PassK(k=k, at=sum(known_at) / len(trials), hat=sum(known_hat) / len(trials)))
    return tuple(found)
