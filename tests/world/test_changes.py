"""What is reported as changed, and how it reads."""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.model.change import Change
from harness.world import changes as module
from harness.world.changes import (
    Snapshot,
    changes_between,
    changes_since,
    from_json,
    snapshot,
    to_json,
    unified,
)
from harness.world.fixture import copy_fixture


class Worlds:
    def __init__(self, folder: Path) -> None:
        self.fixture, self.world = folder / "fixture", folder / "world"
        (self.fixture / "docs").mkdir(parents=True)
        (self.fixture / "hooks").mkdir()
        (self.fixture / "a.txt").write_text("one\ntwo\n")
        (self.fixture / "docs/b.md").write_text("# b\n")
        (self.fixture / "link").symlink_to("a.txt")
        (self.fixture / "folderlink").symlink_to("docs")
        copy_fixture(self.fixture, self.world)
        self.before: Snapshot = snapshot(self.world)

    def changes(self) -> tuple[Change, ...]:
        found = changes_since(self.world, self.before, self.fixture)
        assert changes_between(self.fixture, self.world) == found
        return found


@pytest.fixture
def worlds(tmp_path: Path) -> Worlds:
    return Worlds(tmp_path)


def _swap(path: Path, make: Callable[[Path], object]) -> None:
    path.unlink()
    make(path)


def _make_file_of(folder: Path) -> None:
    shutil.rmtree(folder)
    folder.write_text("x")


def _folder_with(folder: Path, name: str) -> None:
    folder.mkdir()
    (folder / name).write_text("# b\n")


def _edit_with_old_times(path: Path) -> None:
    times = path.stat()
    path.write_text("eno\ntwo\n")
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


@pytest.mark.parametrize(
    ("act", "expected"),
    [
        pytest.param(lambda w: None, [], id="nothing"),
        pytest.param(lambda w: os.utime(w / "a.txt"), [], id="touched"),
        pytest.param(lambda w: (w / "a.txt").write_text("one\ntwo\n"), [], id="rewritten-alike"),
        pytest.param(lambda w: (w / "a.txt").write_text("x"), [("a.txt", "modified", "file")], id="edited"),
        pytest.param(
            lambda w: _edit_with_old_times(w / "a.txt"), [("a.txt", "modified", "file")], id="mtime-restored"
        ),
        pytest.param(lambda w: (w / "a.txt").chmod(0o700), [("a.txt", "modified", "file")], id="mode"),
        pytest.param(lambda w: (w / "a.txt").unlink(), [("a.txt", "deleted", "file")], id="deleted"),
        pytest.param(lambda w: (w / "n").write_text("x"), [("n", "added", "file")], id="added"),
        pytest.param(lambda w: (w / "n").mkdir(), [("n", "added", "folder")], id="empty-folder"),
        pytest.param(
            lambda w: (w / "hooks").rmdir(), [("hooks", "deleted", "folder")], id="FX05-empty-folder-gone"
        ),
        pytest.param(
            lambda w: _swap(w / "link", lambda p: p.symlink_to("docs")),
            [("link", "modified", "link")],
            id="FX02-link-turned",
        ),
        pytest.param(
            lambda w: _swap(w / "link", lambda p: p.write_text("one\ntwo\n")),
            [("link", "modified", "file")],
            id="FX02-link-replaced-by-its-target",
        ),
        pytest.param(
            lambda w: _swap(w / "folderlink", lambda p: _folder_with(p, "b.md")),
            [("folderlink", "modified", "folder"), ("folderlink/b.md", "added", "file")],
            id="folder-for-a-link-to-a-folder",
        ),
        pytest.param(lambda w: os.mkfifo(w / "p"), [("p", "added", "special")], id="fifo-is-not-opened"),
        pytest.param(
            lambda w: (w / "a.txt").rename(w / "c.txt"),
            [("a.txt", "deleted", "file"), ("c.txt", "added", "file")],
            id="renamed",
        ),
        pytest.param(
            lambda w: _make_file_of(w / "docs"),
            [("docs", "modified", "file"), ("docs/b.md", "deleted", "file")],
            id="folder-replaced-by-file",
        ),
    ],
)
def test_each_change_is_reported_once(
    worlds: Worlds, act: Callable[[Path], object], expected: list[tuple[str, str, str]]
) -> None:
    act(worlds.world)
    assert [(c.path, c.kind, c.type) for c in worlds.changes()] == expected


def test_text_before_and_after_is_kept(worlds: Worlds) -> None:
    (worlds.world / "a.txt").write_text("one\nthree\n")
    (change,) = worlds.changes()
    assert (change.before, change.after, change.cut) == ("one\ntwo\n", "one\nthree\n", False)
    assert change.added_lines == ("three",)


