"""What counts as the same tree."""

import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.world.digest import RACY_NS, tree_digest
from harness.world.repository import watch_repository
from harness.world.watch import Tree, Watch


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    (root / "sub").mkdir(parents=True)
    (root / "a.txt").write_text("one\n")
    (root / "sub/b.txt").write_text("two\n")
    (root / "link").symlink_to("a.txt")
    return root


def _edit_with_old_times(path: Path) -> None:
    before = path.stat()
    path.write_text("eno\n")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def _relink(path: Path) -> None:
    path.unlink()
    path.symlink_to("sub/b.txt")


ALTERATIONS: list[object] = [
    pytest.param(lambda r: (r / "a.txt").write_text("other"), "a.txt", id="edit"),
    pytest.param(lambda r: _edit_with_old_times(r / "a.txt"), "a.txt", id="edit-with-size-and-mtime-kept"),
    pytest.param(lambda r: (r / "a.txt").chmod(0o755), "a.txt", id="executable-bit"),
    pytest.param(lambda r: (r / "sub/b.txt").unlink(), "sub/b.txt", id="deleted"),
    pytest.param(lambda r: (r / "new").write_text(""), "new", id="added-empty-file"),
    pytest.param(lambda r: (r / "new").mkdir(), "new", id="added-empty-folder"),
    pytest.param(lambda r: _relink(r / "link"), "link", id="link-target"),
    pytest.param(lambda r: os.mkfifo(r / "new"), "new", id="fifo"),
]


@pytest.mark.parametrize(("alter", "name"), ALTERATIONS)
def test_every_alteration_gives_another_digest(
    tree: Path, alter: Callable[[Path], object], name: str
) -> None:
    before = tree_digest(tree)
    alter(tree)
    assert tree_digest(tree) != before


@pytest.mark.parametrize(("alter", "name"), ALTERATIONS)
def test_every_alteration_is_named_by_a_watch(tree: Path, alter: Callable[[Path], object], name: str) -> None:
    watch = Watch.of([tree])
    assert watch.changed() == ()
    alter(tree)
    assert watch.changed() == (str(tree / name),)


@pytest.mark.parametrize(
    "alter",
    [
        pytest.param(lambda r: os.utime(r / "a.txt", (0, 0)), id="touched"),
        pytest.param(lambda r: (r / "a.txt").write_text("one\n"), id="rewritten-alike"),
        pytest.param(lambda r: os.link(r / "a.txt", r.parent / "elsewhere"), id="linked-from-elsewhere"),
    ],
)
def test_what_leaves_the_content_alone_is_no_change(tree: Path, alter: Callable[[Path], object]) -> None:
    before, watch = tree_digest(tree), Watch.of([tree])
    alter(tree)
    assert tree_digest(tree) == before
    assert watch.changed() == ()


def test_the_digest_leaves_out_what_is_ignored(tree: Path) -> None:
    before = tree_digest(tree, lambda name: name == "sub")
    (tree / "sub/b.txt").write_text("other")
    assert tree_digest(tree, lambda name: name == "sub") == before


@given(st.lists(st.binary(max_size=40), min_size=2, max_size=2, unique=True))
@settings(max_examples=30, deadline=None)
def test_the_digest_tells_any_two_contents_apart(
    tmp_path_factory: pytest.TempPathFactory, contents: list[bytes]
) -> None:
    root = tmp_path_factory.mktemp("tree")
    digests = set()
    for content in contents:
        (root / "file").write_bytes(content)
        digests.add(tree_digest(root))
    assert len(digests) == 2


def test_a_watch_leaves_out_what_is_excluded(tree: Path) -> None:
    watch = Watch.of([tree], exclude=[tree / "sub"])
    (tree / "sub/b.txt").write_text("other")
    assert watch.changed() == ()


def test_a_watch_sees_what_appears_where_nothing_was(tmp_path: Path) -> None:
    watch = Watch.of([tmp_path / "later"])
    (tmp_path / "later").write_text("x")
    assert watch.changed() == (str(tmp_path / "later"),)


