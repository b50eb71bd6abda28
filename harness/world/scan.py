"""What lstat tells about every path of a tree, which is all that is asked of files that did not change."""

import os
import stat
from collections.abc import Callable
from operator import attrgetter
from pathlib import Path
from typing import Literal, NamedTuple

_KIND = stat.S_IFMT(0o777777)
FileType = Literal["file", "link", "folder", "special"]


class Stamp(NamedTuple):
    """One path at one moment. ctime cannot be set back by a program, so a restored mtime hides nothing."""

    mode: int
    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int

    @property
    def type(self) -> FileType:
        if stat.S_ISREG(self.mode):
            return "file"
        if stat.S_ISLNK(self.mode):
            return "link"
        return "folder" if stat.S_ISDIR(self.mode) else "special"

    @property
    def permissions(self) -> int:
        return stat.S_IMODE(self.mode)


FIELDS = attrgetter("st_mode", "st_size", "st_mtime_ns", "st_ctime_ns", "st_ino")
"""A stamp as a plain tuple, which equals it."""


def stamp(of: os.stat_result) -> Stamp:
    return Stamp._make(FIELDS(of))


def scan(
    root: Path | str, skip: Callable[[str], bool] | None = None, depth: int | None = None
) -> dict[str, Stamp]:
    """Every path under ``root``: relative, with ``/``; no link followed, names surrogate-escaped.

    ``skip`` is asked for each path, and what it takes out is not entered either. A folder that cannot be
    read, or that goes while it is being read, has no entries.
    """
    found: dict[str, Stamp] = {}
    pending = [""]
    top = os.fspath(root)
    while pending:
        prefix = pending.pop()
        try:
            entries = os.scandir(f"{top}/{prefix}")
        except OSError:
            continue
        with entries:
            for entry in entries:
                path = prefix + entry.name
                if skip is not None and skip(path):
                    continue
                try:
                    seen = entry.stat(follow_symlinks=False)
                except OSError:
                    continue
                mode = seen.st_mode
                # Written out: for thousands of paths, calls cost more than the kernel does.
                found[path] = Stamp(mode, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns, seen.st_ino)
                if mode & _KIND == stat.S_IFDIR and (depth is None or path.count("/") + 1 < depth):
                    pending.append(f"{path}/")
    return found
