"""One number for an optimising loop, or none with the reason."""

from collections.abc import Iterable

from msgspec import Struct

from harness.errors import UserError
from harness.model.outcome import ExitCode
from harness.model.row import Row
from harness.scoring.current import current, has_passed
from harness.scoring.words import plural
from harness.stats import Interval, wilson

METRICS = ("pass-rate", "axis-a-rate", "axis-b-rate")
_SHOWN = 3


class Score(Struct, frozen=True, kw_only=True):
    metric: str
    value: float | None
    reason: str
    """Why there is no value; empty where there is one."""
    hits: int
    n: int
    """Cells that the value is made of."""
    invalid: int
    stale: int
    interval: Interval | None

    @property
    def exit_code(self) -> int:
        return ExitCode.NOT_EVALUATED if self.value is None else ExitCode.PASS


def score(rows: Iterable[Row], metric: str = "pass-rate", min_valid: int = 1) -> Score:
    """The share of ``metric`` over the rows that count. Raises UserError for a metric or a minimum that cannot be."""
    if metric not in METRICS:
        raise UserError(f"there is no metric {metric!r}; there are {', '.join(METRICS)} and win-rate")
    if min_valid < 1:
        raise UserError("--min-valid must be at least 1: a score of no cells says nothing")
    counted = current(rows)
    answers = [answer for answer in (_answer(row, metric) for row in counted.valid) if answer is not None]
    n, hits = len(answers), sum(answers)
    reason = _why_none(counted.invalid, n, min_valid, counted.stale)
    return Score(
        metric=metric,
        value=None if reason else hits / n,
        reason=reason,
        hits=hits,
        n=n,
        invalid=len(counted.invalid),
        stale=counted.stale,
        interval=wilson(hits, n),
    )


def _answer(row: Row, metric: str) -> bool | None:
    """None: the question does not apply to the row."""
    if metric == "pass-rate":
        return has_passed(row)
    cell = row.axis_a if metric == "axis-a-rate" else row.axis_b
    return None if cell == "n/a" else cell == "true"


def _why_none(invalid: tuple[Row, ...], n: int, min_valid: int, stale: int) -> str:
    if invalid:
        named = ", ".join(
            f"{row.scenario} {row.arm} {row.model} trial {row.trial} ({row.status})"
            for row in invalid[:_SHOWN]
        )
        more = f" and {len(invalid) - _SHOWN} more" if len(invalid) > _SHOWN else ""
        return f"{plural(len(invalid), 'invalid cell')} to run again: {named}{more}"
    if n < min_valid:
        old = f" ({stale} more of older inputs)" if stale else ""
        return f"{plural(n, 'valid cell')} where --min-valid asks for {min_valid}{old}"
    return ""


def render_score(found: Score) -> str:
    """Plain text whose last line is the number alone; without a value there is no such line."""
    old = f", {found.stale} of older inputs left out" if found.stale else ""
    counts = f"{found.metric}: {found.hits} of {plural(found.n, 'valid cell')}, {found.invalid} invalid{old}"
    if found.value is None:
        return f"{counts}\nno score: {found.reason}\n"
    span = f", 95 % interval {found.interval.low:.3f} to {found.interval.high:.3f}" if found.interval else ""
    return f"{counts}{span}\n{found.value:.6f}\n"
