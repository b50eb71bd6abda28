"""What is refused as a fixture, and what a copy keeps."""

import os
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.errors import UserError
from harness.world.digest import tree_digest
from harness.world.fixture import _copy_slowly, check_fixture, copy_fixture
from harness.world.scan import scan


@pytest.fixture
def fixture(tmp_path: Path) -> Path:
    root = tmp_path / "fixture"
    (root / "docs/adr").mkdir(parents=True)
    (root / "docs/adr/0001-x.md").write_text("# one\n")
    return root


def test_a_plain_folder_has_no_problems(fixture: Path) -> None:
    assert check_fixture(fixture) == ()


def test_fx02_links_that_stay_inside_are_fine(fixture: Path) -> None:
    (fixture / "latest").symlink_to("docs/adr")
    (fixture / "docs/up").symlink_to("..")
    (fixture / "dangling").symlink_to("docs/none")
    assert check_fixture(fixture) == ()


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))


@pytest.mark.parametrize(
    ("make", "why"),
    [
        pytest.param(lambda r: (r / "a").symlink_to("/nonexistent"), "absolute", id="FX02-absolute-link"),
        pytest.param(lambda r: (r / "loop").symlink_to(".."), "leaves the fixture", id="FX02-link-to-parent"),
        pytest.param(lambda r: (r / "out").symlink_to("../../secret"), "leaves", id="FX02-link-out"),
        pytest.param(lambda r: (r / "docs/x").symlink_to("../../fixture2"), "leaves", id="name-begins-alike"),
        pytest.param(
            lambda r: ((r / "d").symlink_to("docs/adr"), (r / "e").symlink_to("d/../../../x")),
            "leaves",
            id="link-out-through-a-link",
        ),
        pytest.param(lambda r: os.mkfifo(r / "p"), "pipe, socket or device", id="FX02-fifo"),
        pytest.param(lambda r: _socket(r / "s"), "pipe, socket or device", id="socket"),
        pytest.param(
            lambda r: (r / ".git").write_text("gitdir: /elsewhere/.git/worktrees/wt\n"),
            "a commit in the world would move that repository",
            id="FX01-worktree",
        ),
        pytest.param(
            lambda r: (r / "docs/.git").write_text("gitdir: ../../../main/.git/modules/docs\n"),
            "a commit in the world would move that repository",
            id="FX01-submodule-of-something-outside",
        ),
    ],
)
def test_what_reaches_out_of_the_fixture_is_refused(
    fixture: Path, make: Callable[[Path], object], why: str
) -> None:
    make(fixture)
    (problem,) = check_fixture(fixture)
    assert why in problem
    assert problem.startswith(str(fixture))


def test_fx01_a_real_linked_worktree_is_refused(tmp_path: Path) -> None:
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.com", "-C", str(tmp_path)]
    subprocess.run([*git, "init", "-q", "main"], check=True)
    main = [*git[:-1], str(tmp_path / "main")]
    subprocess.run([*main, "commit", "-q", "--allow-empty", "-m", "i"], check=True)
    subprocess.run([*main, "worktree", "add", "-q", "../wt"], check=True, capture_output=True)
    assert "not a linked worktree" in check_fixture(tmp_path / "wt")[0]
    assert "has linked worktrees elsewhere" in check_fixture(tmp_path / "main")[0]


def test_a_repository_that_borrows_objects_is_refused(fixture: Path) -> None:
    (fixture / ".git/objects/info").mkdir(parents=True)
    (fixture / ".git/objects/info/alternates").write_text("/elsewhere/objects\n")
    assert "borrows from /elsewhere/objects" in check_fixture(fixture)[0]


@pytest.mark.parametrize("make", [pytest.param(False, id="missing"), pytest.param(True, id="empty")])
def test_a_fixture_that_is_not_there_is_a_problem(tmp_path: Path, make: bool) -> None:
    if make:
        (tmp_path / "none").mkdir()
    assert len(check_fixture(tmp_path / "none")) == 1


def _rich(root: Path) -> None:
    (root / "empty").mkdir()
    (root / "latest").symlink_to("docs/adr")
    (root / "dangling").symlink_to("none")
    (root / "run.sh").write_text("#!/bin/sh\n")
    (root / "run.sh").chmod(0o755)
    (root / "secret").write_text("x")
    (root / "secret").chmod(0o600)
    (root / "name with\nnewline").write_text("x")
    (root / "-dash").write_text("x")
    os.utime(root / "run.sh", ns=(1_000_000_000, 1_500_000_000_000_000_000))
    (root / "docs").chmod(0o555)


@pytest.mark.parametrize("copy", [copy_fixture, _copy_slowly])
def test_a_copy_keeps_modes_links_times_and_empty_folders(
    fixture: Path, tmp_path: Path, copy: Callable[[Path, Path], None]
) -> None:
    _rich(fixture)
    copy(fixture, tmp_path / "world")
    kept = {name: (s.mode, s.mtime_ns) for name, s in scan(fixture).items() if s.type != "link"}
    copied = {name: (s.mode, s.mtime_ns) for name, s in scan(tmp_path / "world").items() if s.type != "link"}
    assert copied == kept
    assert (tmp_path / "world/latest").readlink() == Path("docs/adr")
    assert tree_digest(tmp_path / "world") == tree_digest(fixture)


def test_a_copy_that_fails_says_where(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be copied"):
        copy_fixture(tmp_path / "none", tmp_path / "world")
