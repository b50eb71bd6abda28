"""Proof that what was recorded before a run is as it was after it: a run outside of a jail could write there."""

import hashlib
import heapq
import os
import threading
from pathlib import Path

from msgspec import Struct

from harness.results.folder import ROW_FILE
from harness.results.record import TABLE
from harness.results.row_codec import COLUMNS

WATCHED_RUNS = 200
"""The newest: of very many, looking at all would cost more than a run does."""
_NEAR_BYTES = 1 << 16
_CHUNK_BYTES = 1 << 20
_REMEMBERED_ROWS = 10_000
_recorded: set[int] = set()
"""Rows that were found in the folders of their runs, by a hash that nobody outside of this process can aim at."""
_RUN_ID = COLUMNS.index("run_id")
Stamp = tuple[int, int, int]


class SealedRuns:
    """The newest complete runs, with their files as they were when they were complete. For many threads."""

    def __init__(self, results: Path) -> None:
        self._runs = results / "runs"
        self._lock = threading.Lock()
        self._known = _sealed(self._runs, WATCHED_RUNS)
        """The oldest first."""

    def add(self, run_id: str) -> None:
        """A run that this process has completed."""
        stamps = _stamps(self._runs / run_id)
        with self._lock:
            self._known[run_id] = stamps
            if len(self._known) > WATCHED_RUNS:
                del self._known[next(iter(self._known))]

    def changed(self) -> tuple[str, ...]:
        """Absolute paths of the folders that are not as they were."""
        with self._lock:
            known = list(self._known.items())
        return tuple(sorted(str(self._runs / n) for n, then in known if _stamps(self._runs / n) != then))


class TableWatch(Struct, frozen=True):
    """Made before a run, or before many. Others may add rows meanwhile."""

    results: Path
    _from: int
    _bytes: int
    _digested: bytes

    @classmethod
    def of(cls, results: Path) -> "TableWatch":
        """Of the whole table: around an evaluation."""
        size = _size(results / TABLE)
        return cls(results, 0, size, _digest(results / TABLE, 0, size))

    @classmethod
    def near(cls, results: Path) -> "TableWatch":
        """Of its end: around each run, at a cost that does not grow with the table."""
        size = _size(results / TABLE)
        start = max(0, size - _NEAR_BYTES)
        return cls(results, start, size, _digest(results / TABLE, start, size))

    def changed(self) -> tuple[str, ...]:
        """The table's path if it is not as it was, or has rows that were not written by a harness."""
        table = self.results / TABLE
        same = _digest(table, self._from, self._bytes) == self._digested
        return () if same and self._rows_have_runs(table) else (str(table),)

    def _rows_have_runs(self, table: Path) -> bool:
        """Whether every row that came since stands in the folder of its run as well."""
        if not table.is_file():
            return not self._bytes
        with table.open("rb") as file:
            file.seek(self._bytes)
            lines = file.read().split(b"\n")[:-1]  # the last one is empty, or is being written
        kept = {line for line in lines if line}
        if not self._bytes and lines:
            kept.discard(lines[0])  # the header
        # With many lanes, each row comes while many runs are on, and is looked up for the first of them.
        new = [line for line in kept if hash((self.results, line)) not in _recorded]
        if not all(self._is_recorded(line) for line in new):
            return False
        if len(_recorded) > _REMEMBERED_ROWS:
            _recorded.clear()
        _recorded.update(hash((self.results, line)) for line in new)
        return True

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
    complete = [name for name in newest if (runs / name / ROW_FILE).is_file()][:count]
    return {name: _stamps(runs / name) for name in reversed(complete)}


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
