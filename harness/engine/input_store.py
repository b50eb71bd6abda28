"""The store beside results, ``inputs/``: each content once, under its digest."""

import hashlib
import os
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TypeVar

import orjson
from msgspec import Struct, structs

from harness.errors import UserError
from harness.results.archive import pack, unpack
from harness.results.folder import INPUTS
from harness.world.digest import tree_digest

T = TypeVar("T", bound=Struct)
MOST_BYTES = 256 << 20
"""Of one tree; a larger one is not kept."""


class Missing(Struct, frozen=True):
    """The results hold no copy, for the reason given."""

    why: str


def index_of(results: Path, scenario_digest: str) -> Path:
    return results / INPUTS / f"{scenario_digest}.json"


def archive_of(results: Path, digest: str) -> Path:
    return results / INPUTS / f"{digest}.tar.zst"


def keep_tree(tree: Path, digest: str, results: Path) -> None:
    archive = archive_of(results, digest)
    if archive.is_file():
        return
    if results.resolve().is_relative_to(tree.resolve()):
        raise UserError(f"{tree} holds the results folder itself")
    pack(archive, [(tree.name, tree)], most_bytes=MOST_BYTES)


def keep_files(files: Sequence[tuple[str, Path]], results: Path) -> str:
    """Keep files and folders under their names as one content; its digest."""
    digest = _digest_of(files)
    archive = archive_of(results, digest)
    if not archive.is_file():
        pack(archive, files, most_bytes=MOST_BYTES)
    return digest


def write_index(index: Path, made: Struct) -> None:
    """The file appears only when it is whole."""
    unready = index.with_name(f"{index.name}.{os.getpid()}.new")
    unready.write_bytes(orjson.dumps(structs.asdict(made), option=orjson.OPT_INDENT_2))
    unready.replace(index)


def read_index(index: Path, kind: type[T], check: Callable[[T], None]) -> T | Missing:
    """What ``write_index`` wrote: a struct of texts. ``check`` raises ValueError: it may come from a stranger."""
    try:
        made = kind(**orjson.loads(index.read_bytes()))
        words = [getattr(made, name) for name in kind.__struct_fields__]
        if not all(isinstance(word, str) and "\0" not in word for word in words):
            raise ValueError("a field is not text")
        check(made)
    except FileNotFoundError:
        return Missing(f"{index} is not there")
    except (OSError, ValueError, TypeError) as error:
        return Missing(f"{index} cannot be read: {error}")
    return made


def _digest_of(files: Iterable[tuple[str, Path]]) -> str:
    whole = hashlib.sha256()
    for name, path in files:
        content = tree_digest(path) if path.is_dir() else hashlib.sha256(path.read_bytes()).hexdigest()
        whole.update(f"{name}\0{content}\n".encode())
    return whole.hexdigest()


def unpack_tree(results: Path, digest: str, place: Path, within: Path) -> None:
    """Put a kept tree at ``place``, whatever its folder was called."""
    if not place.is_relative_to(within):
        raise UserError(f"the results name a place for {digest[:12]} that leads out of the folder")
    if place.is_dir() and any(place.iterdir()):
        if tree_digest(place) == digest:
            return  # it came with the tree around it
        raise UserError(f"the results name one place, {place.relative_to(within)}, for two trees")
    with_folder = place.parent / f".{digest[:12]}"
    archive = archive_of(results, digest)
    unpack(archive, with_folder, most_bytes=MOST_BYTES)
    (tree,) = with_folder.iterdir()
    if tree_digest(tree) != digest:
        raise UserError(f"{archive} does not hold what its name says")
    if place.is_dir():
        place.rmdir()
    tree.rename(place)
    with_folder.rmdir()


def check_digests(digests: Iterable[str]) -> None:
    """Raises ValueError where one is none: it would be taken for a path."""
    if not all(re.fullmatch("[0-9a-f]{64}", digest) for digest in digests):
        raise ValueError("a digest is none")


def plain_name(name: str) -> str:
    """A folder name that stays one, whoever wrote it."""
    return name if name not in ("", ".", "..") and "/" not in name and "\0" not in name else "project"
