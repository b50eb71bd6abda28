"""What of two requests counts as a difference, and when a model was asked what the case says."""

import pytest

from harness.model.case import SeedTurn
from harness.skills.request import asked_wrongly, request_lines, unlike

SEED = (SeedTurn(role="user", text="First.", line=1), SeedTurn(role="assistant", text="One.", line=3))


def body(
    *said: tuple[str, str], system: str = "You work in /tmp/a1/world.", **more: object
) -> dict[str, object]:
    messages = [{"role": role, "content": [{"type": "text", "text": text}]} for role, text in said]
    return {"model": "m", "system": [{"type": "text", "text": system}], "messages": messages, **more}


ASKED = (("user", "<system-reminder>\nx"), ("user", "First."), ("assistant", "One."), ("user", "Go on."))


def test_the_seed_and_then_the_prompt_is_right() -> None:
    assert asked_wrongly(body(*ASKED, ("system", "You are in a tree.")), SEED, "Go on.") == ""


@pytest.mark.parametrize(
    ("said", "says"),
    [
        pytest.param(ASKED[1:3], "holds 2 turns, the case has 3", id="no-prompt"),
        pytest.param(ASKED[3:], "holds 1 turns, the case has 3", id="no-seed"),
        pytest.param((ASKED[1], ("user", "One."), ASKED[3]), "turn 2 of the first request", id="role"),
        pytest.param((*ASKED[1:3], ("user", "Go on. ")), "turn 3 of the first request", id="one-space"),
        pytest.param((*ASKED[1:], ("user", "More.")), "holds 4 turns", id="one-more"),
        pytest.param((), "holds 0 turns", id="nothing"),
    ],
)
def test_anything_else_is_told(said: tuple[tuple[str, str], ...], says: str) -> None:
    assert says in asked_wrongly(body(*said), SEED, "Go on.")


def lines(root: str, **more: object) -> str:
    return request_lines(
        body(("user", "Go."), system=f"cwd {root}/world, kept in {root.replace('/', '-')}-world", **more),
        [(root, "<run>")],
    )


def test_a_runs_own_folders_the_device_and_the_date_are_no_difference() -> None:
    one = lines("/tmp/a1", metadata={"user_id": "1"}) + "\nToday's date is 2026-01-01."
    two = lines("/tmp/b2", metadata={"user_id": "2"}) + "\nToday's date is 2026-01-01."
    assert one == two
    dated = [request_lines(body(("user", f"Today's date is 2026-01-0{n}.")), ()) for n in (1, 2)]
    assert dated[0] == dated[1]


@pytest.mark.parametrize(
    "more",
    [
        pytest.param({"tools": [{"name": "Bash"}]}, id="tools"),
        pytest.param({"max_tokens": 7}, id="limit"),
        pytest.param({"model": "other"}, id="model"),
        pytest.param({"thinking": {"type": "enabled"}}, id="thinking"),
    ],
)
def test_tools_model_and_settings_are_differences(more: dict[str, object]) -> None:
    assert unlike(("new", lines("/tmp/a1")), ("old", lines("/tmp/a1", **more)), ["x"]) != ()
