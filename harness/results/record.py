"""How a finished run becomes a row, so that being killed at any moment loses no finished run and counts no unfinished one.

The order is the proof: the note in ``pending/`` first, then the run's files on the disk, then ``row.tsv`` by a rename (from here on the run
is complete), then the row in the table, then the note goes. After a crash the notes name the few runs to look at; a row that
somebody took out of the table on purpose has no note and does not come back.
"""

import time
from pathlib import Path

from msgspec import Struct

from harness.model.row import Row
from harness.results.folder import ROW_FILE, RunFolder
from harness.results.row_codec import HEADER, encode, read_rows
from harness.results.table import Repair, append

TABLE = "results.tsv"
PENDING = "pending"
_DEAD_AFTER_S = 3600  # what follows a note takes milliseconds


class Recovery(Struct, frozen=True, kw_only=True):
    """What a crash had left between its run folder and the table."""

    rows: tuple[Row, ...]
    """Rows that are in the table now; a run that had reached the table before the crash is among them."""
    repairs: tuple[Repair, ...]


def record(results: Path, folder: RunFolder, row: Row) -> Repair | None:
    """Complete the run: seal its folder and add its row to ``results/results.tsv``. Raises UserError as ``append`` does."""
    note = results / PENDING / folder.run_id
    note.parent.mkdir(exist_ok=True)
    note.touch()
    unready = folder.write(ROW_FILE + ".new", HEADER + encode(row))
    folder.seal()
    unready.replace(folder.path / ROW_FILE)
    repair = append(results / TABLE, row)
    note.unlink(missing_ok=True)
    return repair


def recover(results: Path) -> Recovery:
    """Bring complete runs that a killed harness left out of the table into it. Others may be writing meanwhile."""
    rows: list[Row] = []
    repairs: list[Repair] = []
    for note in _notes(results):
        found = read_rows(results / "runs" / note.name / ROW_FILE).rows
        if not found:
            # Cut off before it was complete, or being written by another process at this moment.
            _drop_if_dead(note)
            continue
        repair = append(results / TABLE, found[0])
        note.unlink(missing_ok=True)
        rows.append(found[0])
        if repair is not None:
            repairs.append(repair)
    return Recovery(rows=tuple(rows), repairs=tuple(repairs))


def _notes(results: Path) -> list[Path]:
    try:
        return sorted((results / PENDING).iterdir())
    except FileNotFoundError:
        return []


def _drop_if_dead(note: Path) -> None:
    try:
        if time.time() - note.stat().st_mtime > _DEAD_AFTER_S:
            note.unlink()
    except FileNotFoundError:  # its writer finished, or somebody else recovers too
        pass
