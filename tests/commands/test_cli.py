"""The command line's edges: what every user may do wrong, and what we may."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from harness.cli import COMMANDS

ROOT = Path(__file__).resolve().parents[2]
HEAVY = ("aiohttp", "distributed", "jinja2", "matplotlib", "pydantic", "rich", "scipy", "tree_sitter", "yaml")


def run(*words: str, code: str = "") -> subprocess.CompletedProcess[str]:
    argv = [sys.executable, "-c", code] if code else [sys.executable, "-m", "harness", *words]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(argv, capture_output=True, text=True, env=env, check=False, timeout=60)


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys\nsys.argv = ['harness', '--help']\nfrom harness.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        f"print([m for m in {HEAVY} if m in sys.modules], file=sys.stderr)"
    )
    assert run(code=code).stderr.strip() == "[]"


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command: str) -> None:
    done = run(command, "--help")
    assert (done.returncode, "Usage: harness" in done.stdout) == (0, True)


@pytest.mark.parametrize(
    "words",
    [["nope"], ["eval", "--nope"], ["eval", "--jobs", "x"], ["check"]],
    ids=["command", "option", "value", "none"],
)
def test_a_wrong_call_exits_2_without_a_traceback(words: list[str]) -> None:
    done = run(*words)
    assert (done.returncode, "Traceback" in done.stderr) == (2, False)


def test_a_mistake_of_our_own_is_one_sentence_and_a_file_with_the_details() -> None:
    code = (
        "import harness.cli as cli\n"
        "def broken(**_: object) -> None:\n    raise ZeroDivisionError('planted')\n"
        "cli.app = broken\ncli.main()"
    )
    done = run(code=code)
    (line,) = done.stderr.strip().split("\n")
    details = Path(line.rpartition(" ")[2])
    assert (done.returncode, "ZeroDivisionError: planted" in line) == (3, True)
    assert "Traceback" in details.read_text()
    details.unlink()


def test_a_reader_that_goes_away_is_no_error_message() -> None:
    shell = f"{sys.executable} -m harness --help | head -1"
    done = subprocess.run(
        ["sh", "-c", shell], capture_output=True, text=True, check=False, cwd=ROOT, timeout=60
    )
    assert done.stderr == ""
