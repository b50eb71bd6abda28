"""What an arm left different in its world, read from the paths alone that lstat shows to differ."""

import codecs
import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import orjson
from msgspec import Struct, structs

from harness.model.change import Change
from harness.world.difftext import unified
from harness.world.scan import Stamp, scan, stamp

__all__ = [
    "Snapshot",
    "changes_between",
    "changes_since",
    "from_json",
    "snapshot",
    "to_json",
    "unified",
]

TEXT_LIMIT_BYTES = 1 << 20
"""Kept of one file."""
TOTAL_TEXT_LIMIT_BYTES = 20 << 20
"""Kept of all files together, before and after counted."""
HASH_LIMIT_BYTES = 1 << 30
"""A larger file gets no hash: one that an arm made to fill the disk must not cost minutes."""


class Snapshot(Struct, frozen=True):
    """A world right after it was copied."""

    stamps: Mapping[str, Stamp]


class _Content(Struct, frozen=True):
    type: Literal["file", "link", "folder", "special"]
    mode: int
    sha256: str
    text: str | None
    cut: bool


def snapshot(world: Path) -> Snapshot:
    return Snapshot(scan(world))


def changes_since(world: Path, before: Snapshot, fixture: Path) -> tuple[Change, ...]:
    """The changes in path order. Rewriting a file with the same content and mode is none."""
    with opened(world) as now:
        names = before.stamps.keys() | now.keys()
        return compare(fixture, world, (n for n in names if before.stamps.get(n) != now.get(n)), now)


def changes_between(fixture: Path, world: Path) -> tuple[Change, ...]:
    """As ``changes_since``, for a world of which there is no snapshot: every file is read."""
    with opened(world) as now:
        return compare(fixture, world, scan(fixture).keys() | now.keys(), now)


def compare(fixture: Path, world: Path, paths: Iterable[str], now: Mapping[str, Stamp]) -> tuple[Change, ...]:
    """The changes among ``paths`` (relative), in path order; text is kept as long as there is room.

    ``now``: the stamps of the world as the arm left it, however it was opened up for reading since.
    """
    room = TOTAL_TEXT_LIMIT_BYTES
    changes: list[Change] = []
    for path in sorted(paths):
        then, since = _stamp_within(fixture, path), now.get(path)
        before = _content(fixture / path, then, room) if then else None
        after = _content(world / path, since, room) if since else None
        change = _compare_one(path, before, after)
        if change is not None:
            room -= len(change.before or "") + len(change.after or "")
            changes.append(change)
    return tuple(changes)


@contextmanager
def opened(world: Path) -> Iterator[dict[str, Stamp]]:
    """The stamps of every path; within, we may read also what the arm took the permission for from us."""
    stamps = scan(world)
    closed: list[tuple[Path, int]] = []
    pending = list(stamps.items()) if os.geteuid() else []
    while pending:
        path, now = pending.pop()
        needed = {"folder": 0o500, "file": 0o400}.get(now.type, 0)
        if now.mode & needed == needed:
            continue
        (world / path).chmod(now.permissions | needed)
        closed.append((world / path, now.permissions))
        if now.type == "folder":
            inner = {f"{path}/{name}": found for name, found in scan(world / path).items()}
            pending += inner.items()
            stamps.update(inner)
    try:
        yield stamps
    finally:
        for place, permissions in reversed(closed):
            place.chmod(permissions)


def _compare_one(path: str, before: _Content | None, after: _Content | None) -> Change | None:
    shown = after or before
    if shown is None or _same(before, after):
        return None
    return Change(
        path=os.fsencode(path).decode("utf-8", "backslashreplace"),
        kind="added" if before is None else "deleted" if after is None else "modified",
        type=shown.type,
        before=before.text if before else None,
        after=after.text if after else None,
        before_sha256=before.sha256 if before else "",
        after_sha256=after.sha256 if after else "",
        mode=shown.mode,
        cut=any(side is not None and side.cut for side in (before, after)),
    )


def _same(before: _Content | None, after: _Content | None) -> bool:
    if before is None or after is None:
        return before is after
    if before.type != after.type or (before.mode != after.mode and before.type != "link"):
        return False
    # Without a hash (too large, unreadable) nobody can say that it is the same.
    return before.sha256 == after.sha256 and (bool(before.sha256) or before.type in ("folder", "special"))


def _stamp_within(root: Path, path: str) -> Stamp | None:
    """The stamp of a path that is reached without following any link, or None."""
    place = root
    for part in Path(path).parent.parts:
        place /= part
        if place.is_symlink():
            return None
    try:
        return stamp((root / path).lstat())
    except OSError:
        return None


def _content(path: Path, now: Stamp, room: int) -> _Content:
    kind, mode = now.type, now.permissions
    try:
        if kind == "link":
            target = os.fsencode(path.readlink())
            return _Content(kind, mode, hashlib.sha256(target).hexdigest(), _decode(target, False), False)
        if kind == "file" and now.size <= HASH_LIMIT_BYTES:
            head, sha256 = _read(path)
            kept = max(0, min(TEXT_LIMIT_BYTES, room))
            cut = now.size > kept
            return _Content(kind, mode, sha256, _decode(head[:kept], cut), cut)
    except OSError:
        return _Content(kind, mode, "", None, False)
    return _Content(kind, mode, "", None, kind == "file")


def _read(path: Path) -> tuple[bytes, str]:
    """The head that may be kept as text, and the hash of the whole."""
    digest = hashlib.sha256()
    head = b""
    fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        while chunk := os.read(fd, TEXT_LIMIT_BYTES):
            if len(head) < TEXT_LIMIT_BYTES:
                head += chunk
            digest.update(chunk)
    finally:
        os.close(fd)
    return head[:TEXT_LIMIT_BYTES], digest.hexdigest()


def _decode(data: bytes, cut: bool) -> str | None:
    """The text, or None where it is none. A cut may go through the middle of a character."""
    if b"\0" in data:
        return None
    try:
        return codecs.getincrementaldecoder("utf-8")().decode(data, final=not cut)
    except UnicodeDecodeError:
        return None


def to_json(changes: Iterable[Change]) -> bytes:
    return orjson.dumps([structs.asdict(change) for change in changes], option=orjson.OPT_INDENT_2)


def from_json(data: bytes) -> tuple[Change, ...]:
    """Read what ``to_json`` wrote; ValueError on anything else."""
    items: object = orjson.loads(data)
    if not isinstance(items, list):
        raise ValueError("changes.json holds no list")
    try:
        return tuple(Change(**item) for item in items)
    except TypeError as error:
        raise ValueError(f"changes.json holds something else than changes: {error}") from None
