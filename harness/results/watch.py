"""Proof that what was recorded before a run is as it was after it: a run outside of a jail could write there."""

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

from harness.results.folder import ROW_FILE
from harness.results.record import TABLE

WATCHED_RUNS = 200
"""The newest; looking at every file of all runs there ever were would cost each new run more."""
_CHUNK_BYTES = 1 << 20
Stamp = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class ResultsWatch:
    """Made by ``ResultsWatch.of`` before a run. Others may add runs and rows meanwhile."""

    results: Path
    _runs: dict[str, dict[str, Stamp]]
    _table_bytes: int
    _table_digest: bytes

    @classmethod
    def of(cls, results: Path) -> "ResultsWatch":
        table = results / TABLE
        size = table.stat().st_size if table.is_file() else 0
        return cls(results, _sealed(results / "runs"), size, _digest(table, size))

    def changed(self) -> tuple[str, ...]:
        """Absolute paths of what is not as it was, or was not written by a harness."""
        found = [
            str(self.results / "runs" / name)
            for name, then in self._runs.items()
            if _stamps(self.results / "runs" / name) != then
        ]
        table = self.results / TABLE
        if _digest(table, self._table_bytes) != self._table_digest or not self._rows_have_runs(table):
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
        name = next((cell for cell in line.split(b"\t") if (self._row(cell)).is_file()), None)
        return name is not None and line in self._row(name).read_bytes().split(b"\n")

    def _row(self, cell: bytes) -> Path:
        if not cell or len(cell) > 200 or b"/" in cell or b"\0" in cell or cell in (b".", b".."):
            return self.results / "none"
        return self.results / "runs" / os.fsdecode(cell) / ROW_FILE


def _sealed(runs: Path) -> dict[str, dict[str, Stamp]]:
    try:
        names = sorted(os.listdir(runs), reverse=True)  # noqa: PTH208  (names alone, of very many)
    except FileNotFoundError:
        return {}
    complete = [name for name in names[: 2 * WATCHED_RUNS] if (runs / name / ROW_FILE).is_file()]
    return {name: _stamps(runs / name) for name in complete[:WATCHED_RUNS]}


def _stamps(folder: Path) -> dict[str, Stamp]:
    try:
        with os.scandir(folder) as entries:
            found = {
                e.name: e.stat(follow_symlinks=False) for e in entries if not e.is_dir(follow_symlinks=False)
            }
    except OSError:
        return {}
    return {name: (about.st_ino, about.st_size, about.st_mtime_ns) for name, about in found.items()}


def _digest(path: Path, size: int) -> bytes:
    """Of the first ``size`` bytes."""
    made = hashlib.sha256()
    if size and path.is_file():
        with path.open("rb") as file:
            while size > 0 and (chunk := file.read(min(size, _CHUNK_BYTES))):
                size -= len(chunk)
                made.update(chunk)
    return made.digest()
