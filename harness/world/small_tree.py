"""Copies of a small tree, made from memory: it is read once, and looked at again before each copy."""

import os
import shutil
import stat
import time
from collections import OrderedDict
from pathlib import Path
from threading import Lock

from msgspec import Struct

from harness.world.digest import RACY_NS

MOST_PATHS = 200
MOST_BYTES = 1 << 20
_MOST_TREES = 8
"""Kept in memory."""


class _Entry(Struct, frozen=True):
    name: str
    status: os.stat_result

    @property
    def key(self) -> tuple[str, int, int, int, int, int]:
        s = self.status
        return self.name, s.st_mode, s.st_size, s.st_mtime_ns, s.st_ctime_ns, s.st_ino


class SmallTree(Struct, frozen=True):
    """All paths below a folder, folders before what is in them; neither hard links nor extended attributes."""

    source: str
    entries: list[_Entry]
    contents: dict[str, bytes]
    """Of the files."""

    @property
    def links(self) -> tuple[str, ...]:
        return tuple(e.name for e in self.entries if stat.S_ISLNK(e.status.st_mode))

    def copy(self, target: Path) -> None:
        """Into a new folder, with modes, links and times kept. Raises OSError."""
        target.mkdir()
        for entry in self.entries:
            there = f"{target}/{entry.name}"
            if stat.S_ISDIR(entry.status.st_mode):
                os.mkdir(there)  # noqa: PTH102 - a path object for each costs as much as the copying
            elif stat.S_ISLNK(entry.status.st_mode):
                os.symlink(os.readlink(f"{self.source}/{entry.name}"), there)  # noqa: PTH115,PTH211
                os.utime(there, ns=_times(entry.status), follow_symlinks=False)
            else:
                _write(there, self.contents[entry.name], entry.status)
        # Modes and times of folders last: filling them changes the one and may be forbidden by the other.
        for entry in reversed(self.entries):
            if stat.S_ISDIR(entry.status.st_mode):
                os.chmod(f"{target}/{entry.name}", stat.S_IMODE(entry.status.st_mode))  # noqa: PTH101
                os.utime(f"{target}/{entry.name}", ns=_times(entry.status))
        shutil.copystat(self.source, target)


_known: OrderedDict[str, SmallTree] = OrderedDict()
_lock = Lock()


def is_known_small(source: Path) -> bool:
    """Whether a copy will be made from memory, unless the tree has changed. Looks at nothing."""
    with _lock:
        return str(source) in _known


def small_tree(source: Path) -> SmallTree | None:
    """The tree as it is now; None where it is not small, cannot be read, or has in it what only ``cp`` keeps."""
    entries = _entries(str(source))
    if entries is None:
        return None
    with _lock:
        known = _known.get(str(source))
    if known is not None and [e.key for e in known.entries] == [e.key for e in entries]:
        return known
    if any(_has_attributes(f"{source}/{entry.name}") for entry in entries):
        return None
    files = [e.name for e in entries if stat.S_ISREG(e.status.st_mode)]
    try:
        made = SmallTree(str(source), entries, {name: _read(f"{source}/{name}") for name in files})
    except OSError:
        return None  # not to be read; ``cp`` says so in its own words
    # A file that was written in the same tick of the clock could be written again without a trace.
    if all(time.time_ns() - entry.status.st_ctime_ns > RACY_NS for entry in entries):
        with _lock:
            _known[str(source)] = made
            if len(_known) > _MOST_TREES:
                _known.popitem(last=False)
    return made


def _entries(source: str) -> list[_Entry] | None:
    found: list[_Entry] = []
    pending, size = [""], 0
    try:
        while pending:
            folder = pending.pop()
            with os.scandir(f"{source}/{folder}") as listed:
                for entry in listed:
                    status = entry.stat(follow_symlinks=False)
                    name = f"{folder}{entry.name}"
                    if stat.S_ISDIR(status.st_mode):
                        pending.append(f"{name}/")
                    elif status.st_nlink > 1 or not (
                        stat.S_ISREG(status.st_mode) or stat.S_ISLNK(status.st_mode)
                    ):
                        return None
                    found.append(_Entry(name, status))
                    size += status.st_size if stat.S_ISREG(status.st_mode) else 0
                    if len(found) > MOST_PATHS or size > MOST_BYTES:
                        return None
    except OSError:
        return None
    return found


def _has_attributes(path: str) -> bool:
    try:
        return hasattr(os, "listxattr") and bool(os.listxattr(path, follow_symlinks=False))
    except OSError:
        return True  # ``cp`` will tell what is the matter


def _read(path: str) -> bytes:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    with os.fdopen(descriptor, "rb", buffering=0) as file:
        return file.readall()


def _write(path: str, content: bytes, status: os.stat_result) -> None:
    """``shutil.copy2`` makes three times the system calls."""
    target = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        view = memoryview(content)
        while view:
            view = view[os.write(target, view) :]
        os.fchmod(target, stat.S_IMODE(status.st_mode))
        os.utime(target, ns=_times(status))
    finally:
        os.close(target)


def _times(status: os.stat_result) -> tuple[int, int]:
    return status.st_atime_ns, status.st_mtime_ns
