"""Many finished runs recorded one after another, and brought to the disk together.

In the order of ``record``, but for one thing: the disk is waited for every few seconds, once for all runs since, instead of a
dozen times a run. Killing the process loses nothing, as nothing is in it. A machine that loses its power may lose the evidence of
the last seconds; the notes in ``pending/`` stay until the disk has everything, so the next start looks at just these runs.
"""

import ctypes
import os
import threading
import time
from pathlib import Path
from types import TracebackType
from typing import Self

from harness.model.row import Row
from harness.results.folder import ROW_FILE, RunFolder
from harness.results.record import PENDING, TABLE
from harness.results.row_codec import HEADER, encode
from harness.results.table import Repair, append

_PERIOD_S = 3.0


class Recorder:
    """Used by one thread, within ``with``; at its end everything is on the disk."""

    def __init__(self, results: Path) -> None:
        self._results = results
        self._notes: list[Path] = []
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

    def record(self, folder: RunFolder, row: Row) -> Repair | None:
        """Complete the run and add its row. Raises UserError as ``append`` does."""
        note = self._results / PENDING / folder.run_id
        try:
            note.touch()
        except FileNotFoundError:
            note.parent.mkdir(exist_ok=True)
            note.touch()
        unready = folder.write(ROW_FILE + ".new", HEADER + encode(row))
        unready.replace(folder.path / ROW_FILE)
        repair = append(self._results / TABLE, row, durable=False)
        with self._lock:
            self._notes.append(note)
        return repair

    def flush(self) -> None:
        """Wait until everything recorded so far is on the disk; its notes go."""
        with self._lock:
            notes, self._notes = self._notes, []
        if not notes:
            return
        _sync_file_system(self._results)
        for note in notes:
            note.unlink(missing_ok=True)

    def _flush_now_and_then(self) -> None:
        while not self._over.wait(_PERIOD_S):
            began = time.monotonic()
            self.flush()
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
