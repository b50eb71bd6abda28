"""What of a run reaches a judge."""

from pathlib import Path

from harness.judges.material import GIVEN_CHARS, given_files, output_of
from harness.model.change import Change
from harness.model.judge import Output


def test_new_changed_and_deleted_files_are_shown() -> None:
    changes = [
        Change(path="a.md", kind="added", type="file", before=None, after="x"),
        Change(path="b.md", kind="modified", type="file", before="1", after="2", cut=True),
        Change(path="c.md", kind="deleted", type="file", before="1", after=None),
        Change(path="d.png", kind="added", type="file", before=None, after=None),
        Change(path="e", kind="added", type="folder", before=None, after=None),
    ]
    files = {"a.md": "x", "b.md": "2\n[cut here]", "c.md": "(deleted)", "d.png": "(a file that is no text)"}
    assert output_of("hi", changes) == Output(message="hi", files=files)


def test_a_fixture_is_shown_as_far_as_there_is_room(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("x")
    (tmp_path / "b.png").write_bytes(b"\x89\xff")
    (tmp_path / "c.md").write_text("y" * GIVEN_CHARS)
    (tmp_path / "d.md").write_text("z")
    assert given_files(tmp_path) == {"a.md": "x", "d.md": "z", "(not shown)": "b.png\nc.md"}


def test_no_fixture_gives_nothing() -> None:
    assert given_files(None) == {}
