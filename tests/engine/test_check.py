"""``harness check`` and ``harness rescore``: the same judgement, without a claude."""

import json
from pathlib import Path

import pytest

from tests.engine.conftest import Harness
from tests.engine.test_eval import Edit, rows

HOOK = {
    "type": "system",
    "subtype": "hook_response",
    "hook_id": "h",
    "hook_name": "SessionStart:startup",
    "hook_event": "SessionStart",
    "stdout": "decisions live in docs/adr: look there",
    "stderr": "",
    "exit_code": 0,
    "outcome": "success",
}
INIT = {
    "type": "system",
    "subtype": "init",
    "session_id": "s",
    "cwd": "/w",
    "model": "m-1",
    "tools": ["Bash", "Read", "Skill"],
    "skills": ["demo:look"],
    "plugins": [{"name": "demo", "path": "/p/demo", "source": "demo@inline"}],
    "mcp_servers": [],
}
RESULT = {
    "type": "result",
    "subtype": "success",
    "is_error": False,
    "num_turns": 2,
    "result": "Done as ADR-0001 says.",
    "terminal_reason": "completed",
    "total_cost_usd": 0.01,
}


def said(*blocks: object) -> dict[str, object]:
    return {
        "type": "assistant",
        "message": {"id": "m", "role": "assistant", "model": "m-1", "content": list(blocks)},
    }


def call(name: str, **given: object) -> dict[str, object]:
    return {"type": "tool_use", "id": "t1", "name": name, "input": given}


def record(path: Path, *events: object) -> Path:
    path.write_text("".join(json.dumps(e) + "\n" for e in events))
    return path


def test_the_json_form_has_exactly_the_promised_keys(project: Path, harness: Harness) -> None:
    read = said(call("Read", file_path="/w/docs/adr/0001-money.md"))
    stream = record(project / "s.jsonl", HOOK, INIT, read, RESULT)
    done = harness("check", "scenarios/demo/R1", "--stream", str(stream), "--json")
    assert (done.code, done.json) == (
        0,
        {
            "status": "completed",
            "verdict": "pass",
            "axis_a": True,
            "axis_b": True,
            "signals": [
                {
                    "kind": "read",
                    "tool": "Read",
                    "index": 2,
                    "detail": done.json["signals"][0]["detail"],  # type: ignore[index]
                    "subagent": False,
                    "denied": False,
                }
            ],
            "reason": done.json["reason"],
        },
    )


@pytest.mark.parametrize(
    ("events", "code", "status"),
    [
        ([INIT, said(call("Read", file_path="/w/docs/adr/0001-money.md")), RESULT], 3, "setup_error"),
        ([HOOK, INIT, said({"type": "text", "text": "hi"})], 3, "crashed"),
        ([HOOK, INIT, said({"type": "text", "text": "hi"}), RESULT], 1, "completed"),
        ([], 3, "crashed"),
    ],
    ids=["no-hook", "no-result", "never-looked", "empty"],
)
def test_what_the_stream_lacks_decides(
    project: Path, harness: Harness, events: list[object], code: int, status: str
) -> None:
    stream = record(project / "s.jsonl", *events)
    done = harness("check", "scenarios/demo/R1", "--stream", str(stream), "--json")
    assert (done.code, done.json["status"]) == (code, status)


def test_the_world_shows_what_was_acted_on(project: Path, harness: Harness) -> None:
    read = said(call("Read", file_path="/w/docs/adr/0001-money.md"))
    stream = record(project / "s.jsonl", HOOK, INIT, read, {**RESULT, "result": "Done."})
    world = project / "left"
    (world / "src").mkdir(parents=True)
    (world / "src/price.py").write_text("TAX = Decimal('0.2')\n")
    done = harness("check", "scenarios/demo/R1", "--stream", str(stream), "--world", str(world), "--json")
    assert (done.code, done.json["axis_b"]) == (0, True)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["scenarios/demo/R9", "--stream", "s"], "is no scenario"),
        (["scenarios/demo/R1", "--stream", "gone.jsonl"], "--stream gone.jsonl is not a file"),
    ],
    ids=["scenario", "stream"],
)
def test_a_wrong_path_is_one_sentence(harness: Harness, words: list[str], told: str) -> None:
    done = harness("check", *words)
    assert (done.code, told in done.err, "Traceback" in done.err) == (2, True, False)


def test_a_saved_run_is_judged_as_it_was(project: Path, harness: Harness) -> None:
    harness("eval", "demo")
    done = harness("rescore")
    assert (done.code, len(rows(project))) == (0, 1)
    assert "1 runs judged again, 0 changed, 0 skipped" in done.out


def test_a_changed_rule_gives_a_new_marked_row_beside_the_old(
    project: Path, harness: Harness, edit: Edit
) -> None:
    harness("eval", "demo")
    edit("scenarios/demo/suite.yaml", "docs/adr/**", "docs/decisions/**")
    harness("rescore")
    old, new = rows(project)
    assert (old["axis_a"], new["axis_a"], new["pass"]) == ("true", "false", "fail")
    assert new["warnings"] == f"rescored from {old['run_id']}"


def test_the_literal_reading_takes_no_shell_command_for_a_signal(project: Path, harness: Harness) -> None:
    harness("eval", "demo")
    harness("rescore", "--literal")
    assert [row["axis_a"] for row in rows(project)] == ["true", "false"]


def test_rescoring_twice_adds_nothing(project: Path, harness: Harness) -> None:
    harness("eval", "demo")
    harness("rescore", "--literal")
    harness("rescore", "--literal")
    assert len(rows(project)) == 2
