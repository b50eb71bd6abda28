"""What a model did becomes a playbook that does the same."""

from pathlib import Path

import pytest
import yaml

from harness.claude.transcript import read_transcript
from harness.repro.past import open_past
from harness.repro.playbook import playbook_text
from tests.repro.lab import Lab


def text_of(lab: Lab, run_id: str) -> str:
    return playbook_text(open_past(run_id, lab.results, lab.home), "x")


def calls(lab: Lab, run_id: str) -> list[tuple[str, object]]:
    seen = read_transcript(lab.results / "runs" / run_id / "stream.jsonl")
    return [(call.tool, call.input) for call in seen.calls]


@pytest.mark.parametrize("playbook", ["parallel", "subagent", "retried", "silent"])
def test_a_playbook_of_a_run_makes_the_same_calls_and_gets_the_same_verdict(lab: Lab, playbook: str) -> None:
    (first,) = lab.run(playbook)
    text = text_of(lab, first)
    (lab.root / "scenarios/demo/R1/playbooks/made.yaml").write_text(text)
    (second,) = lab.run("made")
    one, other = (open_past(r, lab.results, lab.home) for r in (first, second))
    assert calls(lab, second) == calls(lab, first)
    assert one.row is not None and other.row is not None
    assert (other.row.pass_, other.row.status, other.row.axis_a) == (
        one.row.pass_,
        one.row.status,
        one.row.axis_a,
    )
    again = text_of(lab, second)
    assert again.partition("expect:")[2] == text.partition("expect:")[2]


def test_places_ids_and_times_are_neutral(lab: Lab) -> None:
    said = (
        "  - tools: [{Bash: {command: 'echo {{world}}/a {{home}} hello/world {{braces}}x}}"
        " 2026-02-03T04:05:06Z 01234567-89ab-cdef-0123-456789abcdef'}}]\n  - text: Done.\n"
    )
    path = lab.root / "scenarios/demo/R1/playbooks/places.yaml"
    path.write_text("kind: x\nexpect: {verdict: fail, axis_a: false, axis_b: false}\nturns:\n" + said)
    (run_id,) = lab.run("places", sandbox="tempdir")
    turns = yaml.safe_load(text_of(lab, run_id))["turns"]
    assert turns[0]["tools"][0]["Bash"]["command"] == (
        "echo {{world}}/a {{home}} hello/world {{braces}}x}}"
        " 2000-01-01T00:00:00Z 00000000-0000-0000-0000-000000000000"
    )


def test_a_failure_that_was_got_over_is_told_by_its_times(lab: Lab) -> None:
    (run_id,) = lab.run("retried")
    first = yaml.safe_load(text_of(lab, run_id))["turns"][0]
    assert first == {
        "error": {"status": 529, "type": "overloaded_error", "message": "Overloaded", "times": 1}
    }


def test_a_subagent_is_known_by_its_prompt(lab: Lab) -> None:
    (run_id,) = lab.run("subagent")
    (sub,) = yaml.safe_load(text_of(lab, run_id))["subagents"]
    assert sub["match"] == "Find the decision"
    assert [sorted(turn) for turn in sub["turns"]] == [["tools"], ["text"]]


def test_it_is_written_to_the_file_asked_for(done: Lab, ids: dict[str, str], tmp_path: Path) -> None:
    text = text_of(done, ids["parallel"])
    assert yaml.safe_load(text)["expect"] == {
        "status": "completed",
        "verdict": "pass",
        "axis_a": True,
        "axis_b": True,
    }
