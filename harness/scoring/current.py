"""Which rows of a table count: the last one of each cell, and of edited inputs only the version run last."""

from collections.abc import Iterable
from typing import NamedTuple

from msgspec import Struct

from harness.model.outcome import Verdict
from harness.model.row import Row


class RowKey(NamedTuple):
    """A cell's key as its row has it."""

    suite: str
    scenario: str
    arm: str
    model: str
    trial: str


class Current(Struct, frozen=True, kw_only=True):
    rows: tuple[Row, ...]
    stale: int
    """Last rows of their cells that are of an older plugin, scenario or CLI than the arm's latest row: of another question."""

    @property
    def valid(self) -> tuple[Row, ...]:
        return tuple(row for row in self.rows if is_valid(row))

    @property
    def invalid(self) -> tuple[Row, ...]:
        return tuple(row for row in self.rows if not is_valid(row))


def key_of(row: Row) -> RowKey:
    return RowKey(row.suite, row.scenario, row.arm, row.model, row.trial)


def is_valid(row: Row) -> bool:
    return row.pass_ != Verdict.INVALID


def has_passed(row: Row) -> bool:
    return row.pass_ == Verdict.PASS


def current(rows: Iterable[Row]) -> Current:
    """The rows that count, in the order of their cells' first appearance."""
    last: dict[RowKey, Row] = {}
    arm_version: dict[tuple[str, str, str], tuple[str, str]] = {}
    scenario_version: dict[tuple[str, ...], str] = {}
    for row in rows:
        last[key_of(row)] = row
        arm_version[_arm(row)] = _arm_version(row)
        scenario_version[_scenario(row)] = row.scenario_digest
    kept = tuple(
        row
        for row in last.values()
        if arm_version[_arm(row)] == _arm_version(row)
        and scenario_version[_scenario(row)] == row.scenario_digest
    )
    return Current(rows=kept, stale=len(last) - len(kept))


def number(cell: str) -> float:
    """A cell that counts something; 0 where it is empty or no number, as in the row of a run that never started."""
    try:
        value = float(cell)
    except ValueError:
        return 0.0
    return value if 0 <= value < float("inf") else 0.0


def _arm(row: Row) -> tuple[str, str, str]:
    return row.suite, row.arm, row.model


def _arm_version(row: Row) -> tuple[str, str]:
    return row.plugin_digest, row.cli_version


def _scenario(row: Row) -> tuple[str, ...]:
    return row.suite, row.scenario, row.arm, row.model
