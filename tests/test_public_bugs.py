"""Every failure in ``tests/data/public-bugs.yaml`` has a test that names it; here are those that no room has."""

import json
import re
from functools import cache
from pathlib import Path

import yaml

from harness.checks.consult import signals
from harness.claude.own_names import OWN_NAMES, listed_names
from harness.claude.transcript import read_transcript
from harness.model.check import Signal
from harness.model.scenario import ConsultRule
from tests.bugs import DATA, bug_stream, bug_transcript
from tests.engine.conftest import Harness, project, write
from tests.engine.conftest import harness as harness
from tests.engine.test_eval import rows

__all__ = ["harness", "project"]

IDS = [case["id"] for case in yaml.safe_load((DATA / "public-bugs.yaml").read_text(encoding="utf-8"))]
CANNOT_BE_HAD: dict[str, str] = {}
"""Ids without a test, each with what it would take that is not here."""
RULE = ConsultRule(skills=("demo:*",), commands=(), paths=("docs/adr/**",))


@cache
def _named() -> set[str]:
    """Ids that stand in a test's name or text, in either case."""
    here = Path(__file__).parent
    found: set[str] = set()
    for path in here.rglob("*.py"):
        found |= set(re.findall(r"(?<![A-Z0-9])[A-Z]{2}\d\d(?![0-9])", path.read_text("utf-8").upper()))
    return found


def test_there_are_81_of_them() -> None:
    assert (len(IDS), len(set(IDS))) == (81, 81)


def test_every_one_is_named_by_a_test() -> None:
    assert [bug for bug in IDS if bug not in _named() and bug not in CANNOT_BE_HAD] == []


def test_none_is_left_out_that_has_a_test() -> None:
    assert [bug for bug in CANNOT_BE_HAD if bug in _named()] == []


def consulted(bug: str, folder: Path) -> tuple[Signal, ...]:
    return signals(bug_transcript(bug, folder), RULE, cwd="/sbx", plugin_root=None, links={})


def test_nm01_a_skill_is_known_by_every_name_and_key(tmp_path: Path) -> None:
    found = [s.index for s in consulted("NM01", tmp_path) if s.kind == "skill"]
    assert found == [1, 2, 3, 5], "the fourth call names no skill in any known way"


def test_nm03_a_skill_that_is_called_late_is_called(tmp_path: Path) -> None:
    assert [(s.kind, s.index) for s in consulted("NM03", tmp_path)] == [("skill", 4)]


def test_nm07_a_path_that_exists_only_after_cd_is_found(tmp_path: Path) -> None:
    found = consulted("NM07", tmp_path)
    assert {1, 2} <= {s.index for s in found if s.kind == "shell-read"}
    assert all(s.index not in (1, 2) or s.decides for s in found)


def test_nm08_listing_and_searching_are_told_from_reading(tmp_path: Path) -> None:
    found = {s.index: s.kind for s in consulted("NM08", tmp_path)}
    assert found == {1: "shell-search", 2: "grep", 3: "grep", 4: "glob", 5: "shell-list"}


def test_nm09_a_path_that_is_only_mentioned_or_written_is_not_read(tmp_path: Path) -> None:
    assert [s for s in consulted("NM09", tmp_path) if s.decides] == []


BASH = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls docs/adr"}}
PM02_STREAM: tuple[dict[str, object], ...] = (
    {"type": "system", "subtype": "hook_response", "hook_id": "h", "hook_name": "SessionStart:startup"}
    | {"hook_event": "SessionStart", "stdout": "look there", "exit_code": 0, "outcome": "success"},
    {"type": "system", "subtype": "init", "cwd": "/w", "model": "m-1", "tools": ["Bash", "Read", "Skill"]}
    | {"skills": ["demo:look"], "plugins": [{"name": "demo", "path": "/p/demo"}]},
    {"type": "assistant", "message": {"id": "m", "model": "m-1", "content": [BASH]}},
    {"type": "user", "message": {"content": [{"type": "tool_result", "tool_use_id": "t1", "content": "ok"}]}},
    {"type": "result", "subtype": "success", "is_error": False, "num_turns": 2, "result": "ADR-0001"},
)


