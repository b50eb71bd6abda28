"""A world as a thin layer over its fixture: ready at once, and the layer holds exactly what changed.

Mounted in a user namespace of the run alone, so that no privilege is needed and nothing stays mounted. This
side never sees the merged world: it reads the layer.
"""

import os
import shutil
import stat
from functools import lru_cache
from pathlib import Path

from msgspec import Struct

from harness.model.change import Change
from harness.world.changes import compare, opened
from harness.world.kernel import overlay_works
from harness.world.scan import Stamp, scan

WORTH_IT_FILES = 1000
"""Below, a copy is as quick, and it is the better world: a folder of the fixture can be renamed in it."""

_OPAQUE = "user.overlay.opaque"
_SPECIAL_TO_MOUNT = frozenset(",:\\\"' \t\n")


class Overlay(Struct, frozen=True, kw_only=True):
    """The two folders an overlay needs beside the fixture, both on one file system."""

    upper: Path
    work: Path

    def options(self, fixture: Path) -> str:
        return f"lowerdir={fixture},upperdir={self.upper},workdir={self.work},userxattr"

    def changes(self, fixture: Path) -> tuple[Change, ...]:
        with opened(self.upper) as layer:
            hidden = _hidden(self.upper, layer, fixture)
            now = {path: found for path, found in layer.items() if not _is_whiteout(self.upper / path, found)}
            return compare(fixture, self.upper, now.keys() | hidden, now)

    def apply(self, world: Path) -> None:
        """Make a copy of the fixture into what the run saw at its end."""
        with opened(self.upper) as layer:
            for path in sorted(layer):  # folders before what is in them
                source, target, found = self.upper / path, world / path, layer[path]
                if found.type == "folder":
                    _apply_folder(source, target, found)
                    continue
                _remove(target)
                if not _is_whiteout(source, found):
                    _place(source, target, found)
            for path in sorted(layer, reverse=True):
                if layer[path].type == "folder":
                    (world / path).chmod(layer[path].permissions)


@lru_cache(maxsize=256)
def worth_an_overlay(fixture: Path, base: Path, *, always: bool = False) -> bool:
    """Whether a world of this fixture under ``base`` should be an overlay. Asked once for each fixture.

    Files of another owner could not be copied up: only our own user exists in the namespace.
    """
    if _SPECIAL_TO_MOUNT & set(f"{fixture}{base}"):
        return False
    names = scan(fixture)
    if len(names) < WORTH_IT_FILES and not always:
        return False
    ours = all((fixture / name).lstat().st_uid == os.geteuid() for name in ("", *names))
    return ours and overlay_works(base)


def _hidden(upper: Path, layer: dict[str, Stamp], fixture: Path) -> set[str]:
    """Paths of the fixture that the layer takes away."""
    gone: set[str] = set()
    for path, found in layer.items():
        covers = found.type != "folder" or _is_opaque(upper / path)
        if not covers:
            continue
        gone.add(path)
        below = fixture / path
        if below.is_dir() and not below.is_symlink():
            gone.update(f"{path}/{name}" for name in scan(below))
    return gone


def _is_whiteout(path: Path, found: Stamp) -> bool:
    return stat.S_ISCHR(found.mode) and path.lstat().st_rdev == 0


def _is_opaque(path: Path) -> bool:
    try:
        return os.getxattr(path, _OPAQUE, follow_symlinks=False) == b"y"
    except OSError:
        return False


def _apply_folder(source: Path, target: Path, found: Stamp) -> None:
    if _is_opaque(source) or not target.is_dir() or target.is_symlink():
        _remove(target)
    target.mkdir(exist_ok=True)
    target.chmod(found.permissions | 0o700)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _place(source: Path, target: Path, found: Stamp) -> None:
    if found.type == "special":
        return
    shutil.copy2(source, target, follow_symlinks=False)
    if found.type == "file":
        target.chmod(found.permissions)
