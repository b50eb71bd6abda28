"""Grids run for real, on a claude that does as the files beside it say."""

import re
import signal
import time
from collections import Counter
from pathlib import Path

import pytest

from tests.engine.project import CRASH, NO_CREDIT, RATE_LIMITED, Project, limit_ends, make_project

GRID = "suites: [demo]\nsandbox: tempdir\nmodels: [haiku]\nseed: 7\n"
KEY = {"ANTHROPIC_API_KEY": "not-a-key"}


@pytest.fixture
def small(tmp_path: Path) -> Project:
    return make_project(tmp_path)


def wait_for(condition: object, what: str, timeout_s: float = 30.0) -> None:
    assert callable(condition)
    until = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < until, what
        time.sleep(0.02)


def test_a_grid_runs_every_cell_once(small: Project) -> None:
    code, said = small.grid(GRID + "jobs: 4\ntrials: 3\narms: [baseline, new]\n", **KEY)

    assert code == 0, said
    cells = Counter((r.scenario, r.arm, r.trial) for r in small.rows())
    assert len(cells) == 12 and set(cells.values()) == {1}


def test_the_seed_stands_in_every_row(small: Project) -> None:
    small.grid(GRID, **KEY)
    assert {r.seed for r in small.rows()} == {"7"}


def test_a_second_call_runs_nothing(small: Project) -> None:
    small.grid(GRID, **KEY)
    code, said = small.grid(GRID, **KEY)

    assert code == 0 and "2 of 2 cells have a valid row already" in said
    assert len(small.started()) == 2


def test_an_edited_prompt_is_a_new_cell_and_the_old_row_stays(small: Project) -> None:
    small.grid(GRID, **KEY)
    scenario = small.root / "scenarios/demo/A1/scenario.yaml"
    scenario.write_text(scenario.read_text().replace("invoice", "receipt"))
    small.grid(GRID, **KEY)

    assert Counter(r.scenario for r in small.rows()) == {"A1": 2, "A2": 1}
    assert len({r.cell_digest for r in small.rows()}) == 3


def test_an_invalid_cell_is_tried_again_at_once(small: Project) -> None:
    small.turn_away(CRASH)
    code, said = small.grid(GRID + "scenarios: [A1]\n", **KEY)

    assert code == 0, said
    assert [(r.pass_, r.attempt) for r in small.rows()] == [("invalid", "1"), ("pass", "2")]


def test_a_cell_is_left_invalid_after_two_more_tries(small: Project) -> None:
    small.turn_away(*[CRASH] * 9)
    code, _ = small.grid(GRID + "scenarios: [A1]\n", **KEY)
    again, said = small.grid(GRID + "scenarios: [A1]\n", **KEY)

    assert (code, again) == (3, 3)
    assert [r.attempt for r in small.rows()] == ["1", "2", "3"]
    assert "invalid as often as is allowed" in said


def test_a_named_reset_time_is_waited_for_by_all_lanes(small: Project) -> None:
    small.say("sleep", "0.2")
    ends = int(time.time()) + 6
    small.turn_away(limit_ends(ends))
    code, said = small.grid(GRID + "trials: 8\njobs: 2\n", **KEY)

    assert code == 0, said
    paused = [t for t in small.started() if t > min(small.started()) + 1.0]
    assert min(paused) >= ends, "nothing starts while the limit holds"
    assert re.search(r"waiting \d+ s, until .*rate_limit.*All lanes pause", said)


def test_a_run_that_was_turned_away_is_no_result(small: Project) -> None:
    small.turn_away(limit_ends(int(time.time()) + 3))
    small.grid(GRID + "scenarios: [A1]\n", **KEY)

    assert [(r.pass_, r.attempt) for r in small.rows()] == [("pass", "1")]


def test_a_limit_that_lasts_too_long_ends_the_grid(small: Project) -> None:
    small.turn_away(limit_ends(int(time.time()) + 9000))
    code, said = small.grid(GRID + "trials: 4\njobs: 1\n", "--max-wait", "60", **KEY)

    assert code == 3 and "longer than --max-wait allows" in said
    assert len(small.started()) == 1


