import pytest

from harness.checks.citations import cited, sentences
from harness.checks.rejection import rejects
from harness.model.change import Change
from harness.model.event import Usage
from harness.model.transcript import StreamFaults, ToolCall, Transcript

IDS = ("ADR-0003", "ADR-0007", "ADR-0011")


def named(message: str) -> list[str]:
    return list(dict.fromkeys(c.id for c in cited(message, (), None, IDS)))


@pytest.mark.parametrize(
    "message",
    [
        "ADR-0007",
        "adr-7",
        "ADR 7",
        "ADR 0007",
        "ADR_0007",
        "ADR7",
        "ADR #7",
        "ADR no. 7",
        "ADR-7.",
        "(ADR-0007)",
        "`docs/adr/0007-valkey.md`",
        "0007-valkey.md",
        "docs/adr/0007",
        "**ADR-0007**",
        "decision record 7",
        "Decision 0007",
        "[ADR-0007](docs/adr/0007-x.md)",
        "ADR-0007's rule",
        "per ADR: 7",
    ],
)
def test_forms_of_an_id(message: str) -> None:
    assert named(message) == ["ADR-0007"]


@pytest.mark.parametrize(
    "message",
    [
        "",
        "7",
        "0007",
        "ADR-0070",
        "ADR-00071",
        "ADR-17",
        "port 0007",
        "RADR-0007",
        "2024-0007-x",
        "version 0.0007",
        "decided in 7 steps",
        "ADR",
        "10007-x",
        "HADR 7",
    ],
)
def test_what_is_no_id(message: str) -> None:
    assert named(message) == []


@pytest.mark.parametrize(
    ("message", "ids"),
    [
        ("ADRs 3 and 7", ["ADR-0003", "ADR-0007"]),
        ("ADRs 3, 7 and 11", ["ADR-0003", "ADR-0007", "ADR-0011"]),
        ("ADR-0003/0007", ["ADR-0003", "ADR-0007"]),
        ("ADR-0003, ADR-0011", ["ADR-0003", "ADR-0011"]),
        ("ADR-0003, 7 files changed", ["ADR-0003"]),
    ],
)
def test_lists_of_ids(message: str, ids: list[str]) -> None:
    assert sorted(named(message)) == ids


def test_where_a_sentence_stands_is_said() -> None:
    found = cited("I looked. Then ADR-0007 decided.", (), None, IDS)
    assert [(c.where, c.text) for c in found] == [("final message", "Then ADR-0007 decided.")]


def test_only_lines_that_the_arm_added_count() -> None:
    change = Change(
        path="a.md", kind="modified", type="file", before="ADR-0003\n", after="ADR-0003\n\nADR-0007\n"
    )
    assert [(c.id, c.where) for c in cited("", (change,), None, IDS)] == [("ADR-0007", "a.md:3")]


def test_a_moved_file_is_not_the_arms_words() -> None:
    gone = Change(path="a.md", kind="deleted", type="file", before="ADR-0003\n", after=None)
    there = Change(path="b.md", kind="added", type="file", before=None, after="ADR-0003\n")
    assert cited("", (gone, there), None, IDS) == ()


def typed(**more: bool) -> Transcript:
    call = ToolCall(
        id="t",
        tool="Write",
        input={"file_path": "a.py", "content": "x\n# see ADR-0007\n"},
        readable=True,
        index=4,
        parent_tool_use_id=None,
        result=None,
        denied=more.get("denied", False),
    )
    read = ToolCall(
        id="r",
        tool="Read",
        input={"file_path": "docs/adr/0003-x.md"},
        readable=True,
        index=2,
        parent_tool_use_id=None,
        result=None,
        denied=False,
    )
    return Transcript(
        init=None,
        hooks_started=(),
        hooks=(),
        calls=(read, call),
        said=(),
        results=(),
        retries=(),
        rate_limits=(),
        models=(),
        synthetic=False,
        synthetic_error="",
        first_action_index=None,
        compactions=0,
        assistant_messages=1,
        events=1,
        faults=StreamFaults(),
        usage=Usage(),
    )


def test_written_text_stands_for_unknown_changes() -> None:
    assert [(c.id, c.where) for c in cited("", None, typed(), IDS)] == [("ADR-0007", "stream:4")]


def test_known_changes_are_believed_over_calls() -> None:
    assert cited("", (), typed(), IDS) == ()


def test_denied_writes_say_nothing() -> None:
    assert cited("", None, typed(denied=True), IDS) == ()


def test_sentences_keep_file_names_whole() -> None:
    assert sentences("See 0007-x.md for it. Then go!\nNext") == ["See 0007-x.md for it.", "Then go!", "Next"]


@pytest.mark.parametrize(
    ("sentence", "value"),
    [
        ("ADR-0003 is superseded", True),
        ("ADR-0003 (superseded)", True),
        ("ADR-0003 has been replaced by ADR-0007", True),
        ("the superseded ADR-0003", True),
        ("ADR-0007 replaces ADR-0003", True),
        ("ADR-0007 supersedes the older ADR-0003", True),
        ("ADR-0003 no longer applies", True),
        ("ADR-0003 does not apply here", True),
        ("ADR-0003 doesn't apply", True),
        ("rather than ADR-0003", True),
        ("instead of following ADR-0003", True),
        ("not ADR-0003", True),
        ("ADR-0003 was rejected", True),
        ("ADR-0003 and ADR-0011 are superseded", True),
        ("ADR-0003 | Superseded |", True),
        ("ADR-0003 is about images, not relevant", True),
        ("ADR-0003 applies", False),
        ("ADR-0003", False),
        ("ADR-0003 supersedes ADR-0007", False),
        ("ADR-0007 was superseded by ADR-0003", False),
        ("ADR-0003, and ADR-0007 is superseded", False),
        ("ADR-0003 replaced ADR-0007", False),
        ("see ADR-0003 for caching", False),
    ],
)
def test_rejection_has_a_direction(sentence: str, value: bool) -> None:
    assert rejects(sentence, "ADR-0003", "ADR-0007") is value
