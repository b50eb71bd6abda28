"""How a table that an older harness wrote gets today's columns, while the old file stays beside it."""

import os
import shutil
from collections.abc import Iterator
from itertools import count
from pathlib import Path

from harness.model.row import SCHEMA_VERSION
from harness.results.row_codec import COLUMNS, parse_header


def upgrade_file(path: Path) -> Path | None:
    """Give the table today's columns; returns the copy of what it was, or None where nothing was to do.

    The caller holds the table's lock. Columns of a newer harness stay, after ours; a line that is no row stays as it is.
    """
    columns = _columns_of(path)
    if columns is None or set(COLUMNS) <= set(columns):
        return None
    copy = _free_name(path, SCHEMA_VERSION - 1)
    shutil.copy2(path, copy)
    new = path.with_name(path.name + ".new")
    with new.open("wb") as file:
        file.writelines(_upgraded(path, columns))
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)
    return copy


def _columns_of(path: Path) -> tuple[str, ...] | None:
    try:
        with path.open("rb") as file:
            header = file.readline()
    except FileNotFoundError:
        return None
    return parse_header(header, path) if header.endswith(b"\n") else None


def _upgraded(path: Path, columns: tuple[str, ...]) -> Iterator[bytes]:
    target = (*COLUMNS, *(name for name in columns if name not in COLUMNS))
    yield "\t".join(target).encode() + b"\n"
    with path.open("rb") as lines:
        next(lines)
        for line in lines:
            cells = line.removesuffix(b"\n").split(b"\t")
            if len(cells) != len(columns) or not line.endswith(b"\n"):
                yield line
                continue
            value = dict(zip(columns, cells, strict=True))
            yield b"\t".join(value.get(name, b"") for name in target) + b"\n"


def _free_name(path: Path, version: int) -> Path:
    names = (f"{path.stem}.v{version}{'' if n == 1 else f'.{n}'}{path.suffix}" for n in count(1))
    return next(name for name in map(path.with_name, names) if not name.exists())