def test_a_watch_of_depth_one_sees_the_top_only(tree: Path) -> None:
    watch = Watch.of([Tree(tree, depth=1)])
    (tree / "sub/c.txt").write_text("x")
    assert watch.changed() == ()
    (tree / "d.txt").write_text("x")
    assert watch.changed() == (str(tree / "d.txt"),)


@pytest.fixture
def repository(tree: Path) -> Path:
    (tree / ".gitignore").write_text("*.log\n__pycache__/\n")
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.com", "-C", str(tree)]
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "i"]):
        subprocess.run([*git, *words], check=True)
    return tree


def test_fx01_a_commit_in_the_repository_is_seen(repository: Path) -> None:
    watch = watch_repository(repository)
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.com", "-C", str(repository)]
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "oops"], check=True)
    (branch,) = [c for c in watch.changed() if "/refs/heads/" in c]
    assert branch.startswith(str(repository / ".git"))


@pytest.mark.parametrize(
    "path",
    ["a.txt", ".git/config", ".git/hooks/post-commit", ".git/HEAD", "sub/new.txt", ".git/info/exclude"],
)
def test_a_change_of_files_or_git_state_is_seen(repository: Path, path: str) -> None:
    watch = watch_repository(repository)
    (repository / path).parent.mkdir(exist_ok=True)
    (repository / path).write_text("changed\n")
    assert str(repository / path) in watch.changed()


def test_ignored_and_excluded_files_may_come_and_go(repository: Path) -> None:
    (repository / "old.log").write_text("x")
    (repository / "results").mkdir()
    watch = watch_repository(repository, exclude=[repository / "results"])
    (repository / "old.log").write_text("y")
    (repository / "new.log").write_text("y")
    (repository / "sub/__pycache__").mkdir()
    (repository / "sub/__pycache__/m.pyc").write_text("y")
    (repository / "results/row").write_text("y")
    assert watch.changed() == ()


def test_a_status_in_the_repository_is_no_change(repository: Path) -> None:
    watch = watch_repository(repository)
    os.utime(repository / "a.txt", (0, 0))
    subprocess.run(
        ["git", "--no-optional-locks", "-C", repository, "status"], check=True, capture_output=True
    )
    assert watch.changed() == ()


def test_a_folder_without_git_is_watched_as_well(tree: Path) -> None:
    watch = watch_repository(tree)
    (tree / "a.txt").write_text("changed")
    assert watch.changed() == (str(tree / "a.txt"),)


def test_the_state_of_a_linked_worktree_is_watched_where_it_is(repository: Path, tmp_path: Path) -> None:
    worktree = tmp_path / "wt"
    subprocess.run(
        ["git", "-C", repository, "worktree", "add", "-q", worktree], check=True, capture_output=True
    )
    watch = watch_repository(worktree)
    subprocess.run(["git", "-C", worktree, "checkout", "-q", "--detach"], check=True, capture_output=True)
    assert str(repository / ".git/worktrees/wt/HEAD") in watch.changed()


def _settle() -> None:
    time.sleep(2 * RACY_NS / 1e9)


@pytest.mark.parametrize(("alter", "name"), ALTERATIONS)
def test_a_watch_of_a_tree_at_rest_names_every_alteration_too(
    tree: Path, alter: Callable[[Path], object], name: str
) -> None:
    _settle()
    watch = Watch.of([tree])
    assert watch.changed() == ()
    alter(tree)
    assert watch.changed() == (str(tree / name),)


def test_what_comes_into_a_folder_whose_times_are_set_back_is_seen(tree: Path) -> None:
    _settle()
    watch, then = Watch.of([tree]), (tree / "sub").stat()
    (tree / "sub/new").write_text("")
    os.utime(tree / "sub", ns=(then.st_atime_ns, then.st_mtime_ns))
    assert watch.changed() == (str(tree / "sub/new"),)


def test_a_change_after_an_ignored_path_came_is_seen(repository: Path) -> None:
    watch = watch_repository(repository)
    (repository / "sub/one.log").write_text("")
    assert watch.changed() == ()
    _settle()
    assert watch.changed() == ()
    (repository / "sub/b.txt").write_text("other\n")
    assert watch.changed() == (str(repository / "sub/b.txt"),)
