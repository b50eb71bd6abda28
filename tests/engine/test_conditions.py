"""What a run must have, and what befell it, on the real claude and on one that does as it is told."""

import json
import stat
from pathlib import Path

import pytest

from harness.world.kernel import kernel_offers
from tests.engine.conftest import Harness, write
from tests.engine.project import make_project
from tests.engine.test_eval import Edit, rows

no_jail = pytest.mark.skipif(kernel_offers().bwrap is None, reason=f"no jail here: {kernel_offers().why}")


def checks(project: Path, row: dict[str, str]) -> dict[str, dict[str, object]]:
    data = json.loads((project / "results/runs" / row["run_id"] / "checks.json").read_bytes())
    return {finding["name"]: finding for finding in data["findings"]}


def test_every_precondition_is_kept_also_of_a_run_that_passes(project: Path, harness: Harness) -> None:
    harness("eval", "demo")
    (row,) = rows(project)
    found = checks(project, row)
    assert {"init", "cwd", "plugin", "isolation", "plugin_errors", "skill_tool", "tools", "hook"} <= set(
        found
    )
    assert "tools offered: " in str(found["init"]["evidence"])


def test_a_request_that_was_asked_again_is_a_warning_in_the_row(
    project: Path, harness: Harness, edit: Edit
) -> None:
    edit(
        "scenarios/demo/R1/playbooks/ideal.yaml",
        "turns:\n",
        "turns:\n  - error: {status: 529, type: overloaded_error, message: later, times: 1}\n",
    )
    done = harness("eval", "demo")
    (row,) = rows(project)
    assert (done.code, row["pass"], row["warnings"]) == (0, "pass", "1 requests were asked again")


def test_how_the_api_failed_and_which_limit_fired_are_kept(project: Path, harness: Harness) -> None:
    book = (
        "kind: x\nexpect: {status: api_error, verdict: invalid, axis_a: null, axis_b: null}\nturns:\n"
        "  - error: {status: 529, type: overloaded_error, message: later}\n"
    )
    write(project, {"scenarios/demo/R1/playbooks/busy.yaml": book})
    harness("eval", "demo", "--model", "scripted:busy", "--retries", "0", "--sandbox", "tempdir")
    row = rows(project)[-1]
    kept = json.loads((project / "results/runs" / row["run_id"] / "checks.json").read_bytes())
    assert (row["api_kind"], kept["api_kind"], kept["limit"]) == ("overload", "overload", "")


@pytest.mark.parametrize(
    ("condition", "verdict", "told"),
    [
        pytest.param(
            "[ -d src ]", "invalid", "nobody asked for are listed: intruder", id="only-in-this-world"
        ),
        pytest.param("true", "pass", "", id="the-clis-own"),
    ],
)
def test_is02_a_name_in_the_list_is_the_clis_own_or_an_intruder(
    condition: str, verdict: str, told: str, tmp_path: Path
) -> None:
    fake = make_project(tmp_path, scenarios=("A1",))
    script = fake.claude.read_text().replace(
        '"skills":[]', '"skills":[\'"$(if ' + condition + "; then echo '\"intruder\"'; fi)\"']"
    )
    fake.claude.write_text(script)
    said = fake.harness(
        "eval", "demo", "--claude", str(fake.claude), "--sandbox", "tempdir", "--retries", "0"
    )
    (row,) = fake.rows()
    assert (row.pass_, told in row.reason) == (verdict, True), said
    starts = len(fake.started())
    assert starts == 2, "one run, and one look at what it lists in an empty world"


@no_jail
def test_a_hook_whose_interpreter_the_jail_hides_is_said_to_be_that(
    project: Path, harness: Harness, tmp_path: Path
) -> None:
    place = tmp_path / "toolchain"
    place.mkdir()
    interpreter = place / "ruby9"
    interpreter.write_text("#!/bin/sh\necho look there\n")
    interpreter.chmod(interpreter.stat().st_mode | stat.S_IXUSR)
    hooks = {"hooks": [{"type": "command", "command": "ruby9 start"}]}
    write(
        project,
        {"fixtures/plugins/demo/hooks/hooks.json": json.dumps({"hooks": {"SessionStart": [hooks]}})},
    )
    path = f"{place}:/usr/local/bin:/usr/bin:/bin"
    done = harness("eval", "demo", "--sandbox", "jail", "--retries", "0", env={"PATH": path})
    row = rows(project)[-1]
    assert (done.code, row["pass"], row["status"]) == (3, "invalid", "setup_error")
    assert f"ruby9 is not visible in the jail (here it is {interpreter}" in row["reason"]
    suite = project / "scenarios/demo/suite.yaml"
    suite.write_text(suite.read_text() + f"jail: {{read_only: [{place}]}}\n")
    done = harness("eval", "demo", "--sandbox", "jail", "--retries", "0", env={"PATH": path})
    assert (done.code, rows(project)[-1]["pass"]) == (0, "pass"), rows(project)[-1]["reason"]


@no_jail
@pytest.mark.parametrize("way", ["shebang", "command"])
def test_a_command_that_the_jail_hides_is_a_warning(
    way: str, project: Path, harness: Harness, tmp_path: Path
) -> None:
    place = tmp_path / "toolchain"
    place.mkdir()
    interpreter = place / "ruby9"
    interpreter.write_text("#!/bin/sh\n")
    interpreter.chmod(0o755)
    script = project / "fixtures/world/tool"
    script.write_text(f"#!{interpreter}\n")
    script.chmod(0o755)
    command = "/world/tool" if way == "shebang" else "ruby9 x"
    book = (
        "kind: x\nexpect: {verdict: fail, axis_a: false, axis_b: false}\nturns:\n"
        f"  - tools: [{{Bash: {{command: '{command}'}}}}]\n  - text: Done.\n"
    )
    write(project, {"scenarios/demo/R1/playbooks/tool.yaml": book})
    path = f"{place}:/usr/local/bin:/usr/bin:/bin"
    harness("eval", "demo", "--model", "scripted:tool", "--sandbox", "jail", env={"PATH": path})
    (row,) = rows(project)
    assert "is not visible in the jail (here it is" in row["warnings"], row
