"""What a tree is, as one digest; what was hashed before costs an lstat."""

import hashlib
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

from harness.world.scan import Stamp, scan

Skip = Callable[[str], bool]

_CHUNK_BYTES = 1 << 20
RACY_NS = 100_000_000
"""Kernel clocks tick every few milliseconds: an edit right after a hash may leave the same times behind."""


class Known(Struct):
    """The hash of one path, with the stamp it was taken under."""

    stamp: Stamp
    digest: bytes
    taken_ns: int

    def holds_for(self, now: Stamp) -> bool:
        return now == self.stamp and self.taken_ns - now.ctime_ns > RACY_NS


_known: dict[str, dict[str, Known]] = {}
_lock = threading.Lock()


def tree_digest(path: Path, ignore: Skip | None = None) -> str:
    """SHA-256 over the sorted paths with type, executable bit, and content or link target.

    Times and owners are not part of it, so a copy has the digest of its original. What was hashed before
    under the same stamp is not read again.
    """
    root = os.path.realpath(path)
    stamps = scan(root, ignore)
    known = known_of(root)
    whole = hashlib.sha256()
    for name in sorted(stamps):
        whole.update(os.fsencode(name) + b"\0" + identity(root, name, stamps[name], known) + b"\n")
    return whole.hexdigest()


def file_digest(path: Path | str, size: int) -> bytes:
    """SHA-256 of a regular file; links are not followed and a pipe in its place is not waited for.

    ``size`` is what it is expected to have: a large buffer costs more than to read a small file.
    """
    digest, done = hashlib.sha256(), 0
    most = min(size + 1, _CHUNK_BYTES)
    fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        while chunk := os.read(fd, most):
            digest.update(chunk)
            done += len(chunk)
            if done == size and len(chunk) < most:
                break  # it was asked for one byte more
            most = _CHUNK_BYTES
    finally:
        os.close(fd)
    return digest.digest()


def known_of(root: str) -> dict[str, Known]:
    with _lock:
        return _known.setdefault(root, {})


def identity(root: str, name: str, now: Stamp, known: dict[str, Known]) -> bytes:
    """All of a path that counts, in a few bytes."""
    if now.type == "folder":
        return b"folder"
    if now.type == "special":
        return b"special"
    before = known.get(name)
    if before is not None and before.holds_for(now):
        return before.digest
    taken_ns = time.time_ns()
    digest = _read_identity(f"{root}/{name}" if name else root, now)
    known[name] = Known(now, digest, taken_ns)
    return digest


def _read_identity(path: str, now: Stamp) -> bytes:
    try:
        if now.type == "link":
            return b"link:" + hashlib.sha256(os.fsencode(Path(path).readlink())).digest()
        return (b"executable:" if now.mode & 0o100 else b"file:") + file_digest(path, now.size)
    except OSError as error:
        return b"unreadable:%d" % (error.errno or 0)