def test_without_credit_nothing_more_is_started(small: Project) -> None:
    small.turn_away(NO_CREDIT)
    code, said = small.grid(GRID + "trials: 4\njobs: 1\n", **KEY)

    assert code == 3 and "the API refuses every run (credit)" in said
    assert [r.api_kind for r in small.rows()] == ["credit"]
    assert "7 cells are left" in said


def test_what_ran_beside_a_refusal_is_kept(small: Project) -> None:
    small.say("sleep", "0.5")
    small.turn_away(NO_CREDIT)
    code, _ = small.grid(GRID + "jobs: 2\n", **KEY)

    assert code == 3
    assert Counter(r.pass_ for r in small.rows()) == {"invalid": 1, "pass": 1}


def test_a_playbook_that_plays_a_rate_limit_is_not_weather(small: Project) -> None:
    playbook = small.root / "scenarios/demo/A1/playbooks/ideal.yaml"
    playbook.write_text(
        "kind: ideal\nexpect: {verdict: invalid, status: api_error, axis_a: null, axis_b: null}\nturns:\n"
        "  - error: {status: 429, type: rate_limit_error, message: m}\n"
    )
    small.turn_away(RATE_LIMITED)
    code, said = small.grid("suites: [demo]\nsandbox: tempdir\nmodels: [scripted:ideal]\nscenarios: [A1]\n")

    assert code == 3 and "waiting" not in said
    assert [r.api_kind for r in small.rows()] == ["rate_limit"]


@pytest.mark.parametrize(
    ("budget", "runs"),
    [("{runs: 3}", 3), ("{usd: 0.25}", 2), ("{usd: 0.05}", 0)],
    ids=["runs", "dollars", "less than one cap"],
)
def test_a_budget_ends_the_grid(small: Project, budget: str, runs: int) -> None:
    small.say("cost", "0.1")
    code, said = small.grid(GRID + f"trials: 4\njobs: 1\nbudget: {budget}\n", **KEY)

    assert code == 3, said
    assert len(small.rows()) == runs
    assert f"{8 - runs} cells were not run: the rest of the budget does not cover them" in said


def test_money_of_the_call_before_counts(small: Project) -> None:
    small.say("cost", "0.1")
    grid = GRID + "trials: 4\njobs: 1\nbudget: {usd: 0.25}\n"
    small.grid(grid, **KEY)
    small.grid(grid, **KEY)

    assert len(small.rows()) == 2


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["INT", "TERM"])
def test_the_first_signal_lets_runs_finish(small: Project, number: signal.Signals) -> None:
    small.say("sleep", "1")
    (small.root / "g.yaml").write_text(GRID + "trials: 5\njobs: 2\n")
    with small.popen("grid", "g.yaml", "--claude", str(small.claude), **KEY) as child:
        wait_for(lambda: len(small.started()) == 2, "two runs start")
        child.send_signal(number)
        said, _ = child.communicate(timeout=30)

    assert child.returncode == 130
    assert [r.pass_ for r in small.rows()] == ["pass", "pass"], said
    assert "letting what is running finish" in said


def test_the_second_signal_ends_runs_as_interrupted(small: Project) -> None:
    small.say("sleep", "60")
    (small.root / "g.yaml").write_text(GRID + "jobs: 2\n")
    with small.popen("grid", "g.yaml", "--claude", str(small.claude), **KEY) as child:
        wait_for(lambda: len(small.started()) == 2, "two runs start")
        child.send_signal(signal.SIGINT)
        time.sleep(0.5)
        child.send_signal(signal.SIGINT)
        said, _ = child.communicate(timeout=30)

    assert child.returncode == 130, said
    assert [(r.pass_, r.status) for r in small.rows()] == [("invalid", "interrupted")] * 2


def test_an_interrupted_grid_goes_on_as_if_nothing_was(small: Project) -> None:
    small.say("sleep", "60")
    (small.root / "grid.yaml").write_text(GRID + "jobs: 2\n")
    with small.popen("grid", "grid.yaml", "--claude", str(small.claude), **KEY) as child:
        wait_for(lambda: len(small.started()) == 2, "two runs start")
        for _ in range(2):
            child.send_signal(signal.SIGTERM)
            time.sleep(0.3)
        child.communicate(timeout=30)
    small.say("sleep", "0")
    code, said = small.grid(GRID + "jobs: 2\n", **KEY)

    assert code == 0, said
    assert Counter(r.pass_ for r in small.rows()) == {"invalid": 2, "pass": 2}


