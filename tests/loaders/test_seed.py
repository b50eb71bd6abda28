"""The Seed: roles, paragraphs, fences, and each way to get it wrong."""

from pathlib import Path

import pytest

from harness.errors import AuthoringError
from harness.loaders.case.load import load_case

FRAME = "---\ndescription: d\n---\n## Prompt\nGo on.\n## Seed\n{}\n## Soft criteria\n- Good.\n"


def load(tmp_path: Path, seed: str) -> list[tuple[str, str]]:
    path = tmp_path / "case.md"
    path.write_text(FRAME.format(seed), encoding="utf-8")
    return [(t.role, t.text) for t in load_case(path).seed]


def test_turns_hold_paragraphs_and_fences_with_look_alikes(tmp_path: Path) -> None:
    first = "Look at this:\n\n````md\n**User:** not a turn\n## Prompt\n```\n**Assistant:** nor this\n```\n````\n\nThanks."
    got = load(tmp_path, f"**User:** {first}\n\n**Assistant:**\n\nOne.\n\n**Note:** two.\n\n- three")
    assert got == [("user", first), ("assistant", "One.\n\n**Note:** two.\n\n- three")]


@pytest.mark.parametrize(
    ("seed", "says"),
    [
        pytest.param("", "empty", id="empty"),
        pytest.param("hello\n**User:** a\n**Assistant:** b", "no role", id="text-first"),
        pytest.param("**Assistant:** a\n**User:** b\n**Assistant:** c", "user first", id="assistant-first"),
        pytest.param("**User:** a\n**User:** b\n**Assistant:** c", "take turns", id="two-users"),
        pytest.param("**User:** a\n**Assistant:** b\n**User:** c", "ends with the user", id="user-last"),
        pytest.param("**User:** a\n**Assistant:**\n", "says nothing", id="empty-turn"),
        pytest.param("**User:** a\n**user:** b\n**Assistant:** c", "role tag", id="lower-case"),
        pytest.param("**User:** a\n**Assistant**: b", "role tag", id="colon-outside"),
        pytest.param("**User:** a\nAssistant: b", "role tag", id="no-stars"),
        pytest.param("**User:** a\n **Assistant:** b", "role tag", id="indented"),
        pytest.param("**User:** a\n```\n**Assistant:** b", "never ends", id="open-fence"),
        pytest.param("**User:** a\n**Assistant:** the skill says so", "hints", id="hint"),
    ],
)
def test_a_malformed_seed_is_an_authoring_error(tmp_path: Path, seed: str, says: str) -> None:
    with pytest.raises(AuthoringError) as caught:
        load(tmp_path, seed)
    assert says in str(caught.value)
    assert all(p.line > 5 for p in caught.value.problems if says in p.text)
