"""Folders as bytes that travel: packed, and unpacked to what they were."""

import io
import tarfile
from pathlib import Path

import zstandard

_LEVEL = 3


def pack(folder: Path) -> bytes:
    """The folder's contents with modes, links and times; owners stay behind."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w", format=tarfile.PAX_FORMAT) as tar:
        tar.add(folder, arcname=".", filter=_without_owner)
    return zstandard.ZstdCompressor(level=_LEVEL).compress(made.getbuffer())


def _without_owner(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return member


def unpack(data: bytes, folder: Path) -> None:
    """Write them into a new folder. Raises OSError or tarfile.TarError for what is not whole or leaves the folder."""
    folder.mkdir(parents=True)
    plain = zstandard.ZstdDecompressor().decompress(data)
    with tarfile.open(fileobj=io.BytesIO(plain), mode="r:") as tar:
        tar.extractall(folder, filter="tar")
