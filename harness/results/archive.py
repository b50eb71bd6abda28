"""Trees as one compressed file, and out of it again without trusting a word of it."""

import os
import stat
import tarfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Protocol, Self

import zstandard

from harness.errors import UserError

MOST_BYTES = 1 << 30
"""Unpacked; what claims more is no archive of ours."""
MOST_MEMBERS = 200_000
LARGEST_HEADER_BYTES = 1 << 20
"""Of what stands before a member: tarfile reads it into memory whole."""
_LEVEL = 6
_WINDOW_LOG = 27
_HEADERS = frozenset(
    {
        tarfile.XHDTYPE,
        tarfile.XGLTYPE,
        tarfile.SOLARIS_XHDTYPE,
        tarfile.GNUTYPE_LONGNAME,
        tarfile.GNUTYPE_LONGLINK,
    }
)


def pack(target: Path, entries: Iterable[tuple[str, Path]], *, most_bytes: int = MOST_BYTES) -> None:
    """Write ``entries`` (name within, file or folder) to ``target``, which appears only when it is whole.

    Modes, times in whole seconds, links and empty folders are kept, owners are not. Raises UserError for what could not be
    unpacked again: pipes, devices, links that lead out of their tree, more than ``most_bytes``.
    """
    unready = target.with_name(f"{target.name}.{os.getpid()}.new")
    room = most_bytes
    try:
        with (
            unready.open("wb") as file,
            zstandard.ZstdCompressor(level=_LEVEL).stream_writer(file) as stream,
            tarfile.open(fileobj=stream, mode="w|", format=tarfile.PAX_FORMAT) as tar,
        ):
            for name, path in entries:
                for inner, found in _walk(name, path):
                    room -= found.lstat().st_size
                    if room < 0:
                        raise UserError(f"{path} is larger than the {most_bytes >> 20} MiB that are packed")
                    _add(tar, inner, found)
                    # Nobody lists them, and they hold the archive with its buffers in a circle.
                    tar.members.clear()  # type: ignore[attr-defined]
        unready.replace(target)
    except OSError as error:
        raise UserError(f"{target} cannot be written: {error}") from None
    finally:
        unready.unlink(missing_ok=True)


def _walk(name: str, path: Path) -> Iterator[tuple[str, Path]]:
    yield name, path
    if path.is_dir() and not path.is_symlink():
        for entry in sorted(path.iterdir()):
            yield from _walk(f"{name}/{entry.name}", entry)


def _add(tar: tarfile.TarFile, name: str, path: Path) -> None:
    member = _member(name, path)
    problem = _problem(member)
    if problem:
        raise UserError(f"{path} {problem}, so it cannot be packed")
    if member.isreg():
        with path.open("rb") as content:
            tar.addfile(member, content)
    else:
        tar.addfile(member)


def _member(name: str, path: Path) -> tarfile.TarInfo:
    """As ``TarFile.gettarinfo``, which looks up the owner's name in two files of the system for every path.

    A second name of a file is a file of its own, which is simpler to check. The time is in whole seconds: a
    fraction takes a header of its own, as large as a small file.
    """
    seen = path.lstat()
    member = tarfile.TarInfo(name)
    member.mode, member.mtime = stat.S_IMODE(seen.st_mode), int(seen.st_mtime)
    if stat.S_ISREG(seen.st_mode):
        member.size = seen.st_size
    elif stat.S_ISDIR(seen.st_mode):
        member.type = tarfile.DIRTYPE
    elif stat.S_ISLNK(seen.st_mode):
        member.type, member.linkname = tarfile.SYMTYPE, str(path.readlink())
    else:
        member.type = tarfile.FIFOTYPE  # or a device or a socket, which fare alike
    return member


