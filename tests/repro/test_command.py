"""``harness repro``, ``bundle`` and ``playbook`` as a user starts them."""

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from harness.repro.telling import as_json, as_text
from tests.engine.conftest import Done
from tests.repro.lab import Lab

DOCS = Path(__file__).parents[2] / "docs/replay.md"


def harness(lab: Lab, *words: str, cwd: Path | None = None, stdin: str | None = None, **env: str) -> Done:
    done = subprocess.run(
        [sys.executable, "-m", "harness", *words],
        cwd=cwd or lab.root,
        env=lab.environ | env,
        input=stdin,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr)


def test_the_text_tells_what_was_the_same(done: Lab, ids: dict[str, str]) -> None:
    told = harness(done, "repro", ids["ideal"])
    assert (told.code, told.out.split("\n")) == (
        0,
        [
            f"{ids['ideal']}: replay of 2 recorded requests",
            "the same requests, tool calls and world",
            (
                "verdict: the same, pass (completed, a=true b=true):"
                " consulted by shell-read; names ADR-0001 and no distractor"
            ),
            "",
        ],
    )


def test_the_json_form_is_one_document(done: Lab, ids: dict[str, str]) -> None:
    told = json.loads(harness(done, "repro", ids["ideal"], "--json").out)
    found = [told[name] for name in ("how", "same_verdict", "difference", "failure", "exit_code")]
    assert found == ["replay", True, None, "", 0]


def test_a_replay_that_could_not_go_on_tells_no_verdict(done: Lab, ids: dict[str, str]) -> None:
    stuck = replace(done.again(ids["ideal"]), failure="no recorded answer for request 3: turn 3")
    text, document = as_text(stuck), json.loads(as_json(stuck))
    assert "no verdict, as the replay did not come to its end; then it was pass (completed, " in text
    assert "verdict: " not in text
    assert (document["same_verdict"], document["exit_code"]) == (None, 3)


def test_a_difference_is_told_with_its_place(done: Lab, ids: dict[str, str], tmp_path: Path) -> None:
    plugin = tmp_path / "demo"
    subprocess.run(["cp", "-r", done.root / "fixtures/plugins/demo", plugin], check=True)
    (plugin / "told").write_text("decisions live elsewhere\n")
    told = harness(done, "repro", ids["ideal"], "--plugin", str(plugin))
    assert told.code == 1
    assert "first difference: request 1 at messages[1].content[0].text\n" in told.out
    assert "+SessionStart:startup hook success: decisions live elsewhere\n" in told.out


def test_a_shell_stands_in_the_sandbox_as_it_was_at_the_end(done: Lab, ids: dict[str, str]) -> None:
    script = "cat src/price.py; echo key=$ANTHROPIC_API_KEY.; exit\n"
    told = harness(done, "repro", ids["ideal"], "--shell", stdin=script)
    assert "TAX = 0.2\nD = Decimal\nkey=.\n" in told.out
    assert told.code == 0


def test_on_a_terminal_the_shell_has_one_of_its_own(done: Lab, ids: dict[str, str]) -> None:
    controller, terminal = pty.openpty()
    words = [sys.executable, "-m", "harness", "repro", ids["ideal"], "--shell"]
    with subprocess.Popen(
        words, cwd=done.root, env=done.environ, stdin=terminal, stdout=terminal, stderr=terminal
    ):
        os.close(terminal)
        seen = b""
        asked = False
        while True:
            try:
                piece = os.read(controller, 4096)
            except OSError:  # the last one has closed it
                break
            if not piece:
                break
            seen += piece
            if not asked and b"sandbox:" in seen:
                asked = True
                os.write(controller, b"tty; cat src/price.py; exit\n")
    os.close(controller)
    assert b"D = Decimal" in seen
    assert b"verdict: the same, pass" in seen


def test_a_bundle_goes_to_an_empty_folder(done: Lab, ids: dict[str, str], tmp_path: Path) -> None:
    made = harness(done, "bundle", ids["ideal"], "-o", str(tmp_path / "failing.tar.zst"))
    assert (made.code, "harness repro" in made.out) == (0, True), made.err
    elsewhere = tmp_path / "empty"
    elsewhere.mkdir()
    told = harness(done, "repro", "../failing.tar.zst", "--trust", cwd=elsewhere)
    assert (told.code, "the same requests, tool calls and world" in told.out) == (0, True), told.err


def test_a_playbook_is_printed_or_written(done: Lab, ids: dict[str, str], tmp_path: Path) -> None:
    printed = harness(done, "playbook", ids["ideal"], "--kind", "ideal")
    file = tmp_path / "p.yaml"
    written = harness(done, "playbook", ids["ideal"], "--kind", "ideal", "-o", str(file))
    assert (written.out, file.read_text()) == ("", printed.out)
    assert printed.out.startswith("kind: ideal\n")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["gone"], "there is no run gone in"),
        (["ID", "--live", "--replay"], "exclude each other"),
        (["ID", "--upto", "1", "--live"], "--upto stops a replay"),
        (["ID", "--upto", "9"], "the run made 1 tool calls"),
        (["ID", "--strict", "--live"], "--strict is about a replay"),
        (["ID", "--plugin", "/nowhere"], "--plugin /nowhere has no"),
        (["ID", "--sandbox", "box"], "there is no sandbox 'box'"),
        (["scenarios/demo/suite.yaml"], "is no bundle"),
    ],
)
def test_a_mistake_is_one_sentence(done: Lab, ids: dict[str, str], words: list[str], told: str) -> None:
    found = harness(done, "repro", *(ids["ideal"] if word == "ID" else word for word in words))
    assert (found.code, told in found.err, "Traceback" in found.err) == (2, True, False), found.err


def test_without_recording_there_is_none(lab: Lab) -> None:
    assert harness(lab, "eval", "demo", "--wire", "none").code == 0
    (folder,) = (lab.results / "runs").iterdir()
    assert not (folder / "wire.jsonl.zst").exists()
    told = harness(lab, "repro", folder.name)
    assert (told.code, "--live asks the model again" in told.err) == (3, True)


def test_every_command_of_the_page_is_one_that_is_tried(
    done: Lab, ids: dict[str, str], tmp_path: Path
) -> None:
    """Those with a run's id are started as they stand; the rest is started by other tests here."""
    page = DOCS.read_text()
    commands = set(re.findall(r"`harness (repro RUN_ID[^`]*)`", page)) | set(
        re.findall(r"^\$ harness (.*)$", page, re.MULTILINE)
    )
    assert len(commands) >= 10
    for command in sorted(commands):
        words = [ids["ideal"] if word == "RUN_ID" else word for word in command.split()]
        if words[0] != "repro" or "PATH" in words or words[1].endswith(".zst"):
            continue
        told = harness(done, *words, stdin="exit\n", TMPDIR=str(tmp_path))
        assert told.code == 0, (command, told.out, told.err)
