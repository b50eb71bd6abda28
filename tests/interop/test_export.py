"""What skill-creator's tools read from an export, by the rules that they read by."""

from pathlib import Path

import orjson
import pytest
from msgspec.structs import replace

from harness.interop.export import Against, ExportRun, export_workspace
from harness.judges.grader import Expectation
from harness.model.judge import Output


def run(
    new: bool, number: int, *passed: bool, seconds: float | None = 2.0, tokens: int | None = 100
) -> ExportRun:
    made = tuple(Expectation(text=f"t{n}", passed=p, evidence="e") for n, p in enumerate(passed))
    return ExportRun(
        eval_id=1,
        eval_name="one",
        prompt="p",
        new=new,
        run=number,
        expectations=made or None,
        output=Output(message="hi", files={"a/b.md": "x"}),
        duration_s=seconds,
        tokens=tokens,
    )


def export(dest: Path, *runs: ExportRun, against: Against = "baseline") -> dict[str, object]:
    at = "2026-01-01T00:00:00Z"
    made = export_workspace(dest, runs, against=against, skill="s", model="m", judge_model="j", at=at)
    data = orjson.loads(made.read_bytes())
    assert isinstance(data, dict)
    return data


@pytest.mark.parametrize(
    ("against", "names"), [("baseline", ["with_skill", "without_skill"]), ("old", ["new_skill", "old_skill"])]
)
def test_the_delta_is_new_minus_the_other(tmp_path: Path, against: Against, names: list[str]) -> None:
    runs = (run(False, 1, True, False, seconds=5.0, tokens=300), run(True, 1, True, True))
    data = export(tmp_path, *runs, against=against)
    summary = data["run_summary"]
    assert isinstance(summary, dict)
    assert list(summary) == [*names, "delta"]
    assert names == sorted(names)
    assert summary["delta"] == {"pass_rate": "+0.50", "time_seconds": "-3.0", "tokens": "-200"}


def test_each_run_is_laid_out_as_the_aggregation_reads_it(tmp_path: Path) -> None:
    export(tmp_path, run(True, 2, True, False))
    folder = tmp_path / "eval-1" / "with_skill" / "run-2"
    grading = orjson.loads((folder / "grading.json").read_bytes())
    assert grading["summary"] == {"passed": 1, "failed": 1, "total": 2, "pass_rate": 0.5}
    assert "timing" not in grading, "with it, tokens would be read as 0 from timing.json"
    assert orjson.loads((folder / "timing.json").read_bytes()) == {
        "total_tokens": 100,
        "duration_ms": 2000,
        "total_duration_seconds": 2.0,
    }
    assert (folder / "outputs" / "a" / "b.md").read_text() == "x"
    assert orjson.loads((tmp_path / "eval-1" / "eval_metadata.json").read_bytes())["eval_id"] == 1


def test_what_is_not_known_is_never_a_zero(tmp_path: Path) -> None:
    data = export(
        tmp_path,
        run(True, 1, True, seconds=None, tokens=None),
        run(True, 2, True),
        run(True, 3),
        run(False, 1, True),
    )
    summary, runs, notes = data["run_summary"], data["runs"], data["notes"]
    assert isinstance(summary, dict)
    assert isinstance(runs, list)
    assert isinstance(notes, list)
    assert summary["with_skill"]["tokens"]["mean"] == 100
    assert summary["with_skill"]["pass_rate"]["mean"] == 1
    assert "tokens" not in runs[0]["result"]
    assert [r["run_number"] for r in runs if r["configuration"] == "with_skill"] == [1, 2]
    assert len(notes) == 2
    assert not (tmp_path / "eval-1/with_skill/run-3").exists()


def test_without_the_other_side_there_is_no_delta(tmp_path: Path) -> None:
    summary = export(tmp_path, run(True, 1, True))["run_summary"]
    assert isinstance(summary, dict)
    assert summary["delta"] == {}
    assert summary["without_skill"] == {}


def test_an_output_cannot_leave_its_folder(tmp_path: Path) -> None:
    bad = replace(run(True, 1, True), output=Output(message="x", files={"../../../../x": "y"}))
    with pytest.raises(ValueError, match="outside its folder"):
        export(tmp_path / "a" / "b", bad)