def test_sighup_under_nohup_is_ignored(small: Project) -> None:
    small.say("sleep", "1")
    (small.root / "g.yaml").write_text(GRID)
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup hands it down
    try:
        child = small.popen("grid", "g.yaml", "--claude", str(small.claude), **KEY)
    finally:
        signal.signal(signal.SIGHUP, before)
    with child:
        wait_for(lambda: len(small.started()) == 2, "two runs start")
        child.send_signal(signal.SIGHUP)
        said, _ = child.communicate(timeout=30)

    assert child.returncode == 0, said


def test_its_own_log_in_the_project_is_no_tampering(small: Project) -> None:
    (small.root / "g.yaml").write_text(GRID + "trials: 3\n")
    with (small.root / "nohup.out").open("w") as log:
        child = small.popen_into(log, "grid", "g.yaml", "--claude", str(small.claude), **KEY)
        child.communicate(timeout=60)

    assert child.returncode == 0, (small.root / "nohup.out").read_text()


def test_killed_outright_it_goes_on_with_what_has_no_row(small: Project) -> None:
    small.say("sleep", "0.3")
    (small.root / "grid.yaml").write_text(GRID + "trials: 6\njobs: 2\n")
    with small.popen("grid", "grid.yaml", "--claude", str(small.claude), **KEY) as child:
        wait_for(lambda: len(small.rows()) >= 4, "some rows")
        child.kill()
        child.communicate(timeout=30)
    code, said = small.grid(GRID + "trials: 6\n", **KEY)

    assert code == 0, said
    assert sorted(Counter((r.scenario, r.trial) for r in small.rows()).values()) == [1] * 12


def test_a_dry_run_starts_nothing_and_bounds_the_cost(small: Project) -> None:
    code, said = small.grid(GRID + "trials: 3\nbudget: {usd: 1, runs: 4}\n", "--dry-run")

    assert code == 0
    assert "6 cells: 6 to run, 0 finished" in said
    assert "at most $0.60 if each cell runs once, $1.80 with every retry" in said
    assert "the budget ends it at $1.00 and 4 runs" in said
    assert not small.started() and not small.results.exists()


def test_limits_of_the_grid_stand_for_those_of_the_scenario(small: Project) -> None:
    code, said = small.grid(GRID + "limits: {max_cost_usd: 0.2}\n", "--dry-run")
    assert code == 0 and "at most $0.40" in said


def test_tags_choose_scenarios(small: Project) -> None:
    small.grid(GRID + "tags: [first]\n", **KEY)
    assert {r.scenario for r in small.rows()} == {"A1"}


def test_shards_share_the_cells_without_overlap(small: Project) -> None:
    for number in (1, 2, 3):
        small.grid(GRID + "trials: 6\n", "--shard", f"{number}/3", **KEY)
    cells = Counter((r.scenario, r.trial) for r in small.rows())
    assert len(cells) == 12 and set(cells.values()) == {1}


def test_the_old_arm_has_the_plugin_of_the_ref(small: Project) -> None:
    import subprocess

    def git(*words: str) -> None:
        who = ("-c", "user.name=t", "-c", "user.email=t@example.org")
        subprocess.run(["git", *who, *words], cwd=small.root, check=True, capture_output=True)

    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "one")
    manifest = small.root / "fixtures/plugins/demo/.claude-plugin/plugin.json"
    manifest.write_text('{"name": "demo", "version": "2"}')
    code, said = small.grid(GRID + "arms: [old, new]\nscenarios: [A1]\nold: HEAD\n", **KEY)

    assert code == 0, said
    digests = {r.arm: r.plugin_digest for r in small.rows()}
    assert set(digests) == {"old", "new"} and digests["old"] != digests["new"]
    assert manifest.read_text() == '{"name": "demo", "version": "2"}'
