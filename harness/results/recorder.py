"""Many finished runs recorded together, so that the disk is waited for every few seconds and not a dozen times a run.

In the order of ``record``: the note in ``pending/``, the run's files, then ``row.tsv``. Every few seconds all files since go
to the disk at once, after that their rows go into the table by one write, and then their notes go. Being killed
at any moment leaves notes, by which the next start adds the rows that are missing.
"""

import ctypes
import os
import threading
import time
from pathlib import Path
from types import TracebackType
from typing import Self

from harness.errors import UserError
from harness.model.row import Row
from harness.results.folder import ROW_FILE, RunFolder
from harness.results.record import PENDING, TABLE
from harness.results.row_codec import HEADER, encode
from harness.results.table import Repair, append_all

_PERIOD_S = 3.0


class Recorder:
    """Used by one thread, within ``with``; at its end every row is in the table, and everything on the disk."""

    def __init__(self, results: Path) -> None:
        self._results = results
        self._waiting: list[tuple[Path, Row]] = []
        self._repairs: list[Repair] = []
        self._error: UserError | None = None
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._flush_now_and_then, name="recorder", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()
        self.flush()

    def record(self, folder: RunFolder, row: Row) -> None:
        """Complete the run; its row follows. Raises UserError where the table could not be written."""
        if self._error is not None:
            raise self._error
        note = self._results / PENDING / folder.run_id
        try:
            note.touch()
        except FileNotFoundError:
            note.parent.mkdir(exist_ok=True)
            note.touch()
        unready = folder.write(ROW_FILE + ".new", HEADER + encode(row))
        unready.replace(folder.path / ROW_FILE)
        with self._lock:
            self._waiting.append((note, row))

    def repairs(self) -> tuple[Repair, ...]:
        """What had to be mended in the table since this was asked last."""
        with self._lock:
            found, self._repairs = tuple(self._repairs), []
        return found

    def flush(self) -> None:
        """Wait until everything recorded so far is on the disk, and its rows in the table."""
        with self._lock:
            waiting, self._waiting = self._waiting, []
        if not waiting:
            return
        _sync_file_system(self._results)
        repair = append_all(self._results / TABLE, [row for _, row in waiting])
        if repair is not None:
            with self._lock:
                self._repairs.append(repair)
        for note, _ in waiting:
            note.unlink(missing_ok=True)

    def _flush_now_and_then(self) -> None:
        while not self._over.wait(_PERIOD_S):
            began = time.monotonic()
            try:
                self.flush()
            except UserError as error:
                self._error = error
                return
            # A slow disk is not to be kept busy with nothing but this.
            self._over.wait(4 * (time.monotonic() - began))


def _sync_file_system(folder: Path) -> None:
    """Bring all of the file system to the disk that holds ``folder``; of the whole machine where that is all there is."""
    try:
        syncfs = ctypes.CDLL(None, use_errno=True).syncfs
    except (OSError, AttributeError):
        os.sync()
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        syncfs(descriptor)
    finally:
        os.close(descriptor)
