"""Folders that travel arrive as they were."""

import os
from pathlib import Path

import pytest

from harness.engine.bundle import pack, pack_files, unpack, unpack_files
from harness.world.digest import tree_digest


def test_a_tree_arrives_with_links_modes_and_empty_folders(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    (tree / "empty").mkdir(parents=True)
    (tree / "run").write_text("#!/bin/sh\n")
    (tree / "run").chmod(0o755)
    (tree / "link").symlink_to("run")
    unpack(pack(tree), tmp_path / "there")
    assert tree_digest(tmp_path / "there") == tree_digest(tree)


def test_times_arrive(tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "f").touch()
    os.utime(tmp_path / "tree" / "f", (1000, 1000))
    unpack(pack(tmp_path / "tree"), tmp_path / "there")
    assert (tmp_path / "there" / "f").stat().st_mtime == 1000


def test_files_arrive_empty_ones_too(tmp_path: Path) -> None:
    here = tmp_path / "here"
    here.mkdir()
    for name, data in {"a": b"", "b": b"\x00\xff" * 70_000, "ünï": b"x"}.items():
        (here / name).write_bytes(data)
    unpack_files(pack_files(here), tmp_path / "there")
    assert tree_digest(tmp_path / "there") == tree_digest(here)


@pytest.mark.parametrize("cut", [1, 10, 40])
def test_what_is_cut_off_is_refused(tmp_path: Path, cut: int) -> None:
    here = tmp_path / "here"
    here.mkdir()
    (here / "a").write_bytes(b"x" * 100)
    with pytest.raises(ValueError):
        unpack_files(pack_files(here)[:-cut], tmp_path / "there")


def test_a_name_that_leaves_the_folder_is_refused(tmp_path: Path) -> None:
    import struct

    import zstandard

    data = zstandard.compress(struct.pack(">IQ", 4, 1) + b"../a" + b"x")
    with pytest.raises(ValueError, match=r"\.\./a"):
        unpack_files(data, tmp_path / "there")
    assert not (tmp_path / "a").exists()
