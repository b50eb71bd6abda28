"""A stream told step by step, and the checkers' marks at their steps."""

from pathlib import Path

import pytest

from harness.model.check import Evidence, Finding, Signal
from harness.report.marks import mark
from harness.report.story import Step, input_text, read_events, tell
from tests.report.runs import PLAIN, answer, assistant, call, result, said
from tests.report.runs import Event as Line

STREAMS = sorted((Path(__file__).parents[1] / "data" / "streams").glob("*.jsonl"))


def told(tmp_path: Path, *events: Line) -> tuple[Step, ...]:
    import json

    path = tmp_path / "stream.jsonl"
    path.write_text("".join(json.dumps(event) + "\n" for event in events))
    return tell(read_events(path)).steps


@pytest.mark.parametrize("path", STREAMS, ids=lambda p: p.stem)
def test_every_recorded_stream_is_told_in_order(path: Path) -> None:
    steps = tell(read_events(path)).steps
    assert [s.index for s in steps] == sorted(s.index for s in steps)


def test_a_call_stands_with_its_result(tmp_path: Path) -> None:
    (step,) = [s for s in told(tmp_path, *PLAIN) if s.kind == "call"]
    assert (step.title, step.body, step.answer) == ("Read", "/w/docs/adr/0007-x.md", "ADR-0007: use cents")


def test_each_message_is_a_turn(tmp_path: Path) -> None:
    steps = told(tmp_path, *PLAIN)
    assert [(s.kind, s.turn) for s in steps] == [("call", 1), ("said", 2), ("result", 2)]


def test_a_subagents_message_is_no_turn_of_its_own(tmp_path: Path) -> None:
    inner = assistant(call("Bash", {"command": "ls"}, id="t2"), message="m9", parent="t1")
    steps = told(tmp_path, assistant(call("Task", {"prompt": "look"})), inner, answer("ok"), result())
    assert [(s.title, s.turn, s.subagent) for s in steps if s.kind == "call"] == [
        ("Agent", 1, False),
        ("Bash", 1, True),
    ]


def test_what_a_call_is_about_comes_first() -> None:
    assert (
        input_text({"description": "List", "command": "ls", "timeout": 5})
        == "ls\ndescription: List\ntimeout: 5"
    )


def test_a_signal_is_marked_at_its_call(tmp_path: Path) -> None:
    told(tmp_path, *PLAIN)
    story = tell(read_events(tmp_path / "stream.jsonl"))
    signal = Signal(kind="read", tool="Read", index=0, detail="docs/adr/0007-x.md")
    marks = [m.label for s in mark(story, [signal], []).steps for m in s.marks]
    assert marks == ["signal: read"]


def test_a_citation_is_marked_in_the_final_message(tmp_path: Path) -> None:
    told(tmp_path, *PLAIN[:2], assistant(said("First."), message="m3"), *PLAIN[2:])
    story = tell(read_events(tmp_path / "stream.jsonl"))
    finding = Finding(
        name="axis_b",
        value=True,
        reason="names it",
        evidence=(Evidence(where="final message", text="as ADR-0007 says"),),
    )
    marked = [(s.body, m.reason, m.words) for s in mark(story, [], [finding]).steps for m in s.marks]
    assert marked == [("Done as ADR-0007 says.", "names it", "as ADR-0007 says")]
