"""From a plugin's repository that harness has never seen to rows of its own."""

import json
import subprocess
from pathlib import Path

import pytest
import yaml

from harness.authoring.discover import find_plugin
from harness.errors import UserError
from tests.report.runs import Done, harness

PLUGIN = {
    ".claude-plugin/plugin.json": '{"name": "pr-helper", "version": "0.1.0", "description": "d"}',
    "skills/reviewer/SKILL.md": "---\nname: reviewer\ndescription: Review a change\n---\nLook at the diff.\n",
    "skills/hidden/SKILL.md": "---\nname: hidden\ndescription: d\ndisable-model-invocation: true\n---\nx\n",
    "commands/ship.md": "Ship it.\n",
    "hooks/hooks.json": '{"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "echo careful"}]}]}}',
}


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


@pytest.fixture
def strange(tmp_path: Path) -> Path:
    """A plugin that is its repository's own root."""
    root = write(tmp_path / "pr-helper", PLUGIN)
    program = root / "bin/pr-list"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho 1\n")
    program.chmod(0o755)
    for words in (
        ("init", "-q"),
        ("add", "-A"),
        ("-c", "user.name=n", "-c", "user.email=e@e", "commit", "-qm", "first"),
    ):
        subprocess.run(["git", "-C", str(root), *words], check=True)
    return root


def run(root: Path, *words: str) -> Done:
    return harness(*words, cwd=root)


def test_what_is_written_runs_green_and_red_at_once(strange: Path) -> None:
    assert run(strange, "init").code == 0
    assert run(strange, "lint").code == 0
    green = run(strange, "eval", "pr-helper")
    assert (green.code, green.out.count(" pass ")) == (0, 1), green.out + green.err
    red = run(strange, "eval", "pr-helper", "--model", "scripted:silent")
    assert (red.code, red.out.count(" fail ")) == (1, 1), red.out + red.err


def test_calibrate_agrees_with_what_is_written(strange: Path) -> None:
    run(strange, "init")
    done = run(strange, "calibrate", "pr-helper")
    assert (done.code, done.out.strip().split("\n")[-1]) == (0, "2 playbooks, 0 mismatches"), done.err


def test_the_model_does_not_get_the_evaluation_with_a_plugin_at_the_root(strange: Path) -> None:
    run(strange, "init")
    playbook = strange / "scenarios/pr-helper/S1/playbooks/ideal.yaml"
    text = playbook.read_text()
    look = 'turns:\n  - tools:\n      - Bash: {command: "ls {{plugin}} {{plugin}}/skills"}\n'
    playbook.write_text(text.replace("turns:\n", look, 1))
    run(strange, "eval", "pr-helper")
    (folder,) = (strange / "results/runs").iterdir()
    answers = [
        block["content"]
        for line in (folder / "stream.jsonl").read_text().splitlines()
        for block in (json.loads(line).get("message") or {}).get("content") or []
        if isinstance(block, dict) and block.get("type") == "tool_result"
    ]
    (listed,) = [text for text in answers if "reviewer" in str(text) and "skills" in str(text)][:1]
    assert not {"scenarios", "fixtures", "results", ".git"} & set(str(listed).split())


def test_the_plugin_of_an_earlier_commit_is_an_arm_of_its_own(strange: Path) -> None:
    run(strange, "init")
    done = run(strange, "eval", "pr-helper", "--arm", "old", "--old", "HEAD")
    assert (done.code, done.out.count(" pass ")) == (0, 1), done.out + done.err


def test_a_second_evaluation_has_nothing_left_to_do(strange: Path) -> None:
    run(strange, "init")
    run(strange, "eval", "pr-helper")
    again = run(strange, "eval", "pr-helper")
    assert "have a valid row already" in again.err


def test_nothing_that_is_there_is_written_over(strange: Path) -> None:
    mine = write(strange, {"scenarios/pr-helper/suite.yaml": "mine\n"}) / "scenarios/pr-helper/suite.yaml"
    done = run(strange, "init")
    assert mine.read_text() == "mine\n"
    assert done.code == 2 and "suite.yaml" in done.err and "Traceback" not in done.err


def test_init_again_keeps_everything(strange: Path) -> None:
    run(strange, "init")
    told = json.loads(run(strange, "init", "--json").out)
    assert (told["written"], len(told["kept"]) > 10, told["problems"]) == ([], True, [])


def test_the_workflow_and_the_grid_are_what_they_should_be(strange: Path) -> None:
    run(strange, "init")
    workflow = yaml.safe_load((strange / ".github/workflows/harness.yml").read_text())
    assert set(workflow["jobs"]) == {"checks", "nightly"}
    dry = run(strange, "grid", "nightly", "--dry-run")
    assert (dry.code, "10 cells: 10 to run" in dry.out) == (0, True), dry.err


def test_results_stay_out_of_the_repository(strange: Path) -> None:
    (strange / ".gitignore").write_text("*.pyc")
    run(strange, "init")
    run(strange, "init")
    assert (strange / ".gitignore").read_text() == "*.pyc\nresults/\n"


def test_the_parts_of_a_plugin_are_found(strange: Path) -> None:
    found = find_plugin(strange)
    assert (found.name, found.skills, found.programs, found.slash_commands, found.hooks) == (
        "pr-helper",
        ("reviewer",),
        ("pr-list",),
        ("ship",),
        ("SessionStart",),
    )


def test_a_request_does_not_hold_a_name_of_the_plugin(tmp_path: Path) -> None:
    root = write(tmp_path, {".claude-plugin/plugin.json": '{"name": "voucher"}'})
    assert run(root, "init").code == 0
    assert run(root, "lint").code == 0
    assert "station" in (root / "scenarios/voucher/S1/scenario.yaml").read_text()


def test_a_plugin_in_a_folder_is_found_there(tmp_path: Path) -> None:
    write(tmp_path / "plugins/one", {".claude-plugin/plugin.json": '{"name": "one"}'})
    assert run(tmp_path, "init").code == 0
    assert "plugin: plugins/one\n" in (tmp_path / "scenarios/one/suite.yaml").read_text()


@pytest.mark.parametrize(
    ("files", "says"),
    [
        pytest.param({"README.md": "x"}, "there is no .claude-plugin/plugin.json", id="none"),
        pytest.param(
            {f"plugins/{n}/.claude-plugin/plugin.json": '{"name": "x"}' for n in "ab"},
            "holds 2 plugins",
            id="two",
        ),
        pytest.param({".claude-plugin/plugin.json": "{"}, "cannot be read", id="broken"),
        pytest.param({".claude-plugin/plugin.json": "{}"}, "has no name", id="nameless"),
    ],
)
def test_a_repository_without_a_clear_plugin_is_one_sentence(
    tmp_path: Path, files: dict[str, str], says: str
) -> None:
    with pytest.raises(UserError, match=says):
        find_plugin(write(tmp_path, files))