def test_pm02_a_tool_outside_of_the_declared_set_is_flagged(project: Path, harness: Harness) -> None:
    (project / "s.jsonl").write_text("".join(json.dumps(e) + "\n" for e in PM02_STREAM))
    suite = project / "scenarios/demo/suite.yaml"
    suite.write_text(suite.read_text() + "only_tools: [Read, Skill]\n")
    done = harness("check", "scenarios/demo/R1", "--stream", "s.jsonl", "--json")
    assert (done.code, done.json["verdict"]) == (3, "invalid")
    assert "tools were used that the suite leaves out: Bash" in str(done.json["reason"])


def test_pm02_a_declared_set_does_bound_the_real_cli(project: Path, harness: Harness) -> None:
    suite = project / "scenarios/demo/suite.yaml"
    suite.write_text(suite.read_text() + "only_tools: [Read, Skill]\n")
    harness("eval", "demo")
    (row,) = rows(project)
    init = read_transcript(project / "results/runs" / row["run_id"] / "stream.jsonl").init
    assert init is not None
    assert set(init.tools) == {"Read", "Skill"}


def test_pr10_a_slash_command_is_expanded(project: Path, harness: Harness) -> None:
    scenario = project / "scenarios/demo/R1/scenario.yaml"
    scenario.write_text(scenario.read_text().replace("Add a discount.", "/demo:look for money"))
    harness("eval", "demo", "--no-lint")
    (row,) = rows(project)
    folder = project / "results/runs" / row["run_id"]
    assert json.loads((folder / "invocation.json").read_bytes())["argv"][-2:] == [
        "--",
        "/demo:look for money",
    ]
    assert "Base directory for this skill" in (folder / "session.jsonl").read_text()


def test_is04_runs_side_by_side_list_one_skill_each(project: Path, harness: Harness) -> None:
    done = harness("eval", "demo", "--trials", "3", "--jobs", "3")
    assert (done.code, [row["pass"] for row in rows(project)]) == (0, ["pass"] * 3)
    for stream in (project / "results/runs").glob("*/stream.jsonl"):
        init = read_transcript(stream).init
        assert init is not None
        assert [name for name in init.skills if "look" in name] == ["demo:look"]


def test_is07_variables_of_the_caller_change_nothing(project: Path, harness: Harness) -> None:
    planted = {
        "CLAUDE_CODE_SIMPLE": "1",
        "CLAUDE_CODE_SAFE_MODE": "1",
        "CLAUDE_CODE_USE_BEDROCK": "1",
        "ANTHROPIC_LOG": "debug",
        "ANTHROPIC_MODEL": "other",
    }
    done = harness("eval", "demo", env=planted)
    (row,) = rows(project)
    assert (done.code, row["pass"]) == (0, "pass")
    kept = json.loads((project / "results/runs" / row["run_id"] / "invocation.json").read_bytes())["env"]
    assert [name for name in planted if name in kept] == []


def test_hk07_a_hook_without_the_plugins_root_is_a_failed_hook(project: Path, harness: Harness) -> None:
    hooks = {"hooks": [{"type": "command", "command": "cat ${CLAUDE_PLUGIN_ROOT_OF_OLD}/told"}]}
    write(
        project,
        {"fixtures/plugins/demo/hooks/hooks.json": json.dumps({"hooks": {"SessionStart": [hooks]}})},
    )
    done = harness("eval", "demo")
    row = rows(project)[-1]
    assert (done.code, row["pass"], row["status"]) == (3, "invalid", "setup_error")
    assert "hook SessionStart:startup failed" in row["reason"]
    assert "/told" in row["reason"]


def test_is02_what_the_real_cli_lists_is_known(project: Path, harness: Harness) -> None:
    harness("eval", "demo")
    (row,) = rows(project)
    init = read_transcript(project / "results/runs" / row["run_id"] / "stream.jsonl").init
    assert init is not None
    if init.cli_version == "2.1.332":
        assert listed_names(init) - OWN_NAMES == {"demo:look"}


def test_the_inputs_can_be_read() -> None:
    assert bug_stream("ST05").count(b"\n") == 3
