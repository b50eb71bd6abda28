"""What the session file shows of hooks."""

from pathlib import Path

import pytest

from harness.claude.session import hook_contexts, session_path
from tests.bugs import STREAMS

RECORDED = STREAMS / "hooks-of-every-kind.session.jsonl"


@pytest.mark.parametrize(
    ("cwd", "folder"),
    [("/world", "-world"), ("/tmp/a b/x.y_z", "-tmp-a-b-x-y-z"), ("/tmp/é", "-tmp--")],
)
def test_the_folder_of_a_session_is_its_cwd_without_signs(cwd: str, folder: str) -> None:
    assert session_path(Path("/c"), cwd, "id") == Path(f"/c/projects/{folder}/id.jsonl")


@pytest.mark.parametrize(
    ("text", "before_first_assistant"),
    [
        pytest.param("CTX-JSON", True, id="json"),
        pytest.param("CTX-PLAIN", True, id="plain"),
        pytest.param("CTX-LEAD", True, id="json-after-words-goes-in-as-it-is"),
        pytest.param("CTX-LATE", False, id="background"),
    ],
)
def test_a_text_that_reached_the_model_is_found(text: str, before_first_assistant: bool) -> None:
    (context,) = [c for c in hook_contexts(RECORDED) if text in c.text]
    assert (context.hook_event, context.before_first_assistant) == ("SessionStart", before_first_assistant)


@pytest.mark.parametrize("text", ["CTX-NOEVENT", "CTX-MALFORMED", "CTX-EXIT2", "CTX-SYS", "CTX-ASYNC"])
def test_a_text_that_did_not_reach_the_model_is_not_found(text: str) -> None:
    assert not [c for c in hook_contexts(RECORDED) if text in c.text]


def test_the_name_and_event_of_the_hook_are_told() -> None:
    (context,) = hook_contexts(STREAMS / "plugin.session.jsonl")
    assert (context.hook_name, context.hook_event) == ("SessionStart", "SessionStart")
    assert context.text == "Decisions live in docs/adr."


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"not json",
        b"[1]",
        b"\xff",
        b'{"attachment":3}',
        b'{"attachment":{"type":"hook_success","content":[1]}}',
    ],
    ids=["empty", "words", "array", "bytes", "attachment-number", "content-list"],
)
def test_a_line_of_another_shape_is_passed_over(line: bytes, tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes(line + b"\n")
    assert hook_contexts(path) == ()
