"""Whether trees are still the same, for the price of their lstat calls."""

import os
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from msgspec import Struct, field

from harness.world.digest import RACY_NS, Skip, identity, known_of
from harness.world.scan import FIELDS, Stamp, scan, stamp


class Tree(Struct, frozen=True):
    """One tree to watch. ``skip`` takes relative paths out; ``depth`` 1 is the top level only."""

    path: Path
    skip: Skip | None = None
    depth: int | None = None


class _Look(Struct, frozen=True):
    """A tree at one moment."""

    stamps: Mapping[str, Stamp]
    paths: list[str]
    """The same, absolute, with the tree's own folder, whose times tell of what comes and goes in it."""
    seen: list[Stamp]
    settled: bool
    """False: a folder changed so lately that its times may stay the same when it changes again."""

    def still_holds(self) -> bool:
        """True is sure, and takes a third of what another look takes; False may be for nothing."""
        try:
            return self.settled and list(map(FIELDS, map(os.lstat, self.paths))) == self.seen
        except OSError:
            return False


class _Watched(Struct):
    tree: Tree
    then: Mapping[str, Stamp]
    identities: Mapping[str, bytes]
    well: _Look
    """The latest look that found nothing changed."""


class Watch(Struct, frozen=True):
    """Trees that must not change while others work. Made by ``Watch.of``; safe to ask from many threads."""

    _watched: tuple[_Watched, ...]
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
        trees = (_resolved(p if isinstance(p, Tree) else Tree(p), left_out) for p in paths)
        return cls(tuple(map(_watched, trees)), _may_excuse=may_excuse)

    def changed(self) -> tuple[str, ...]:
        """The absolute paths that were added, removed or altered since, sorted; () for none."""
        found: list[Path] = []
        for watched in self._watched:
            if watched.well.still_holds():
                continue
            now = _look(watched.tree)
            wrong = [*_altered(watched, now.stamps), *self._not_excused(_new(watched, now.stamps))]
            if not wrong:
                watched.well = now
            found += wrong
        return tuple(sorted(map(str, found)))

    def _not_excused(self, new: list[Path]) -> list[Path]:
        asked = [p for p in new if p not in self._excused]
        if asked and self._may_excuse is not None:
            self._excused.update(self._may_excuse(asked))
        return [p for p in asked if p not in self._excused]


def _watched(tree: Tree) -> _Watched:
    root, look = str(tree.path), _look(tree)
    known = known_of(root)
    identities = {name: identity(root, name, now, known) for name, now in look.stamps.items()}
    return _Watched(tree, look.stamps, identities, look)


def _look(tree: Tree) -> _Look:
    """A single file has the name ''."""
    root, at_ns = str(tree.path), time.time_ns()
    try:
        top = stamp(os.lstat(root))
    except OSError:
        return _Look({}, [root], [], False)
    stamps = scan(root, tree.skip, tree.depth) if top.type == "folder" else {}
    folders = [now for now in (top, *stamps.values()) if now.type == "folder"]
    return _Look(
        stamps or ({} if top.type == "folder" else {"": top}),
        [root, *(f"{root}/{name}" for name in stamps)],
        [top, *stamps.values()],
        all(at_ns - now.ctime_ns > RACY_NS for now in folders),
    )


def _new(watched: _Watched, now: Mapping[str, Stamp]) -> list[Path]:
    return [watched.tree.path / name for name in now.keys() - watched.then.keys()]


def _altered(watched: _Watched, now: Mapping[str, Stamp]) -> list[Path]:
    """What is there no more, or is something else."""
    return [
        watched.tree.path / name
        for name, then in watched.then.items()
        if now.get(name) != then and _is_other(watched, name, then, now.get(name))
    ]


def _is_other(watched: _Watched, name: str, then: Stamp, now: Stamp | None) -> bool:
    if now is None or then.permissions != now.permissions:
        return True
    root = str(watched.tree.path)
    return identity(root, name, now, known_of(root)) != watched.identities[name]


def _resolved(tree: Tree, left_out: tuple[str, ...]) -> Tree:
    root = os.path.realpath(tree.path)
    inside = {p[len(root) + 1 :] for p in left_out if p.startswith(f"{root}/")}
    if not inside:
        return Tree(Path(root), tree.skip, tree.depth)
    skip = tree.skip
    return Tree(Path(root), lambda name: name in inside or (skip is not None and skip(name)), tree.depth)
