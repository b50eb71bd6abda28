"""What of a run reaches a judge."""

from harness.judges.material import output_of
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
