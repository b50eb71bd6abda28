"""The battery against the real claude: everything goes wrong, and nothing passes or fails."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from msgspec.structs import replace

from harness.model.outcome import Status
from harness.model.row import Row
from harness.selftest.battery import Request, compare, exit_code, run_battery
from harness.selftest.cases import CASES, CONTROL, Case
from tests.engine.conftest import clean_env

NAMED = {
    *("api-refuses", "api-resets", "api-hangs"),
    *("api-400", "api-401", "api-403", "api-404", "api-429", "api-500", "api-529"),
    *("stream-cut", "stream-malformed", "credit-runs-out", "child-killed"),
    *("hook-hangs", "hook-fails", "hook-too-long", "plugin-broken"),
}


def run(*words: str, home: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "harness", "selftest", *words],
        cwd=home,
        env=clean_env(home),
        capture_output=True,
        text=True,
        timeout=170,
        check=False,
    )


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> tuple[subprocess.CompletedProcess[str], float]:
    began = time.monotonic()
    return run("--json", home=tmp_path_factory.mktemp("home")), time.monotonic() - began


Done = tuple[subprocess.CompletedProcess[str], float]


def test_the_good_outcome_is_that_nothing_could_be_evaluated(done: Done) -> None:
    assert done[0].returncode == 3, done[0].stdout + done[0].stderr


def test_no_case_passes_and_none_fails(done: Done) -> None:
    assert {case["verdict"] for case in json.loads(done[0].stdout)} == {"invalid"}


def test_json_is_a_list_of_four_keys_a_case(done: Done) -> None:
    cases = json.loads(done[0].stdout)
    assert {tuple(case) for case in cases} == {("case", "status", "verdict", "reason")}
    assert [case["case"] for case in cases] == [case.name for case in CASES]


def test_every_failure_that_was_promised_is_tried(done: Done) -> None:
    assert {case["case"] for case in json.loads(done[0].stdout)} >= NAMED


def test_it_is_over_within_three_minutes(done: Done) -> None:
    assert done[1] < 180


def test_nothing_is_left_in_the_folder_that_it_was_started_from(
    done: Done, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    assert os.listdir(tmp_path_factory.getbasetemp() / "home0") == []  # noqa: PTH208


ROW = Row(**dict.fromkeys(Row.__struct_fields__, "x"))


@pytest.mark.parametrize(
    ("changes", "wrong"),
    [
        pytest.param({}, "", id="right"),
        pytest.param({"pass_": "pass"}, "must be invalid", id="passes"),
        pytest.param({"pass_": "fail"}, "must be invalid", id="fails"),
        pytest.param({"status": "completed"}, "must be crashed", id="another-status"),
        pytest.param({"reason": "no idea"}, "the reason must match 'broke'", id="another-reason"),
    ],
)
def test_a_row_that_says_something_else_is_wrong(changes: dict[str, str], wrong: str) -> None:
    case = Case(name="c", status=Status.CRASHED, reason="broke")
    row: Row = replace(ROW, pass_="invalid", status="crashed", reason="it broke")
    assert compare(case, replace(row, **changes)).wrong == wrong


def test_a_case_that_does_not_fail_as_it_should_is_told(tmp_path: Path) -> None:
    harmless = replace(CONTROL, name="harmless", status=Status.CRASHED, reason="broke")
    (tried,) = run_battery(Request(cases=(harmless,)), clean_env(tmp_path))
    assert (tried.verdict, tried.wrong[:15]) == ("pass", "must be invalid")
    assert exit_code([tried]) == 1


def test_outside_of_a_jail_a_connection_is_refused_as_well(tmp_path: Path) -> None:
    refused = tuple(case for case in CASES if case.refused)
    (tried,) = run_battery(Request(cases=refused, sandbox="tempdir"), clean_env(tmp_path))
    assert (tried.wrong, exit_code([tried])) == ("", 3)


def test_a_claude_with_which_nothing_can_pass_is_a_mistake_and_no_success(tmp_path: Path) -> None:
    fake = Path(__file__).parents[1] / "fakes/ends-without-result"
    fake_claude = tmp_path / "claude"
    fake_claude.write_text(f'#!/bin/sh\n[ "$1" = --version ] && echo 2.1.332 && exit\nexec {fake} "$@"\n')
    fake_claude.chmod(0o755)
    found = run("--claude", str(fake_claude), "--sandbox", "tempdir", home=tmp_path)
    assert (found.returncode, found.stdout) == (2, "")
    assert "a run in which nothing goes wrong came out invalid" in found.stderr
