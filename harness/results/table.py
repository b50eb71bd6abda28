"""The one file that all runs share, ``results.tsv``: rows are added at its end, by any number of processes and threads.

A row is one ``write`` under a lock beside the file. What a writer that was killed left behind (a line without its newline) is moved
to ``results.tsv.torn`` by the next writer, so a torn line never grows into a wrong row and is never lost as evidence.
"""

import errno
import os
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from msgspec import Struct, field

from harness.errors import UserError
from harness.model.row import Row
from harness.results.row_codec import COLUMNS, HEADER, clean, encode, parse_header
from harness.results.schema import upgrade_file

if TYPE_CHECKING:
    from filelock import BaseFileLock

_POLL_S = 0.004


class Repair(Struct, frozen=True, kw_only=True):
    """What an append had to put right first; the caller says it."""

    path: Path
    fragment: bytes = b""
    """The torn last line, now in ``kept_in``."""
    kept_in: Path | None = None
    upgraded_copy: Path | None = None
    """Where the table stands as it was before its columns were brought up to date."""

    @property
    def text(self) -> str:
        parts = []
        if self.kept_in is not None:
            parts.append(
                f"{self.path} ended in a torn line of {len(self.fragment)} bytes (a writer was killed); "
                f"it was moved to {self.kept_in}, and its run is done again unless its folder is complete."
            )
        if self.upgraded_copy is not None:
            parts.append(
                f"{self.path} had the columns of an older harness; the old file is kept as {self.upgraded_copy}."
            )
        return "\n".join(parts)


class _Seen(Struct):
    """What this process knows of a table: its columns, and the run ids in its first ``size`` bytes."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    inode: int = -1
    size: int = 0
    columns: tuple[str, ...] = ()
    run_ids: set[bytes] = field(default_factory=set)

    def forget(self) -> None:
        self.inode, self.size, self.columns = -1, 0, ()
        self.run_ids.clear()


_seen: dict[Path, _Seen] = {}
_seen_lock = threading.Lock()


def append(path: Path, row: Row) -> Repair | None:
    """Add ``row`` at the end of the table, on disk when this returns; the same run id is never added twice.

    Raises UserError where the file is not a results table or cannot be written.
    """
    return append_all(path, (row,))


def append_all(path: Path, rows: Iterable[Row]) -> Repair | None:
    """``append`` for many rows with one write: all of them, or after an error none."""
    with _seen_lock:
        seen = _seen.setdefault(path.absolute(), _Seen())
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with seen.lock, locked(path):
            copy = None if _is_known(path, seen) else upgrade_file(path)
            with _open_end(path) as file:
                fragment = _set_torn_aside(file, path)
                _catch_up(file, path, seen)
                _write(file, seen, rows)
    except OSError as error:
        raise UserError(f"cannot write {path}: {error.strerror or error}") from error
    if not fragment and copy is None:
        return None
    kept_in = torn_path(path) if fragment else None
    return Repair(path=path, fragment=fragment, kept_in=kept_in, upgraded_copy=copy)


def torn_path(path: Path) -> Path:
    return path.with_name(path.name + ".torn")


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """The lock of a table. It is held by an open file, so the death of its holder releases it."""
    with _lock_of(path.absolute()):
        yield


@lru_cache(maxsize=64)
def _lock_of(path: Path) -> "BaseFileLock":
    """One for each table: making it takes as long as all the rest of an append."""
    from filelock import FileLock  # 90 ms to import

    return FileLock(path.with_name(path.name + ".lock"), poll_interval=_POLL_S)


def _is_known(path: Path, seen: _Seen) -> bool:
    try:
        return bool(seen.columns) and path.stat().st_ino == seen.inode
    except FileNotFoundError:
        return False


def _open_end(path: Path) -> BinaryIO:
    descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o666)
    return os.fdopen(descriptor, "r+b", buffering=0)


def _set_torn_aside(file: BinaryIO, path: Path) -> bytes:
    """Move what follows the last newline to the torn file; b"" where the table ends well."""
    size = file.seek(0, os.SEEK_END)
    if size == 0:
        return b""
    file.seek(size - 1)
    if file.read(1) == b"\n":
        return b""
    start = _end_of_last_line(file, size)
    file.seek(start)
    fragment = file.read(size - start)
    if start == 0 and not HEADER.startswith(fragment):
        parse_header(fragment, path)  # somebody else's file is refused, not emptied
    with torn_path(path).open("ab") as torn:
        torn.write(fragment + b"\n")
        torn.flush()
        os.fsync(torn.fileno())
    file.truncate(start)
    return fragment


def _end_of_last_line(file: BinaryIO, size: int) -> int:
    end = size
    while end > 0:
        begin = max(0, end - 65536)
        file.seek(begin)
        found = file.read(end - begin).rfind(b"\n")
        if found >= 0:
            return begin + found + 1
        end = begin
    return 0


def _catch_up(file: BinaryIO, path: Path, seen: _Seen) -> None:
    """Learn the columns and the run ids of what was written since this process last looked."""
    status = os.fstat(file.fileno())
    if status.st_ino != seen.inode or status.st_size < seen.size:
        seen.forget()
        seen.inode = status.st_ino
    if status.st_size == 0:
        _write_all(file, HEADER)
        seen.columns, seen.size = COLUMNS, len(HEADER)
        return
    if status.st_size == seen.size:
        return
    with path.open("rb") as lines:
        if not seen.columns:
            seen.columns = parse_header(lines.readline(), path)
            seen.size = lines.tell()
        lines.seek(seen.size)
        place = seen.columns.index("run_id")
        for line in lines:
            cells = line.split(b"\t", place + 1)
            if len(cells) > place:
                seen.run_ids.add(cells[place])
    seen.size = status.st_size


def _write(file: BinaryIO, seen: _Seen, rows: Iterable[Row]) -> None:
    lines: dict[bytes, bytes] = {}
    for row in rows:
        run_id = clean(row.run_id).encode()
        if run_id not in seen.run_ids:
            lines.setdefault(run_id, encode(row, seen.columns))
    if not lines:
        return
    data = b"".join(lines.values())
    try:
        _write_all(file, data)
        os.fsync(file.fileno())
    except OSError:
        # A full disk may have taken half a row; the lock is still ours.
        file.truncate(seen.size)
        raise
    seen.size += len(data)
    seen.run_ids.update(lines)


def _write_all(file: BinaryIO, data: bytes) -> None:
    if os.write(file.fileno(), data) != len(data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def upgrade(path: Path) -> Path | None:
    """Bring the columns of an older table up to date, and keep the old file beside it. Returns where, or None: nothing to do."""
    with locked(path):
        return upgrade_file(path)
