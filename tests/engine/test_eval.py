"""``harness eval`` as a user starts it, on the real claude: one honest row a run."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.gateway.scripted import ScriptedModel
from harness.gateway.server import Gateway
from harness.loaders.suite import load_suites
from tests.engine.conftest import Harness, write

Edit = Callable[[str, str, str], None]


def rows(project: Path) -> list[dict[str, str]]:
    header, *lines, last = (project / "results/results.tsv").read_bytes().decode().split("\n")
    assert last == ""
    names = header.split("\t")
    return [dict(zip(names, line.split("\t"), strict=True)) for line in lines]


def test_a_right_run_is_one_row_that_passes(project: Path, harness: Harness) -> None:
    done = harness("eval", "demo")
    assert done.code == 0, done.err
    (row,) = rows(project)
    found = [row[name] for name in ("scenario", "model", "axis_a", "axis_b", "pass", "status")]
    assert found == ["R1", "scripted:ideal", "true", "true", "pass", "completed"]


def test_the_run_folder_holds_what_the_row_is_made_from(project: Path, harness: Harness) -> None:
    harness("eval", "demo")
    (folder,) = (project / "results/runs").iterdir()
    assert {p.name for p in folder.iterdir()} >= {
        "invocation.json",
        "stream.jsonl",
        "stderr.log",
        "session.jsonl",
        "exit.json",
        "world.diff",
        "output.md",
        "checks.json",
        "wire.jsonl.zst",
    }
    assert "+D = Decimal" in (folder / "world.diff").read_text()
    assert (folder / "output.md").read_text() == "Done as ADR-0001 says."


def test_an_agent_that_never_looks_fails(project: Path, harness: Harness) -> None:
    done = harness("eval", "demo", "--model", "scripted:silent")
    assert (done.code, rows(project)[0]["pass"], rows(project)[0]["axis_a"]) == (1, "fail", "false")


def test_a_failing_run_is_shown_with_its_folder_and_the_command_that_repeats_it(
    project: Path, harness: Harness
) -> None:
    done = harness("eval", "demo", "--model", "scripted:silent")
    assert str(project / "results/runs" / rows(project)[0]["run_id"]) in done.out
    assert f"again: harness repro {rows(project)[0]['run_id']}" in done.out


def test_a_hook_whose_text_never_reached_the_model_is_invalid(
    project: Path, harness: Harness, edit: Edit
) -> None:
    edit("fixtures/plugins/demo/told", "look there", "nothing")
    done = harness("eval", "demo")
    row = rows(project)[-1]
    assert (done.code, row["pass"], row["status"], row["axis_a"]) == (3, "invalid", "setup_error", "n/a")


def test_a_plugin_that_did_not_load_is_invalid(project: Path, harness: Harness, edit: Edit) -> None:
    edit("fixtures/plugins/demo/.claude-plugin/plugin.json", '"version": "1.0.0"', '"version": 7')
    done = harness("eval", "demo")
    assert (done.code, rows(project)[0]["pass"], rows(project)[0]["status"]) == (3, "invalid", "setup_error")


def test_a_playbook_that_runs_out_is_a_setup_error_and_never_done(project: Path, harness: Harness) -> None:
    write(
        project,
        {
            "scenarios/demo/R1/playbooks/short.yaml": (
                "kind: x\nexpect: {verdict: invalid, axis_a: null, axis_b: null, status: setup_error}\nturns:\n"
                "  - tools: [{Bash: {command: ls}}]\n"
            )
        },
    )
    harness("eval", "demo", "--model", "scripted:short")
    row = rows(project)[-1]
    assert (row["pass"], row["status"]) == ("invalid", "setup_error")
    assert "short" in row["reason"]


def test_a_second_evaluation_runs_no_finished_cell(project: Path, harness: Harness) -> None:
    harness("eval", "demo")
    again = harness("eval", "demo")
    assert (again.code, len(rows(project))) == (0, 1)
    assert "--fresh" in again.err


def test_fresh_runs_a_finished_cell_again(project: Path, harness: Harness) -> None:
    harness("eval", "demo")
    harness("eval", "demo", "--fresh")
    assert len(rows(project)) == 2


def test_an_edited_plugin_makes_a_new_cell(project: Path, harness: Harness, edit: Edit) -> None:
    harness("eval", "demo")
    edit("fixtures/plugins/demo/skills/look/SKILL.md", "Read docs/adr.", "Read docs/adr now.")
    harness("eval", "demo")
    assert len({row["cell_digest"] for row in rows(project)}) == 2


def test_a_run_that_writes_to_the_canonical_fixture_stops_the_evaluation(
    project: Path, harness: Harness
) -> None:
    target = project / "fixtures/world/src/price.py"
    write(
        project,
        {
            "scenarios/demo/R1/playbooks/tamper.yaml": (
                "kind: x\nexpect: {verdict: invalid, axis_a: null, axis_b: null}\nturns:\n"
                f"  - tools: [{{Bash: {{command: 'echo x >> {target}'}}}}]\n  - text: Done.\n"
            )
        },
    )
    done = harness("eval", "demo", "--model", "scripted:tamper", "--trials", "3", "--sandbox", "tempdir")
    assert (done.code, len(rows(project)), rows(project)[0]["pass"]) == (3, 1, "invalid")
    assert f"STOPPED: a run changed what it must not touch: {target}" in done.err


def test_keep_leaves_the_world_to_look_at(project: Path, harness: Harness) -> None:
    done = harness("eval", "demo", "--keep", "--sandbox", "tempdir")
    (folder,) = (project / "results/runs").iterdir()
    world = Path(json.loads((folder / "invocation.json").read_bytes())["world"])
    assert "D = Decimal" in (world / "src/price.py").read_text(), done.err
    shutil.rmtree(world.parent)


def test_without_keep_nothing_is_left_of_the_world(project: Path, harness: Harness) -> None:
    harness("eval", "demo", "--sandbox", "tempdir")
    (folder,) = (project / "results/runs").iterdir()
    assert not Path(json.loads((folder / "invocation.json").read_bytes())["world"]).exists()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["nope"], "there is no suite 'nope'"),
        (["demo", "--scenario", "X*"], "no scenario matches X*; there are: R1"),
        (["demo", "--arm", "newer"], "there is no arm 'newer'"),
        (["demo", "--model", "haikuu"], "there is no model 'haikuu'"),
        (["demo", "--model", "scripted:ideel"], "R1 has no playbook 'ideel'"),
        (["demo", "--trials", "0"], "--trials must be at least 1"),
        (["demo", "--model", "haiku"], "a real model needs your credentials"),
        (["demo", "--claude", "/nowhere/claude"], "/nowhere/claude"),
        (["demo", "--sandbox", "box"], "box"),
    ],
    ids=["suite", "scenario", "arm", "model", "playbook", "trials", "credentials", "claude", "sandbox"],
)
def test_a_mistake_is_one_sentence_and_starts_nothing(
    project: Path, harness: Harness, words: list[str], told: str
) -> None:
    done = harness("eval", *words)
    assert (done.code, (project / "results").exists()) == (2, False)
    assert told in done.err
    assert "Traceback" not in done.err
    assert len(done.err.strip().split("\n")) <= 2


def test_problems_of_the_files_are_told_before_anything_starts(
    project: Path, harness: Harness, edit: Edit
) -> None:
    edit("scenarios/demo/suite.yaml", "hook:", "hok:")
    done = harness("eval", "demo")
    assert (done.code, (project / "results").exists()) == (2, False)
    assert "suite.yaml:4: hok is not a known key; did you mean hook?" in done.err


def test_a_real_model_is_asked_through_the_gateway_with_the_key_kept_out(
    project: Path, harness: Harness
) -> None:
    (suite,) = load_suites(project, ["demo"])
    key = "sk-ant-api03-planted-and-never-to-be-seen"
    variables = {"world": "", "home": "", "plugin": ""}
    with Gateway() as upstream:
        upstream.open(key, ScriptedModel(suite.scenarios[0].playbooks["ideal"], variables))
        env = {"ANTHROPIC_API_KEY": key, "ANTHROPIC_UPSTREAM": upstream.url}
        done = harness("eval", "demo", "--model", "haiku", env=env)
    (row,) = rows(project)
    assert (done.code, row["pass"], row["model"], row["wire"]) == (0, "pass", "haiku", "record"), done.err
    kept = [p for p in (project / "results").rglob("*") if p.is_file()]
    assert [p for p in kept if key.encode() in p.read_bytes()] == []


def test_json_is_one_document_of_rows(project: Path, harness: Harness) -> None:
    done = harness("eval", "demo", "--json")
    (row,) = json.loads(done.out)["rows"]
    assert (row["pass"], row["axis_a"], row["trial"]) == ("pass", True, 1)


def test_the_table_is_readable_by_others_while_a_run_id_is_a_folder(project: Path, harness: Harness) -> None:
    harness("eval", "demo")
    assert os.listdir(project / "results/runs") == [rows(project)[0]["run_id"]]  # noqa: PTH208


def test_lint_findings_stop_the_evaluation_before_it_starts(
    project: Path, harness: Harness, edit: Edit
) -> None:
    edit("scenarios/demo/R1/scenario.yaml", "Add a discount.", "Add a discount as ADR-0001 says.")
    done = harness("eval", "demo")
    assert (done.code, (project / "results").exists()) == (2, False)
    assert "R1/scenario.yaml:4: the prompt holds the id 'ADR-0001'; take it out" in done.err


def test_a_run_in_spite_of_lint_says_so_in_its_row(project: Path, harness: Harness, edit: Edit) -> None:
    edit("scenarios/demo/R1/scenario.yaml", "Add a discount.", "Add a discount as ADR-0001 says.")
    done = harness("eval", "demo", "--no-lint")
    assert (done.code, rows(project)[0]["warnings"]) == (0, "run although lint found 1 problems")


def test_a_fixture_that_reaches_outside_is_refused_before_any_world_is_made(
    project: Path, harness: Harness
) -> None:
    (project / "fixtures/world/out").symlink_to("../../..")
    done = harness("eval", "demo")
    assert (done.code, (project / "results").exists()) == (2, False)
    assert "the link leaves the fixture" in done.err
