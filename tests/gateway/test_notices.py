import pytest

from harness.gateway.notices import notices_of, without_notices

HEAD = "[SYSTEM NOTIFICATION - NOT USER INPUT]\nThis is an automated event.\n\n"
TOOLS = "<tools-used-before-summary>Bash, Read</tools-used-before-summary>"
LEFT = "<total_tokens>100 tokens left</total_tokens>"


def notice(task: str = "a1b2c3", call: str = "toolu_1") -> str:
    said = (
        f"\n<task-id>{task}</task-id>\n<tool-use-id>{call}</tool-use-id>\n<result>\nIt is <b>.\n</result>\n"
    )
    return f"{HEAD}<task-notification>{said}</task-notification>"


def body(*contents: object) -> dict[str, object]:
    return {"model": "m", "messages": [{"role": "user", "content": content} for content in contents]}


def test_a_notice_names_its_task_its_call_and_its_place() -> None:
    (found,) = notices_of(body("go", [{"type": "text", "text": f"{notice()}\n\n{LEFT}"}]))
    assert (found.task, found.call, found.message) == ("a1b2c3", "toolu_1", 1)


def test_notices_come_in_the_order_of_the_request() -> None:
    text = f"{notice('one')}\n\n{TOOLS}\n{notice('two')}\n\n{LEFT}"
    assert [n.task for n in notices_of(body("go", text, notice("three")))] == ["one", "two", "three"]


@pytest.mark.parametrize("value", [None, [], {}, {"messages": 3}, "<task-notification>"], ids=repr)
def test_what_is_no_request_tells_nothing(value: object) -> None:
    assert notices_of(value) == ()


@pytest.mark.parametrize(
    "told",
    [
        [{"type": "text", "text": f"{notice()}\n\n{LEFT}"}],
        [{"type": "text", "text": f"{notice('one')}\n\n{TOOLS}\n{notice('two')}\n\n{LEFT}"}],
        f"{TOOLS}\n{notice()}\n\n{LEFT}",
        [{"type": "text", "text": notice()}, {"type": "text", "text": LEFT}],
    ],
    ids=["one", "two", "plain", "own-block"],
)
def test_without_its_notices_a_message_says_the_rest(told: object) -> None:
    left = LEFT if isinstance(told, str) else [{"type": "text", "text": LEFT}]
    assert without_notices(body("go", told)) == body("go", left)


@pytest.mark.parametrize(
    "told",
    [
        notice(),
        [{"type": "text", "text": notice()}],
        [
            {"type": "text", "text": f"<system-reminder>\n{TOOLS}\n</system-reminder>\n"},
            {"type": "text", "text": f"<system-reminder>\n{notice()}\n</system-reminder>\n"},
        ],
        f"<system-reminder>\n{TOOLS}\n</system-reminder>\n\n<system-reminder>\n{notice()}\n</system-reminder>",
    ],
    ids=["plain", "block", "reminders", "reminders-in-one"],
)
def test_a_message_that_only_told_a_notice_is_left_out(told: object) -> None:
    assert without_notices(body("go", told)) == body("go")


def test_what_tells_nothing_stays_as_it_is() -> None:
    given = body("go", f"<system-reminder>\n{TOOLS}\n</system-reminder>", LEFT)
    assert without_notices(given) == given
