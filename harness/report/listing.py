"""Which rows a person asks for, and how they are listed."""

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase

from msgspec import Struct

from harness.model.row import Row
from harness.report.columns import in_columns
from harness.report.inert import one_line
from harness.scoring.current import current

COLUMNS = ("result", "scenario", "arm", "model", "trial", "a", "b", "status", "usd", "run id")


class Wanted(Struct, frozen=True, kw_only=True):
    """Globs; empty: any."""

    suites: tuple[str, ...] = ()
    scenarios: tuple[str, ...] = ()
    arms: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    verdicts: tuple[str, ...] = ()
    statuses: tuple[str, ...] = ()
    since: str = ""
    """The beginning of an ISO 8601 time."""
    grep: str = ""
    """Words in the reason, in any case."""


def chosen_rows(rows: Iterable[Row], wanted: Wanted, *, every: bool = False) -> list[Row]:
    """The rows that count (or every row), latest last."""
    pool: Sequence[Row] = list(rows)
    pool = pool if every else current(pool).rows
    asked = (
        ("suite", wanted.suites),
        ("scenario", wanted.scenarios),
        ("arm", wanted.arms),
        ("model", wanted.models),
        ("pass_", wanted.verdicts),
        ("status", wanted.statuses),
    )
    return sorted(
        (
            row
            for row in pool
            if all(
                not globs or any(fnmatchcase(getattr(row, name), g) for g in globs) for name, globs in asked
            )
            and row.started_at >= wanted.since
            and wanted.grep.lower() in row.reason.lower()
        ),
        key=lambda row: row.started_at,
    )


def listing(rows: Sequence[Row]) -> str:
    return "\n".join(in_columns([COLUMNS, *(_cells(row) for row in rows)]))


def _cells(row: Row) -> tuple[str, ...]:
    cells = (
        row.pass_,
        row.scenario,
        row.arm,
        row.model,
        row.trial,
        row.axis_a,
        row.axis_b,
        row.status,
        row.cost_usd,
    )
    return (*(one_line(cell, 40) for cell in cells), row.run_id)