def unpack(source: Path, target: Path, *, most_bytes: int = MOST_BYTES) -> None:
    """Put the members under ``target``. Raises UserError at the first thing an archive of ours would not hold.

    What is there by then stays: unpack into a folder that is thrown away.
    """
    try:
        with source.open("rb") as file:
            plain = zstandard.ZstdDecompressor(max_window_size=1 << _WINDOW_LOG).stream_reader(file)
            bounded = _Bounded(plain, most_bytes, source)
            with tarfile.open(fileobj=bounded, mode="r|", tarinfo=_Header) as tar:  # type: ignore[call-overload]
                if hasattr(tarfile, "data_filter"):
                    tar.extractall(target, members=_checked(tar, source), filter=_filter)
                else:  # before 3.11.4
                    tar.extractall(target, members=_made_ours(_checked(tar, source)))
    except (tarfile.TarError, zstandard.ZstdError, OSError, EOFError, ValueError, OverflowError) as error:
        raise UserError(f"{source} is not a whole archive of harness: {error}") from None


class _Readable(Protocol):
    def read(self, size: int = -1, /) -> bytes: ...


class _Bounded:
    """Reads on until more came out than may: a few bytes can stand for terabytes."""

    def __init__(self, inner: _Readable, most: int, source: Path) -> None:
        self._inner = inner
        self._most = most
        self._left = most
        self._source = source

    def read(self, size: int) -> bytes:
        data = self._inner.read(size)
        self._left -= len(data)
        if self._left < 0:
            raise UserError(f"{self._source} unpacks to more than {self._most >> 20} MiB: refused")
        return data


class _Header(tarfile.TarInfo):
    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str | None, errors: str) -> Self:
        made = super().frombuf(buf, encoding or "utf-8", errors)
        if made.type in _HEADERS and made.size > LARGEST_HEADER_BYTES:
            raise tarfile.ReadError("a header is larger than any of ours")
        return made


def _checked(tar: tarfile.TarFile, source: Path) -> Iterator[tarfile.TarInfo]:
    names: set[str] = set()
    links: set[str] = set()
    for member in tar:
        problem = _problem(member)
        name = os.path.normpath(member.name)
        above = {name[:at] for at, char in enumerate(name) if char == "/"}
        if not problem and name in names:
            problem = "stands in it twice"
        elif not problem and links & above:
            problem = "lies behind a link"
        elif not problem and len(names) >= MOST_MEMBERS:
            problem = f"comes after {MOST_MEMBERS} others"
        if problem:
            raise UserError(f"{source} is refused: {member.name[:200]!r} {problem}")
        names.add(name)
        if member.issym():
            links.add(name)
        yield member


def _problem(member: tarfile.TarInfo) -> str:
    """Why a member may not be unpacked, or ''."""
    parts = member.name.split("/")
    if member.name.startswith("/") or ".." in parts or "\0" in member.name or not member.name:
        return "leads out of the folder"
    if member.issparse() or not (member.isdir() or member.issym() or member.type == tarfile.REGTYPE):
        return "is neither a file, a folder nor a symbolic link"
    if member.issym():
        to = os.path.normpath(os.path.join(os.path.dirname(member.name), member.linkname))  # noqa: PTH118, PTH120
        if member.linkname.startswith("/") or to.split("/")[0] == "..":
            return "is a link that leads out of the folder"
    return ""


def _filter(member: tarfile.TarInfo, target: str) -> tarfile.TarInfo | None:
    """What Python thinks safe, but with the permissions as they were: ``ls -l`` is part of a run."""
    safe = tarfile.data_filter(member, target)
    return safe.replace(mode=member.mode & 0o777, deep=False)


def _made_ours(members: Iterable[tarfile.TarInfo]) -> Iterator[tarfile.TarInfo]:
    """Members that have been checked, with an owner and permissions that anybody may give."""
    for member in members:
        member.uid, member.gid, member.uname, member.gname = os.getuid(), os.getgid(), "", ""
        member.mode &= 0o777
        yield member


def is_archive(path: Path) -> bool:
    """Whether the file begins as one of ours does."""
    with path.open("rb") as file:
        return _magic(file) == zstandard.FRAME_HEADER


def _magic(file: IO[bytes]) -> bytes:
    return file.read(4)
