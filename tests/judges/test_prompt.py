"""The marks around material: as good as random, and the same for the same question."""

from harness.judges.prompt import KEPT_CHARS, mark_of, with_material
from harness.model.judge import Document


def document(text: str) -> Document:
    return Document(label="A", text=text)


def test_the_mark_follows_from_all_that_is_shown() -> None:
    marks = {
        mark_of([document("x")], "q"),
        mark_of([document("y")], "q"),
        mark_of([document("x")], "r"),
        mark_of([document("x"), document("x")], "q"),
    }
    assert len(marks) == 4
    assert mark_of([document("x")], "q") in marks


def test_an_output_that_holds_an_earlier_mark_gets_another() -> None:
    earlier = mark_of([document("x")], "q")
    assert mark_of([document(f"x {earlier}")], "q") != earlier


def test_what_is_cut_is_said_to_be_cut() -> None:
    prompt, shown = with_material("q", [document("x" * (KEPT_CHARS + 7))])
    assert "[cut here: 7 more characters]" in prompt
    assert len(shown[0].text) < KEPT_CHARS + 100
