"""A bundle opened without trust: it may come from a stranger."""

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path

import orjson
import zstandard
from msgspec import Struct

from harness.engine.run_cell import WIRE
from harness.errors import UserError
from harness.gateway.wire import WINDOW_LOG
from harness.results.archive import is_archive, unpack

VERSION = 1
LABEL = "bundle.json"
MOST_BYTES = 512 << 20
"""Of everything, before it is compressed."""


class Label(Struct, frozen=True, kw_only=True):
    run_id: str
    files: Mapping[str, str]
    """SHA-256 by name."""


def open_bundle(file: Path, place: Path) -> Path:
    """Unpack a bundle from anywhere; the run's folder within ``place``. Raises UserError at anything odd."""
    if not is_archive(file):
        raise UserError(f"{file} is no bundle; `harness bundle RUN_ID` makes one")
    unpack(file, place)
    label = _read_label(file, place)
    there = {
        p.relative_to(place).as_posix(): p for p in place.rglob("*") if p.is_file() and not p.is_symlink()
    }
    del there[LABEL]
    if any(p.is_symlink() for p in place.rglob("*")) or there.keys() != label.files.keys():
        raise UserError(f"{file} does not hold what its label says")
    for name, path in there.items():
        if hashlib.sha256(path.read_bytes()).hexdigest() != label.files[name]:
            raise UserError(f"{file} is damaged: {name} is not what its label says")
    folder = place / "runs" / label.run_id
    if folder.parent != place / "runs" or not folder.is_dir():
        raise UserError(f"{file} does not hold the run that its label names")
    if (folder / WIRE).is_file():
        for _ in plain_wire(folder / WIRE):
            pass
    return folder


def _read_label(file: Path, place: Path) -> Label:
    try:
        label: object = orjson.loads((place / LABEL).read_bytes())
    except (OSError, ValueError):
        raise UserError(f"{file} is no bundle: it has no {LABEL}") from None
    match label:
        case {"bundle": int(version), "run_id": str(run_id), "files": dict(files)} if version == VERSION:
            return Label(run_id=run_id, files={str(name): str(digest) for name, digest in files.items()})
        case {"bundle": int(version), "harness": str(maker)} if version > VERSION:
            raise UserError(f"{file} was made by a newer harness ({maker}); update this one")
    raise UserError(f"{file} is no bundle: its {LABEL} is not as harness writes it")


def plain_wire(wire: Path) -> Iterator[bytes]:
    """A recording as it would be read; never more than a bundle may hold."""
    room = MOST_BYTES
    with wire.open("rb") as file:
        stream = zstandard.ZstdDecompressor(max_window_size=1 << WINDOW_LOG).stream_reader(file)
        try:
            while piece := stream.read(1 << 20):
                room -= len(piece)
                if room < 0:
                    raise UserError(f"{wire.name} unpacks to more than {MOST_BYTES >> 20} MiB: refused")
                yield piece
        except zstandard.ZstdError:
            return  # torn; what is whole has been seen
