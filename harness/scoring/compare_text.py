"""A comparison in plain words."""

from harness.scoring.compare import Comparison, Side
from harness.scoring.words import plural
from harness.stats import Interval


def render_comparison(found: Comparison) -> str:
    lines = [*_side(found.a), *_side(found.b), _pairs(found)]
    if found.difference is not None:
        lines.append(
            f"difference ({found.b.name} - {found.a.name}): {found.difference:+.3f}"
            f"{_span(found.difference_interval, '+.3f')}, McNemar exact "
            + ("p not defined (no pair differs)" if found.p is None else f"p = {found.p:.4f}")
        )
    lines.append(_verdict(found))
    return "\n".join(lines) + "\n"


def _side(side: Side) -> list[str]:
    old = f", {side.stale} of older inputs left out" if side.stale else ""
    if side.rate is None or side.tokens is None or side.cost_usd is None:
        return [f"{side.name}: no valid run, {side.invalid} invalid{old}"]
    first = (
        f"{side.name}: pass rate {side.rate:.3f}{_span(side.interval, '.3f')}, {side.passed} of {side.valid} valid, "
        f"{side.invalid} invalid{old}; {side.tokens:.0f} cost-equivalent tokens and ${side.cost_usd:.4f} a run"
    )
    return [
        first,
        *(f"{side.name}: pass@{one.k} {one.at:.3f}, pass^{one.k} {one.hat:.3f}" for one in side.pass_k[1:]),
    ]


def _pairs(found: Comparison) -> str:
    return (
        f"{plural(found.pairs, 'pair')}: both pass {found.both}, only {found.a.name} {found.only_a}, "
        f"only {found.b.name} {found.only_b}, neither {found.neither}; {plural(found.unpaired, 'row')} without a valid counterpart"
    )


def _span(interval: Interval | None, form: str) -> str:
    return "" if interval is None else f" (95 %: {interval.low:{form}} to {interval.high:{form}})"


def _verdict(found: Comparison) -> str:
    if found.verdict != "not-enough-data":
        better, other = (found.b, found.a) if found.verdict == "b-better" else (found.a, found.b)
        return f"{better.name} passes more often than {other.name}"
    if not found.pairs:
        return "not enough data to tell: no pair is valid on both sides"
    if found.needed_pairs is None or found.needed_trials is None:
        return "not enough data to tell: the pairs differ in neither direction, so no number of trials can be named"
    return (
        f"not enough data to tell: about {plural(found.needed_pairs, 'more pair')} would, that is "
        f"{plural(found.needed_trials, 'more trial')} of each of {plural(found.scenarios, 'scenario')}, "
        "if pairs go on to differ as these do"
    )
