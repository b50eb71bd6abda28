"""A small tree is copied from memory, and never from a memory of what has changed."""

import os
import time
from pathlib import Path

import pytest

from harness.errors import UserError
from harness.world import small_tree as module
from harness.world.digest import RACY_NS
from harness.world.fixture import copy_fixture
from harness.world.small_tree import MOST_PATHS, small_tree


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "tree/src").mkdir(parents=True)
    (tmp_path / "tree/src/a.py").write_text("x = 1\n")
    time.sleep(2 * RACY_NS / 1e9)  # else it would not be remembered
    assert small_tree(tmp_path / "tree") is small_tree(tmp_path / "tree")
    return tmp_path / "tree"


def test_an_edit_that_hides_behind_the_same_size_and_time_is_seen(tree: Path, tmp_path: Path) -> None:
    file = tree / "src/a.py"
    before = file.stat()
    file.write_text("x = 2\n")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    copy_fixture(tree, tmp_path / "copy")
    assert (tmp_path / "copy/src/a.py").read_text() == "x = 2\n"


def test_a_file_that_came_or_went_is_seen(tree: Path, tmp_path: Path) -> None:
    (tree / "src/a.py").rename(tree / "b.py")
    copy_fixture(tree, tmp_path / "copy")
    assert [p.name for p in (tmp_path / "copy").rglob("*.py")] == ["b.py"]


def test_a_large_tree_is_none(tree: Path) -> None:
    for number in range(MOST_PATHS):
        (tree / str(number)).touch()
    assert small_tree(tree) is None


def test_a_file_that_cannot_be_read_is_for_cp_to_tell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: str) -> bytes:
        raise PermissionError(path)  # root, as which tests run, can read everything

    (tmp_path / "tree").mkdir()
    (tmp_path / "tree/a").touch()
    monkeypatch.setattr(module, "_read", refuse)
    assert small_tree(tmp_path / "tree") is None
    with pytest.raises(UserError, match="cannot be copied"):
        copy_fixture(tmp_path / "tree", tmp_path / "missing/copy")
