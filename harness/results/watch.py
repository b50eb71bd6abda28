"""Proof that what was recorded before a run is as it was after it: a run outside of a jail could write there."""

import hashlib
import heapq
import os
from dataclasses import dataclass
from pathlib import Path

from harness.results.folder import ROW_FILE
from harness.results.record import TABLE
from harness.results.row_codec import COLUMNS

WATCHED_RUNS = 200
"""The newest; of very many, no more are looked at."""
_NEAR_BYTES = 1 << 16
_CHUNK_BYTES = 1 << 20
_RUN_ID = COLUMNS.index("run_id")
Stamp = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class ResultsWatch:
    """Made before a run, or before many. Others may add runs and rows meanwhile."""

    results: Path
    _runs: dict[str, dict[str, Stamp]]
    _table_from: int
    _table_bytes: int
    _table_digest: bytes

    @classmethod
    def of(cls, results: Path) -> "ResultsWatch":
        """Of the whole table and the newest runs: around an evaluation."""
        table = results / TABLE
        size = _size(table)
        return cls(results, _sealed(results / "runs", WATCHED_RUNS), 0, size, _digest(table, 0, size))

    @classmethod
    def near(cls, results: Path) -> "ResultsWatch":
        """Of the end of the table: around each run, since looking at all would cost more than all else does."""
        table = results / TABLE
        size = _size(table)
        start = max(0, size - _NEAR_BYTES)
        return cls(results, {}, start, size, _digest(table, start, size))

    def changed(self) -> tuple[str, ...]:
        """Absolute paths of what is not as it was, or was not written by a harness."""
        found = [
            str(self.results / "runs" / name)
            for name, then in self._runs.items()
            if _stamps(self.results / "runs" / name) != then
        ]
        table = self.results / TABLE
        if _digest(
            table, self._table_from, self._table_bytes
        ) != self._table_digest or not self._rows_have_runs(table):
            found.append(str(table))
        return tuple(sorted(found))

    def _rows_have_runs(self, table: Path) -> bool:
        """Whether every row that came since stands in the folder of its run as well."""
        if not table.is_file():
            return not self._table_bytes
        with table.open("rb") as file:
            file.seek(self._table_bytes)
            lines = file.read().split(b"\n")[:-1]  # the last one is empty, or is being written
        kept = {line for line in lines if line}
        if not self._table_bytes and lines:
            kept.discard(lines[0])  # the header
        return all(self._is_recorded(line) for line in kept)

    def _is_recorded(self, line: bytes) -> bool:
        cells = line.split(b"\t")
        # Its usual place first: a file that another version made may have its columns in another order.
        names = (*cells[_RUN_ID : _RUN_ID + 1], *cells)
        name = next((cell for cell in names if self._row(cell).is_file()), None)
        return name is not None and line in self._row(name).read_bytes().split(b"\n")

    def _row(self, cell: bytes) -> Path:
        if not cell or len(cell) > 200 or b"/" in cell or b"\0" in cell or cell in (b".", b".."):
            return self.results / "none"
        return self.results / "runs" / os.fsdecode(cell) / ROW_FILE


def _size(table: Path) -> int:
    return table.stat().st_size if table.is_file() else 0


def _sealed(runs: Path, count: int) -> dict[str, dict[str, Stamp]]:
    try:
        names = os.listdir(runs)  # noqa: PTH208  (names alone, of very many)
    except FileNotFoundError:
        return {}
    # Their names begin with their time; some of the newest may be under way.
    newest = heapq.nlargest(2 * count, names)
    complete = [name for name in newest if (runs / name / ROW_FILE).is_file()]
    return {name: _stamps(runs / name) for name in complete[:count]}


def _stamps(folder: Path) -> dict[str, Stamp]:
    try:
        with os.scandir(folder) as entries:
            found = {
                e.name: e.stat(follow_symlinks=False) for e in entries if not e.is_dir(follow_symlinks=False)
            }
    except OSError:
        return {}
    return {name: (about.st_ino, about.st_size, about.st_mtime_ns) for name, about in found.items()}


def _digest(path: Path, start: int, end: int) -> bytes:
    """Of the bytes from ``start`` to before ``end``."""
    made = hashlib.sha256()
    left = end - start
    if left and path.is_file():
        with path.open("rb") as file:
            file.seek(start)
            while left > 0 and (chunk := file.read(min(left, _CHUNK_BYTES))):
                left -= len(chunk)
                made.update(chunk)
    return made.digest()
