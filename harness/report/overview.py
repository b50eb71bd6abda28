"""What a whole table of rows says, as the report shows it: cells, arms, pairs, nights, what is invalid, what wavers."""

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import combinations
from typing import NamedTuple, TypeVar

from msgspec import Struct

from harness.model.row import Row
from harness.report.kept import origin_of
from harness.scoring.compare import Comparison, compare
from harness.scoring.current import current, has_passed, is_valid
from harness.scoring.summary import Tally, tally
from harness.stats import Interval, wilson

K = TypeVar("K", bound=Hashable)
_NIGHT = re.compile(r"\A(\d{4})(\d\d)(\d\d)T\d{6}Z-")
_ARM_ORDER = ("baseline", "old", "new")
MOST_PAIRS = 60
"""Comparisons of arms; more would take minutes and nobody reads them."""


class Side(NamedTuple):
    """What is compared: a column of the grid."""

    arm: str
    model: str


class GridCell(Struct, frozen=True, kw_only=True):
    side: Side
    tally: Tally
    interval: Interval | None
    flaky: bool
    """Valid trials came out both ways."""


class GridLine(Struct, frozen=True, kw_only=True):
    scenario: str
    cells: tuple[GridCell | None, ...]


class SuiteGrid(Struct, frozen=True, kw_only=True):
    suite: str
    sides: tuple[Side, ...]
    lines: tuple[GridLine, ...]
    totals: tuple[GridCell, ...]


class Paired(Struct, frozen=True, kw_only=True):
    suite: str
    model: str
    found: Comparison


class Night(Struct, frozen=True, kw_only=True):
    day: str
    """YYYY-MM-DD, in UTC."""
    suite: str
    side: Side
    passed: int
    valid: int
    interval: Interval | None

    @property
    def rate(self) -> float:
        return self.passed / self.valid


class Reason(Struct, frozen=True, kw_only=True):
    status: str
    reason: str
    count: int
    example: str
    """A run id."""


class Overview(Struct, frozen=True, kw_only=True):
    whole: Tally
    stale: int
    grids: tuple[SuiteGrid, ...]
    pairs: tuple[Paired, ...]
    nights: tuple[Night, ...]
    invalid: tuple[Reason, ...]
    counted: frozenset[str]
    """Run ids of the rows that count now."""


def overview(rows: Iterable[Row]) -> Overview:
    everything = list(rows)
    counted = current(everything)
    return Overview(
        whole=tally(counted.rows),
        stale=counted.stale,
        grids=tuple(_grid(suite, group) for suite, group in _by(counted.rows, lambda r: r.suite).items()),
        pairs=tuple(_pairs(counted.rows)),
        nights=tuple(_nights(everything)),
        invalid=_reasons(counted.invalid),
        counted=frozenset(row.run_id for row in counted.rows),
    )


def side_order(side: Side) -> tuple[int, str, str]:
    place = _ARM_ORDER.index(side.arm) if side.arm in _ARM_ORDER else len(_ARM_ORDER)
    return (place, side.arm, side.model)


def _by(rows: Iterable[Row], key: Callable[[Row], K]) -> dict[K, list[Row]]:
    made: dict[K, list[Row]] = {}
    for row in rows:
        made.setdefault(key(row), []).append(row)
    return made


def _side(row: Row) -> Side:
    return Side(row.arm, row.model)


def _grid(suite: str, rows: Sequence[Row]) -> SuiteGrid:
    sides = tuple(sorted({_side(row) for row in rows}, key=side_order))
    cells = _by(rows, lambda row: (row.scenario, _side(row)))
    return SuiteGrid(
        suite=suite,
        sides=sides,
        lines=tuple(
            GridLine(
                scenario=scenario,
                cells=tuple(_cell(s, cells[scenario, s]) if (scenario, s) in cells else None for s in sides),
            )
            for scenario in sorted({row.scenario for row in rows}, key=_natural)
        ),
        totals=tuple(
            _cell(s, group) for s, group in sorted(_by(rows, _side).items(), key=lambda x: side_order(x[0]))
        ),
    )


def _natural(text: str) -> tuple[tuple[int, str], ...]:
    """R2 before R10."""
    parts = re.findall(r"\d+|\D+", text)
    return tuple((int(part) if part.isascii() and part.isdecimal() else -1, part) for part in parts)


def _cell(side: Side, rows: Sequence[Row]) -> GridCell:
    made = tally(rows)
    return GridCell(side=side, tally=made, interval=made.interval, flaky=bool(made.passed and made.failed))


def _pairs(rows: Sequence[Row]) -> Iterator[Paired]:
    """Every two arms of one suite and model; then every two models of one arm, as long as there is room."""
    left = MOST_PAIRS
    for (suite, model), group in _by(rows, lambda row: (row.suite, row.model)).items():
        arms = _by(group, lambda row: row.arm)
        for one, other in combinations(sorted(arms, key=lambda arm: side_order(Side(arm, ""))), 2):
            if left > 0:
                left -= 1
                found = compare(arms[one], arms[other], name_a=one, name_b=other)
                yield Paired(suite=suite, model=model, found=found)


def night_of(row: Row) -> str:
    """The day that the run began, also of a row that was rescored later."""
    found = _NIGHT.match(origin_of(row))
    return "-".join(found.groups()) if found else row.started_at[:10]


def _nights(rows: Sequence[Row]) -> Iterator[Night]:
    last = {
        (row.suite, row.scenario, row.arm, row.model, row.trial, night_of(row)): row
        for row in rows
        if is_valid(row)
    }
    groups = _by(last.values(), lambda row: (night_of(row), row.suite, _side(row)))
    for (day, suite, side), group in sorted(groups.items()):
        passed = sum(map(has_passed, group))
        yield Night(
            day=day,
            suite=suite,
            side=side,
            passed=passed,
            valid=len(group),
            interval=wilson(passed, len(group)),
        )


def _reasons(rows: Iterable[Row]) -> tuple[Reason, ...]:
    listed = list(rows)
    counts = Counter((row.status, row.reason) for row in listed)
    example = {(row.status, row.reason): row.run_id for row in listed}
    return tuple(
        Reason(status=status, reason=reason, count=count, example=example[status, reason])
        for (status, reason), count in counts.most_common()
    )
