"""An agent that hangs with children of every kind, under a limit of three seconds."""

import json
import os
import time
from pathlib import Path

import psutil
import pytest
from msgspec.structs import replace

from harness.engine.box import choose_kind
from harness.model.outcome import Status
from harness.selftest.battery import Request, run_battery
from harness.selftest.cases import CASES, DONE, RIGHT, Case
from tests.engine.conftest import clean_env

MARK = f"--sleep-interval={80_000_000 + os.getpid()}"
"""A word of the command line that no other process on the machine has."""
WAIT = f"tail -f {MARK} /dev/null"
HANGS = (
    f"{WAIT} & nohup {WAIT} >/dev/null 2>&1 & setsid {WAIT} & "
    f"(setsid nohup sh -c 'trap \"\" TERM INT; {WAIT}; {WAIT}' >/dev/null 2>&1 &) ; {WAIT}"
)
CASE = Case(
    name="agent-hangs",
    status=Status.TIMED_OUT,
    reason="the timeout limit ended the run",
    turns=(RIGHT, {"tools": [{"Bash": {"command": HANGS, "timeout": 600000}}]}, DONE),
    limits={"timeout_s": 3},
)


def alive() -> list[int]:
    return [p.pid for p in psutil.process_iter(["cmdline"]) if MARK in (p.info["cmdline"] or [])]


@pytest.mark.parametrize("sandbox", ["tempdir", "jail"])
def test_it_is_over_within_eight_seconds_with_nothing_left_alive(sandbox: str, tmp_path: Path) -> None:
    if sandbox == "jail" and choose_kind("auto") != "jail":
        pytest.skip("there can be no jail here")
    results = tmp_path / "results"
    began = time.monotonic()
    (tried,) = run_battery(Request(cases=(CASE,), sandbox=sandbox, results=results), clean_env(tmp_path))
    took_s = time.monotonic() - began
    assert (tried.status, tried.verdict, alive()) == ("timed_out", "fail", [])
    (folder,) = (results / "runs").glob("*agent-hangs*")
    ended = json.loads((folder / "exit.json").read_bytes())
    assert (ended["wall_s"] < 8, ended["survivors_left"]) == (True, 0), ended
    # With the run in which nothing goes wrong, and all that starts and ends around them.
    assert took_s < 20


def test_a_short_wait_for_the_api_at_the_end_of_its_time_is_the_agents_own(tmp_path: Path) -> None:
    working = {"tools": [{"Bash": {"command": "head -c 1 /dev/null; sleep 1.4; sleep 1.4; sleep 1.4"}}]}
    case = replace(
        CASE, name="agent-works", turns=(working, {"fault": "hang"}), limits={"timeout_s": 5.5, "idle_s": 30}
    )
    (tried,) = run_battery(Request(cases=(case,)), clean_env(tmp_path))
    assert (tried.status, tried.verdict) == ("timed_out", "fail"), tried.reason


@pytest.mark.parametrize("status", [429, 529])
def test_an_api_that_turns_requests_away_until_time_is_up_is_no_fail(status: int, tmp_path: Path) -> None:
    error = {"status": status, "type": "x", "message": "later", "headers": {"retry-after": "60"}}
    case = replace(
        CASES[0], name="waits", refused=False, turns=(RIGHT, {"error": error}), limits={"idle_s": 3}
    )
    (tried,) = run_battery(Request(cases=(case,)), clean_env(tmp_path))
    assert (tried.status, tried.verdict) == ("api_error", "invalid"), tried.reason
    assert f"the API turned requests away (status {status}" in tried.reason
