"""Folders as bytes that travel: packed, and unpacked to what they were."""

# A run folder is a few plain files, ten thousand times a night; a tree of a fixture is packed once. So the one
# is packed as names and bytes, which costs a quarter of a tar's time, and the other with all that a tar keeps.

import io
import os
import struct
import tarfile
from collections.abc import Iterator
from pathlib import Path

import zstandard

_LEVEL = 3
_HEAD = struct.Struct(">IQ")


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
        if hasattr(tarfile, "tar_filter"):
            tar.extractall(folder, filter="tar")
        else:  # before 3.11.4
            tar.extractall(folder, members=_within(tar))


def _within(tar: tarfile.TarFile) -> Iterator[tarfile.TarInfo]:
    """The members, with an owner that anybody may give; TarError at one that leaves the folder."""
    links: set[str] = set()
    for member in tar:
        names = [os.path.normpath(n) for n in (member.name, member.linkname if member.islnk() else ".")]
        above = {name[:at] for name in names for at, char in enumerate(name) if char == "/"}
        if links & above or any(name.startswith(("/", "../")) or name == ".." for name in names):
            raise tarfile.ExtractError(f"{member.name} leads out of the folder")
        if member.issym():
            links.add(names[0])
        member.uid, member.gid = os.getuid(), os.getgid()
        yield member


def pack_files(folder: Path) -> bytes:
    """The regular files directly in the folder."""
    parts: list[bytes] = []
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_file(follow_symlinks=False):
                name, data = os.fsencode(entry.name), Path(entry.path).read_bytes()
                parts += [_HEAD.pack(len(name), len(data)), name, data]
    return zstandard.ZstdCompressor(level=_LEVEL).compress(b"".join(parts))


def unpack_files(data: bytes, folder: Path) -> None:
    """Write them into a new folder. Raises OSError, or ValueError for what is not whole or names another folder."""
    try:
        plain = memoryview(zstandard.ZstdDecompressor().decompress(data))
    except zstandard.ZstdError as error:
        raise ValueError(str(error)) from error
    folder.mkdir(parents=True)
    place = 0
    while place < len(plain):
        try:
            name_size, size = _HEAD.unpack_from(plain, place)
        except struct.error as error:
            raise ValueError("cut off") from error
        start = place + _HEAD.size + name_size
        end = start + size
        name = os.fsdecode(bytes(plain[start - name_size : start]))
        if "/" in name or name in ("", ".", "..") or end > len(plain):
            raise ValueError(f"holds {name!r}, or is cut off there")
        descriptor = os.open(f"{folder}/{name}", os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
        try:
            while start < end:
                start += os.write(descriptor, plain[start:end])
        finally:
            os.close(descriptor)
        place = end
