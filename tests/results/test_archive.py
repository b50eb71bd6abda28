"""Trees survive packing, and an archive that was made to do harm is refused in one sentence."""

import io
import os
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from harness.errors import UserError
from harness.results.archive import is_archive, pack, unpack
from harness.world.digest import tree_digest

Member = tuple[tarfile.TarInfo, bytes]


def member(name: str, data: bytes = b"x", kind: bytes = tarfile.REGTYPE, to: str = "") -> Member:
    made = tarfile.TarInfo(name)
    made.type, made.linkname = kind, to
    made.size = len(data) if kind == tarfile.REGTYPE else 0
    return made, data


def archive(path: Path, *members: Member) -> Path:
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for made, data in members:
            tar.addfile(made, io.BytesIO(data))
    path.write_bytes(zstandard.compress(plain.getvalue()))
    return path


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    (root / "empty").mkdir(parents=True)
    (root / "docs").mkdir()
    (root / "docs/ä b.md").write_text("text")
    (root / "tool").write_text("#!/bin/sh\n")
    (root / "tool").chmod(0o750)
    (root / "same").hardlink_to(root / "tool")
    (root / "shared").write_text("s")
    (root / "shared").chmod(0o664)
    (root / "latest").symlink_to("docs")
    os.utime(root / "tool", ns=(10**18, 10**18 + 5))
    return root


def test_a_tree_comes_out_as_it_went_in(tree: Path, tmp_path: Path) -> None:
    pack(tmp_path / "a", [("t", tree)])
    unpack(tmp_path / "a", tmp_path / "out")
    out = tmp_path / "out/t"
    assert tree_digest(out) == tree_digest(tree)
    before, after = ((r / "tool").stat() for r in (tree, out))
    assert (after.st_mode, after.st_mtime) == (before.st_mode, before.st_mtime)
    assert (out / "shared").stat().st_mode & 0o777 == 0o664


def test_a_file_of_ours_is_known_by_its_start(tree: Path, tmp_path: Path) -> None:
    pack(tmp_path / "a", [("t", tree)])
    assert (is_archive(tmp_path / "a"), is_archive(tree / "shared")) == (True, False)


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (lambda root: os.mkfifo(root / "pipe"), "is neither a file, a folder nor a symbolic link"),
        (lambda root: (root / "out").symlink_to("/etc"), "is a link that leads out of the folder"),
        (lambda root: (root / "big").write_bytes(b"x" * 3_000_000), "is larger than the 1 MiB"),
    ],
    ids=["pipe", "link", "size"],
)
def test_what_could_not_be_unpacked_is_not_packed(
    tree: Path, tmp_path: Path, spoil: Callable[[Path], object], told: str
) -> None:
    spoil(tree)
    with pytest.raises(UserError, match=told):
        pack(tmp_path / "a", [("t", tree)], most_bytes=1 << 20)
    assert list(tmp_path.glob("a*")) == []


HOSTILE = {
    "parent": [member("a/../../evil")],
    "absolute": [member("/tmp/evil")],
    "absolute-link": [member("l", kind=tarfile.SYMTYPE, to="/etc/passwd")],
    "link-out": [member("d/l", kind=tarfile.SYMTYPE, to="../../x")],
    "through-a-link": [member("l", kind=tarfile.SYMTYPE, to="d"), member("l/evil")],
    "file-over-link": [member("l", kind=tarfile.SYMTYPE, to="d"), member("l")],
    "hard-link": [member("a"), member("b", kind=tarfile.LNKTYPE, to="a")],
    "device": [member("null", kind=tarfile.CHRTYPE)],
    "pipe": [member("p", kind=tarfile.FIFOTYPE)],
    "empty-name": [member("")],
}


@pytest.mark.parametrize("members", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_archive_is_refused_in_one_sentence(tmp_path: Path, members: list[Member]) -> None:
    evil = archive(tmp_path / "evil.tar.zst", *members)
    with pytest.raises(UserError) as caught:
        unpack(evil, tmp_path / "in/out")
    assert "\n" not in str(caught.value)
    assert "evil.tar.zst" in str(caught.value)
    assert [p.name for p in tmp_path.rglob("evil") if p.is_file()] == []


def test_a_bomb_is_left_before_it_fills_the_disk(tmp_path: Path) -> None:
    bomb = archive(tmp_path / "bomb", member("zeros", bytes(8 << 20)))
    assert bomb.stat().st_size < 10_000
    with pytest.raises(UserError, match="unpacks to more than 1 MiB"):
        unpack(bomb, tmp_path / "out", most_bytes=1 << 20)
    assert sum(p.stat().st_size for p in (tmp_path / "out").rglob("*")) <= 1 << 20


def test_a_header_of_gigabytes_is_not_read(tmp_path: Path) -> None:
    header = tarfile.TarInfo("x")
    header.type, header.size = tarfile.XHDTYPE, 1 << 40
    (tmp_path / "a").write_bytes(zstandard.compress(header.tobuf(tarfile.GNU_FORMAT)))
    with pytest.raises(UserError, match="a header is larger than any of ours"):
        unpack(tmp_path / "a", tmp_path / "out")


@pytest.mark.parametrize(
    "data",
    [b"", b"no archive", zstandard.compress(b"x" * 2000), zstandard.compress(b"x" * 100_000)[:20]],
    ids=["empty", "text", "no-tar", "torn"],
)
def test_what_is_no_archive_is_told_so(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "a").write_bytes(data)
    with pytest.raises(UserError, match="is not a whole archive of harness"):
        unpack(tmp_path / "a", tmp_path / "out")


def test_a_torn_archive_is_no_smaller_tree(tree: Path, tmp_path: Path) -> None:
    (tree / "noise").write_bytes(os.urandom(200_000))
    pack(tmp_path / "a", [("t", tree)])
    whole = (tmp_path / "a").read_bytes()
    (tmp_path / "a").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(UserError, match="is not a whole archive of harness"):
        unpack(tmp_path / "a", tmp_path / "out")
