"""Several results folders (shards, machines, nights) as one, with no cell counted twice."""

import os
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path

from msgspec import Struct

from harness.errors import UserError
from harness.model.outcome import Verdict
from harness.model.row import Row
from harness.results.folder import INPUTS, VERDICTS
from harness.results.record import TABLE
from harness.results.row_codec import RowFault, read_rows
from harness.results.table import Repair, append_all

_SHOWN = 5


class Merged(Struct, frozen=True, kw_only=True):
    added: int
    known: int
    """Rows that stood in the target, or in an earlier source, already."""
    folders: int
    """Run folders that were copied."""
    faults: tuple[tuple[Path, RowFault], ...]
    """Lines of the sources that are no rows, and were left behind."""
    repair: Repair | None


class _Found(Struct, frozen=True):
    row: Row
    table: Path


def merge(sources: Sequence[Path], into: Path) -> Merged:
    """Add the rows and run folders of ``sources`` (results folders or tables) to the results folder ``into``.

    The same row twice is one row, so merging again changes nothing. Nothing is written where two files hold different rows of one
    run, or each a valid row for one cell: UserError names them.
    """
    tables = [_table_of(source) for source in sources]
    target = into / TABLE
    by_run: dict[str, _Found] = {}
    faults: list[tuple[Path, RowFault]] = []
    clashes: list[str] = []
    known = 0
    for table in [target, *(table for table in tables if table.absolute() != target.absolute())]:
        read = read_rows(table)
        faults += [(table, fault) for fault in read.faults if table is not target]
        for row in read.rows:
            before = by_run.setdefault(row.run_id, _Found(row, table))
            known += before.table is not table
            if before.row != row:
                clashes.append(f"run {row.run_id} differs between {before.table} and {table}")
    clashes += _double_answers(by_run.values())
    if clashes:
        raise UserError(_refusal(clashes))
    new = [found for found in by_run.values() if found.table is not target]
    folders = sum(_copy_folder(found, into) for found in new)
    for table in tables:
        for name in (INPUTS, VERDICTS):
            _copy_files(table.parent / name, into / name)
    # By time, so that the last row of a cell is the latest.
    rows = sorted((found.row for found in new), key=lambda row: row.started_at)
    repair = append_all(target, rows) if rows else None
    return Merged(added=len(rows), known=known, folders=folders, faults=tuple(faults), repair=repair)


def _table_of(source: Path) -> Path:
    table = source / TABLE if source.is_dir() else source
    if not table.is_file():
        raise UserError(f"cannot merge {source}: there is no {TABLE} in it")
    return table


def _double_answers(found: Iterable[_Found]) -> list[str]:
    """Cells with valid rows in more than one file. Several in one file are a cell run afresh, or rescored."""
    first: dict[tuple[str, ...], _Found] = {}
    clashes = []
    for one in found:
        if one.row.pass_ == Verdict.INVALID:
            continue
        other = first.setdefault(cell_identity(one.row), one)
        if other.table != one.table:
            row = one.row
            clashes.append(
                f"{row.suite}/{row.scenario} {row.arm} {row.model} trial {row.trial} is answered in {other.table} "
                f"(run {other.row.run_id}) and in {one.table} (run {row.run_id})"
            )
    return clashes


def cell_identity(row: Row) -> tuple[str, ...]:
    """What the row is an answer for: the cell's digest, or what an older table has in its place."""
    if row.cell_digest:
        return (row.cell_digest,)
    key = (row.suite, row.scenario, row.arm, row.model, row.trial)
    return (*key, row.scenario_digest, row.plugin_digest, row.cli_version)


def _refusal(clashes: list[str]) -> str:
    more = len(clashes) - _SHOWN
    shown = clashes[:_SHOWN] + ([f"and {more} more"] if more > 0 else [])
    return "nothing was merged, a cell would count twice:\n  " + "\n  ".join(shown)


def _copy_files(source: Path, target: Path) -> None:
    """Add what the runs were made of, and what judges said of them; a name is used once, so what is there is the same."""
    if not source.is_dir() or source.absolute() == target.absolute():
        return
    try:
        target.mkdir(parents=True, exist_ok=True)
        for file in source.iterdir():
            if file.is_file() and not (target / file.name).exists():
                part = target / f"{file.name}.{os.getpid()}.new"
                shutil.copyfile(file, part)
                part.replace(target / file.name)
    except OSError as error:
        raise UserError(f"cannot copy {source} to {target}: {error}") from error


def _copy_folder(found: _Found, into: Path) -> bool:
    if found.row.run_id in {".", ".."} or "/" in found.row.run_id:
        return False  # a table from elsewhere names no path here
    source = found.table.parent / "runs" / found.row.run_id
    target = into / "runs" / found.row.run_id
    if not source.is_dir() or target.exists():
        return False
    part = target.with_name(target.name + f".{os.getpid()}.part")
    shutil.rmtree(part, ignore_errors=True)
    try:
        shutil.copytree(source, part, symlinks=True)
        part.rename(target)
    except OSError as error:
        raise UserError(f"cannot copy {source} to {target}: {error}") from error
    return True
