"""What a tree is, as one digest, and whether it is still the same, for the price of its lstat calls."""

import hashlib
import os
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from msgspec import Struct, field

from harness.world.scan import Stamp, scan, stamp

Skip = Callable[[str], bool]

_CHUNK_BYTES = 1 << 20
RACY_NS = 100_000_000
"""Kernel clocks tick every few milliseconds: an edit right after a hash may leave the same times behind."""


class _Known(Struct):
    """The hash of one path, with the stamp it was taken under."""

    stamp: Stamp
    digest: bytes
    taken_ns: int

    def holds_for(self, now: Stamp) -> bool:
        return now == self.stamp and self.taken_ns - now.ctime_ns > RACY_NS


_known: dict[str, dict[str, _Known]] = {}
_lock = threading.Lock()


def tree_digest(path: Path, ignore: Skip | None = None) -> str:
    """SHA-256 over the sorted paths with type, executable bit, and content or link target.

    Times and owners are not part of it, so a copy has the digest of its original. What was hashed before
    under the same stamp is not read again.
    """
    root = os.path.realpath(path)
    stamps = scan(root, ignore)
    known = _known_of(root)
    whole = hashlib.sha256()
    for name in sorted(stamps):
        whole.update(os.fsencode(name) + b"\0" + _identity(root, name, stamps[name], known) + b"\n")
    return whole.hexdigest()


def file_digest(path: Path | str) -> bytes:
    """SHA-256 of a regular file; links are not followed and a pipe in its place is not waited for."""
    digest = hashlib.sha256()
    fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        while chunk := os.read(fd, _CHUNK_BYTES):
            digest.update(chunk)
    finally:
        os.close(fd)
    return digest.digest()


def _known_of(root: str) -> dict[str, _Known]:
    with _lock:
        return _known.setdefault(root, {})


def _identity(root: str, name: str, now: Stamp, known: dict[str, _Known]) -> bytes:
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
    known[name] = _Known(now, digest, taken_ns)
    return digest


def _read_identity(path: str, now: Stamp) -> bytes:
    try:
        if now.type == "link":
            return b"link:" + hashlib.sha256(os.fsencode(Path(path).readlink())).digest()
        return (b"executable:" if now.mode & 0o100 else b"file:") + file_digest(path)
    except OSError as error:
        return b"unreadable:%d" % (error.errno or 0)


class Tree(Struct, frozen=True):
    """One tree to watch. ``skip`` takes relative paths out; ``depth`` 1 is the top level only."""

    path: Path
    skip: Skip | None = None
    depth: int | None = None


class Watch(Struct, frozen=True):
    """Trees that must not change while others work. Made by ``Watch.of``; safe to ask from many threads."""

    _trees: tuple[Tree, ...]
    _stamps: Mapping[Path, dict[str, Stamp]]
    _identities: Mapping[Path, dict[str, bytes]]
    _excused: set[Path] = field(default_factory=set)
    _may_excuse: Callable[[list[Path]], set[Path]] | None = None

    @classmethod
    def of(
        cls,
        paths: Iterable[Path | Tree],
        exclude: Iterable[Path] = (),
        may_excuse: Callable[[list[Path]], set[Path]] | None = None,
    ) -> "Watch":
        """Remember the trees (or single files, or places where nothing is yet) as they are now.

        ``exclude``: absolute paths left out with all under them. ``may_excuse`` is asked about paths that
        have come newly, and names those that do not matter.
        """
        left_out = tuple(os.path.realpath(p) for p in exclude)
        trees = tuple(_resolved(p if isinstance(p, Tree) else Tree(p), left_out) for p in paths)
        stamps = {tree.path: _stamps(tree) for tree in trees}
        identities = {
            tree.path: {
                name: _identity(str(tree.path), name, now, _known_of(str(tree.path)))
                for name, now in stamps[tree.path].items()
            }
            for tree in trees
        }
        return cls(trees, stamps, identities, _may_excuse=may_excuse)

    def changed(self) -> tuple[str, ...]:
        """The absolute paths that were added, removed or altered since, sorted; () for none."""
        found: list[Path] = []
        new: list[Path] = []
        for tree in self._trees:
            then, now = self._stamps[tree.path], _stamps(tree)
            if then == now:
                continue
            identities = self._identities[tree.path]
            for name in then.keys() | now.keys():
                path = tree.path / name if name else tree.path
                if name not in then:
                    new.append(path)
                elif name not in now or self._altered(tree, name, then[name], now[name], identities[name]):
                    found.append(path)
        return tuple(sorted(str(p) for p in found + self._not_excused(new)))

    @staticmethod
    def _altered(tree: Tree, name: str, then: Stamp, now: Stamp, identity: bytes) -> bool:
        if then == now:
            return False
        if then.permissions != now.permissions:
            return True
        return _identity(str(tree.path), name, now, _known_of(str(tree.path))) != identity

    def _not_excused(self, new: list[Path]) -> list[Path]:
        asked = [p for p in new if p not in self._excused]
        if asked and self._may_excuse is not None:
            self._excused.update(self._may_excuse(asked))
        return [p for p in asked if p not in self._excused]


def _resolved(tree: Tree, left_out: tuple[str, ...]) -> Tree:
    root = os.path.realpath(tree.path)
    inside = {p[len(root) + 1 :] for p in left_out if p.startswith(f"{root}/")}
    if not inside:
        return Tree(Path(root), tree.skip, tree.depth)
    skip = tree.skip
    return Tree(Path(root), lambda name: name in inside or (skip is not None and skip(name)), tree.depth)


def _stamps(tree: Tree) -> dict[str, Stamp]:
    """The stamps of a tree, or of a single file under the name ''."""
    try:
        top = tree.path.lstat()
    except OSError:
        return {}
    if stamp(top).type == "folder":
        return scan(tree.path, tree.skip, tree.depth)
    return {"": stamp(top)}
