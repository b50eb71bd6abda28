"""Logs for Inspect, read back with the real package where it is installed."""

from pathlib import Path

import orjson
import pytest

from harness.model.row import Row
from harness.report.inspect_log import write_logs
from tests.report.runs import PLAIN, add_run
from tests.results.rows import a_row


def rows(results: Path) -> list[Row]:
    made = [
        a_row(run_id="r1"),
        a_row(run_id="r2", trial="2", pass_="fail", axis_b="false"),
        a_row(run_id="r3", trial="3", pass_="invalid", status="api_error", axis_b="n/a"),
        a_row(run_id="r4", arm="baseline", pass_="invalid", axis_a="n/a", axis_b="n/a"),
    ]
    for row in made:
        add_run(results, row, PLAIN)
    return made


def test_an_arm_is_a_log_and_what_is_invalid_is_in_no_accuracy(tmp_path: Path) -> None:
    new, baseline = (
        orjson.loads(p.read_bytes()) for p in write_logs(rows(tmp_path), tmp_path, tmp_path / "logs")
    )
    scores = {
        s["name"]: (s["metrics"]["accuracy"]["value"], s["scored_samples"]) for s in new["results"]["scores"]
    }
    assert scores == {"verdict": (0.5, 2), "axis_a": (1.0, 2), "axis_b": (0.5, 2)}
    assert baseline["results"]["scores"] == []


def test_the_real_package_reads_them(tmp_path: Path) -> None:
    log = pytest.importorskip("inspect_ai.log", reason="inspect_ai is not installed (pip install inspect_ai)")
    paths = write_logs(rows(tmp_path), tmp_path, tmp_path / "logs")
    read = log.read_eval_log(str(paths[0]))
    assert (read.status, read.eval.task, read.eval.model) == ("success", "os-adr-new", "haiku")
    assert [(s.id, s.epoch, bool(s.error)) for s in read.samples] == [
        ("R1", 1, False),
        ("R1", 2, False),
        ("R1", 3, True),
    ]
    assert [m.role for m in read.samples[0].messages] == ["user", "assistant", "tool", "assistant"]
    assert read.samples[0].messages[1].tool_calls[0].function == "Read"
    assert {name: s.value for name, s in read.samples[1].scores.items()} == {
        "verdict": "I",
        "axis_a": "C",
        "axis_b": "I",
    }
    assert len(log.list_eval_logs(str(tmp_path / "logs"))) == 2