def test_a_link_out_of_the_world_is_not_followed(worlds: Worlds, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("the answer")
    (worlds.world / "out").symlink_to(tmp_path / "secret")
    (worlds.world / "outdir").symlink_to(tmp_path)
    assert "the answer" not in unified(worlds.changes())
    assert [c.after for c in worlds.changes()] == [str(tmp_path / "secret"), str(tmp_path)]


@pytest.mark.parametrize("data", [b"\xff\xfe", b"a\0b", b"\xe2\x82"], ids=["bytes", "nul", "cut-character"])
def test_what_is_no_text_has_none(worlds: Worlds, data: bytes) -> None:
    (worlds.world / "n").write_bytes(data)
    (change,) = worlds.changes()
    assert change.after is None
    assert "Binary files" in unified([change])


def test_a_long_text_is_cut_between_characters(worlds: Worlds) -> None:
    (worlds.world / "n").write_text("a" + "€" * 400_000)
    (change,) = worlds.changes()
    assert change.cut
    assert change.after is not None
    assert change.after.endswith("€")
    assert (1 << 20) - 3 <= len(change.after.encode()) <= 1 << 20


def test_all_texts_together_are_bounded(worlds: Worlds, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "TOTAL_TEXT_LIMIT_BYTES", 1000)
    for number in range(10):
        (worlds.world / f"n{number}").write_text("x" * 300)
    found = changes_since(worlds.world, worlds.before, worlds.fixture)
    assert sum(len(c.after or "") for c in found) == 1000
    assert [c.cut for c in found] == [False] * 3 + [True] * 7
    assert len({c.after_sha256 for c in found}) == 1


def test_a_name_that_is_no_utf8_can_be_written_down(worlds: Worlds) -> None:
    (worlds.world / os.fsdecode(b"caf\xe9")).write_text("x")
    found = worlds.changes()
    assert [c.path for c in found] == ["caf\\xe9"]
    assert from_json(to_json(found)) == found


@given(
    st.lists(
        st.builds(
            Change,
            path=st.text(min_size=1),
            kind=st.sampled_from(["added", "modified", "deleted"]),
            type=st.sampled_from(["file", "link", "folder", "special"]),
            before=st.none() | st.text(),
            after=st.none() | st.text(),
            mode=st.integers(0, 0o7777),
            cut=st.booleans(),
        )
    )
)
def test_changes_survive_json_and_always_have_a_diff(changes: list[Change]) -> None:
    assert from_json(to_json(changes)) == tuple(changes)
    assert isinstance(unified(changes), str)


@pytest.mark.parametrize("data", [b"{}", b'[{"no": 1}]', b"[1]", b"nonsense"])
def test_other_json_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError):
        from_json(data)


_TEXT = st.lists(st.sampled_from(["a", "b", "c", ""]), max_size=12).map("\n".join)


@given(before=_TEXT, after=_TEXT, small=st.booleans())
@settings(max_examples=60, deadline=None)
def test_patch_makes_the_world_from_the_fixture(
    tmp_path_factory: pytest.TempPathFactory, before: str, after: str, small: bool
) -> None:
    folder = tmp_path_factory.mktemp("patch")
    (folder / "f").write_text(before)
    change = Change(path="f", kind="modified", type="file", before=before, after=after)
    with pytest.MonkeyPatch.context() as patch:
        if small:
            patch.setattr("harness.world.difftext._DIFFABLE_LINES", 6)
        text = unified([change])
    if before != after:
        done = subprocess.run(
            ["git", "apply", "--unidiff-zero", "-"],
            cwd=folder,
            input=text.encode(),
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, (text, done.stderr)
    assert (folder / "f").read_text() == after


def test_a_large_rewrite_is_shown_in_time(worlds: Worlds) -> None:
    lines = [f"line {number}" for number in range(60_000)]
    change = Change(
        path="big", kind="modified", type="file", before="\n".join(lines), after="\n".join(lines[::-1])
    )
    assert unified([change]).count("\n") > 100_000


def test_the_bookkeeping_of_git_is_only_counted(worlds: Worlds) -> None:
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.com", "-C", str(worlds.world)]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "add", "-A"], check=True)
    subprocess.run([*git, "commit", "-q", "-m", "i"], check=True)
    text = unified(worlds.changes())
    assert "paths of git's own bookkeeping" in text
    assert "objects/" not in text
    assert "b/.git/HEAD" in text
