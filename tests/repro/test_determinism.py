"""The proof that replaying means something: run after run comes to the same, and what was broken shows first."""

import os
import shutil
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from msgspec.structs import asdict

from harness.model.row import Row
from harness.repro.outcome import Reproduced
from harness.repro.past import open_past
from tests.repro.lab import NAMES, Lab

OF_THE_RUN = {
    *("run_id", "started_at", "duration_s", "cost_usd"),
    "wire",  # says where the answers came from
    *("cell_digest", "seed"),  # of the plan that the run was part of
}
TRIALS, REPLAYS = (4, 3) if os.environ.get("HARNESS_PROOF") else (1, 1)


def counts(row: Row | None) -> dict[str, str]:
    assert row is not None
    return {name: value for name, value in asdict(row).items() if name not in OF_THE_RUN}


def all_again(lab: Lab, ids: Iterable[str]) -> list[Reproduced]:
    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(lab.again, ids))


@pytest.mark.timeout(900)
def test_every_replay_of_every_run_is_the_run(lab: Lab) -> None:
    """With HARNESS_PROOF set: 20 runs, each replayed three times."""
    runs = lab.run(*NAMES, trials=TRIALS)
    replays = all_again(lab, [run_id for run_id in runs for _ in range(REPLAYS)])
    rows = {run_id: counts(open_past(run_id, lab.results, lab.home).row) for run_id in runs}
    assert len(replays) == len(NAMES) * TRIALS * REPLAYS
    assert [r.difference for r in replays] == [None] * len(replays)
    assert [(r.calls, r.world, r.not_asked, r.failure) for r in replays] == [("", (), (), "")] * len(replays)
    assert [counts(r.row) for r in replays] == [rows[r.run_id] for r in replays]


def test_a_hook_that_was_broken_is_the_first_difference_in_every_run(lab: Lab, tmp_path: Path) -> None:
    runs = lab.run("ideal", "parallel")
    plugin = tmp_path / "demo"
    shutil.copytree(lab.root / "fixtures/plugins/demo", plugin)
    (plugin / "hooks/hooks.json").write_text('{"hooks": {}}')
    found = [lab.again(run_id, plugin=plugin) for run_id in runs]
    assert [r.difference.request if r.difference else 0 for r in found] == [1, 1]
    assert all("-SessionStart:startup hook success: decisions live in" in r.seen for r in found)


def test_a_tool_that_answers_otherwise_is_the_first_difference(lab: Lab) -> None:
    (run_id,) = lab.run("random")
    again = lab.again(run_id)
    assert again.difference is not None
    assert (again.code, again.difference.request) == (1, 2)
    assert again.difference.path.startswith("messages[3].content[0].content")
