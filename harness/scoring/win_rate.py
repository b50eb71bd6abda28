"""How often a skill's arm is preferred to another one by a blind judge, over the pairs of runs that count."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct

from harness.errors import UserError
from harness.model.outcome import ExitCode
from harness.model.row import Row
from harness.results.row_codec import clean
from harness.scoring.current import current
from harness.scoring.loop import DIRECTION
from harness.scoring.words import plural
from harness.stats import Interval, wilson

METRIC = "win-rate"
DEFAULT_AGAINST = "baseline"
SUITES = "skills:"
"""What the suite of a row begins with whose runs are judged in pairs."""
_SHOWN = 3


class JudgedPair(NamedTuple):
    """What a judge said of two runs; of the same two the last word counts."""

    new: str
    """Run id of the arm new."""
    other: str
    for_new: str
    """win, loss, tie or invalid."""


class Pair(Struct, frozen=True, kw_only=True):
    """A trial that the arm new and another one have in common."""

    scenario: str
    model: str
    against: str
    trial: str
    for_new: str
    """win, loss, tie, invalid or unjudged."""

    def __str__(self) -> str:
        return f"{self.scenario} {self.against} {self.model} trial {self.trial} ({self.for_new})"


class WinRate(Struct, frozen=True, kw_only=True):
    metric: str
    against: str
    value: float | None
    reason: str
    """Why there is no value; empty where there is one."""
    wins: int
    losses: int
    ties: int
    """In no rate, like what follows."""
    invalid: int
    unjudged: int
    stale: int
    """Judged pairs of older inputs, left out."""
    interval: Interval | None
    pairs: tuple[Pair, ...]

    @property
    def decided(self) -> int:
        return self.wins + self.losses

    @property
    def exit_code(self) -> int:
        return ExitCode.NOT_EVALUATED if self.value is None else ExitCode.PASS


def one_arm(asked: Sequence[str] | None) -> str:
    """The arm that new is held against. Raises UserError for a choice that makes no pairs."""
    chosen = tuple(asked or (DEFAULT_AGAINST,))
    if len(chosen) != 1 or chosen[0] == "new":
        raise UserError("win-rate holds new against one other arm; give --arm baseline or --arm old")
    return chosen[0]


def win_rate(
    rows: Iterable[Row], judged: Iterable[JudgedPair], *, against: str = DEFAULT_AGAINST, min_valid: int = 1
) -> WinRate:
    """Wins of new among the pairs that have a winner. ``rows``: of both arms; ``judged``: oldest first.

    Raises UserError for a minimum that cannot be.
    """
    if min_valid < 1:
        raise UserError("--min-valid must be at least 1: a score of no pairs says nothing")
    listed = [row for row in rows if row.suite.startswith(SUITES)]
    said = {(pair.new, pair.other): pair.for_new for pair in judged}
    counted = current(listed).rows
    new = {_trial(row): row.run_id for row in counted if row.arm == "new"}
    pairs = tuple(_pair(row, said, new) for row in counted if row.arm == against)
    count = Counter(pair.for_new for pair in pairs)
    wins, decided = count["win"], count["win"] + count["loss"]
    reason = _why_none(pairs, decided, min_valid)
    return WinRate(
        metric=METRIC,
        against=against,
        value=None if reason else wins / decided,
        reason=reason,
        wins=wins,
        losses=count["loss"],
        ties=count["tie"],
        invalid=count["invalid"],
        unjudged=count["unjudged"],
        stale=_stale(listed, counted, said, against),
        interval=wilson(wins, decided),
        pairs=pairs,
    )


def _trial(row: Row) -> tuple[str, ...]:
    return row.suite, row.scenario, row.model, row.trial


def _pair(row: Row, said: Mapping[tuple[str, str], str], new: Mapping[tuple[str, ...], str]) -> Pair:
    for_new = said.get((new.get(_trial(row), ""), row.run_id), "unjudged")
    return Pair(scenario=row.scenario, model=row.model, against=row.arm, trial=row.trial, for_new=for_new)


def _stale(
    listed: Iterable[Row], counted: Iterable[Row], said: Mapping[tuple[str, str], str], against: str
) -> int:
    now = {row.run_id for row in counted}
    mine = {row.run_id for row in listed if row.arm == against}
    return sum(other in mine and not {new, other} <= now for new, other in said)


def _why_none(pairs: tuple[Pair, ...], decided: int, min_valid: int) -> str:
    open_ones = [pair for pair in pairs if pair.for_new in ("invalid", "unjudged")]
    if open_ones:
        more = f" and {len(open_ones) - _SHOWN} more" if len(open_ones) > _SHOWN else ""
        named = ", ".join(map(str, open_ones[:_SHOWN]))
        return f"{plural(len(open_ones), 'pair')} to judge by `harness eval --skills`: {named}{more}"
    if decided < min_valid:
        return f"{plural(decided, 'pair')} with a winner where --min-valid asks for {min_valid}"
    return ""


def render_win_rate(found: WinRate) -> str:
    """Plain text whose last line is the number alone; without a value there is no such line."""
    old = f", {found.stale} of older inputs left out" if found.stale else ""
    counts = (
        f"{found.metric} of new against {found.against}: {found.wins} of {plural(found.decided, 'pair')} with a winner; "
        f"in no rate: {found.ties} tied, {found.invalid} invalid, {found.unjudged} unjudged{old}"
    )
    if found.value is None:
        return f"{counts}\nno score: {found.reason}\n"
    span = f", 95 % interval {found.interval.low:.3f} to {found.interval.high:.3f}" if found.interval else ""
    return f"{counts}{span}\n{found.value:.6f}\n"


def pairs_tsv(found: WinRate) -> str:
    """The pairs as an optimising loop reads them."""
    cells = [(p.scenario, p.model, p.against, p.trial, p.for_new) for p in found.pairs]
    lines = (("scenario", "model", "against", "trial", "for_new"), *cells)
    return "\n".join([DIRECTION, *("\t".join(map(clean, line)) for line in lines)]) + "\n"
