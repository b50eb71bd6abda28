"""Results as a workspace that skill-creator's aggregation and viewer read.

Two things that they do make this more than copying: time *and* tokens are read from ``timing.json`` only while
``grading.json`` holds no timing, and a number that is missing is shown as 0. So timing stands in ``timing.json``
alone, a run without a grading is left out and named in the notes, and statistics hold known values only.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean, stdev
from typing import Literal

import orjson
from msgspec import Struct

from harness.judges.grader import Expectation
from harness.model.judge import Output

Against = Literal["baseline", "old"]
CONFIGURATIONS: Mapping[Against, tuple[str, str]] = {
    "baseline": ("with_skill", "without_skill"),
    "old": ("new_skill", "old_skill"),
}
"""(new, the other): in this order they are sorted as well, so a delta is always new minus the other."""


class ExportRun(Struct, frozen=True, kw_only=True):
    """One run of new, or of what it is compared with. None: not known, which is not 0."""

    eval_id: int
    eval_name: str
    prompt: str
    new: bool
    run: int
    expectations: tuple[Expectation, ...] | None
    output: Output
    duration_s: float | None
    tokens: int | None
    tool_calls: int | None = None


def _items(expectations: Sequence[Expectation]) -> list[dict[str, object]]:
    return [{"text": e.text, "passed": e.passed, "evidence": e.evidence} for e in expectations]


def _counts(expectations: Sequence[Expectation]) -> dict[str, object]:
    passed, total = sum(e.passed for e in expectations), len(expectations)
    rate = {"pass_rate": round(passed / total, 4)} if total else {}
    return {"passed": passed, "failed": total - passed, "total": total, **rate}


def grading_with_summary(expectations: Sequence[Expectation]) -> dict[str, object]:
    """skill-creator's grading.json: the expectations, and the summary without which its aggregation shows 0."""
    return {"expectations": _items(expectations), "summary": _counts(expectations)}


def timing(run: ExportRun) -> dict[str, object]:
    """What is known of timing.json."""
    made: dict[str, object] = {}
    if run.tokens is not None:
        made["total_tokens"] = run.tokens
    if run.duration_s is not None:
        made["duration_ms"] = round(run.duration_s * 1000)
        made["total_duration_seconds"] = round(run.duration_s, 3)
    return made


def _write(path: Path, data: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(orjson.dumps(data, option=orjson.OPT_INDENT_2) + b"\n")


def _stats(values: Sequence[float]) -> dict[str, float]:
    spread = stdev(values) if len(values) > 1 else 0.0
    return {
        "mean": round(fmean(values), 4),
        "stddev": round(spread, 4),
        "min": round(min(values), 4),
        "max": round(max(values), 4),
    }


def _rate(run: ExportRun) -> float | None:
    graded = run.expectations
    return sum(e.passed for e in graded) / len(graded) if graded else None


def _measured(runs: Sequence[ExportRun]) -> dict[str, list[float]]:
    columns: dict[str, Sequence[float | None]] = {
        "pass_rate": [_rate(r) for r in runs],
        "time_seconds": [r.duration_s for r in runs],
        "tokens": [r.tokens for r in runs],
    }
    return {name: [float(v) for v in values if v is not None] for name, values in columns.items()}


def _summary(
    new: Sequence[ExportRun], other: Sequence[ExportRun], names: tuple[str, str]
) -> dict[str, object]:
    here, there = _measured(new), _measured(other)
    formats = {"pass_rate": "+.2f", "time_seconds": "+.1f", "tokens": "+.0f"}
    delta = {
        name: format(fmean(here[name]) - fmean(there[name]), how)
        for name, how in formats.items()
        if here[name] and there[name]
    }
    stats = [{n: _stats(v) for n, v in columns.items() if v} for columns in (here, there)]
    return {names[0]: stats[0], names[1]: stats[1], "delta": delta}


def _bench_run(run: ExportRun, configuration: str) -> dict[str, object]:
    assert run.expectations is not None, "only graded runs are exported"
    result = {
        **_counts(run.expectations),
        "time_seconds": run.duration_s,
        "tokens": run.tokens,
        "tool_calls": run.tool_calls,
    }
    return {
        "eval_id": run.eval_id,
        "eval_name": run.eval_name,
        "configuration": configuration,
        "run_number": run.run,
        "result": {k: v for k, v in result.items() if v is not None},
        "expectations": _items(run.expectations),
        "notes": [],
    }


def benchmark(
    runs: Sequence[ExportRun],
    *,
    against: Against,
    skill: str,
    model: str,
    judge_model: str,
    at: str,
    notes: Sequence[str],
) -> dict[str, object]:
    """benchmark.json over the graded runs, new first."""
    names = CONFIGURATIONS[against]
    graded = [r for r in runs if r.expectations]
    new, other = [r for r in graded if r.new], [r for r in graded if not r.new]
    counts = {n: [r.eval_id for r in side] for n, side in zip(names, (new, other), strict=True)}
    most = max((ids.count(i) for ids in counts.values() for i in ids), default=0)
    return {
        "metadata": {
            "skill_name": skill,
            "executor_model": model,
            "analyzer_model": judge_model,
            "timestamp": at,
            "evals_run": sorted({r.eval_id for r in graded}),
            "runs_per_configuration": most,
        },
        "runs": [_bench_run(r, names[0]) for r in new] + [_bench_run(r, names[1]) for r in other],
        "run_summary": _summary(new, other, names),
        "notes": [*notes, *_gaps(runs)],
    }


def _gaps(runs: Sequence[ExportRun]) -> list[str]:
    found: list[str] = []
    for run in runs:
        side = "new" if run.new else "the other"
        where = f"eval {run.eval_id}, {side}, run {run.run}"
        if not run.expectations:
            found.append(f"{where} has no grading and is left out of every rate")
        elif run.duration_s is None or run.tokens is None:
            found.append(f"{where} has no time or no token count; the means leave it out")
    return found


def export_workspace(
    dest: Path,
    runs: Sequence[ExportRun],
    *,
    against: Against,
    skill: str,
    model: str,
    judge_model: str,
    at: str,
    notes: Sequence[str] = (),
) -> Path:
    """Write ``eval-N/CONFIGURATION/run-K/`` and ``benchmark.json`` below the new folder ``dest``; returns the latter."""
    names = CONFIGURATIONS[against]
    for run in runs:
        if not run.expectations:
            continue
        folder = dest / f"eval-{run.eval_id}" / names[0 if run.new else 1] / f"run-{run.run}"
        metadata = {
            "eval_id": run.eval_id,
            "eval_name": run.eval_name,
            "prompt": run.prompt,
            "assertions": [{"name": f"a{n}", "description": e.text} for n, e in enumerate(run.expectations)],
        }
        _write(folder / "eval_metadata.json", metadata)
        _write(folder.parent.parent / "eval_metadata.json", metadata)
        _write(folder / "grading.json", grading_with_summary(run.expectations))
        _write(folder / "timing.json", timing(run))
        outputs = folder / "outputs"
        for name, text in {"output.md": run.output.message, **run.output.files}.items():
            path = outputs / name
            if not path.resolve().is_relative_to(outputs.resolve()):
                raise ValueError(f"an output is called {name!r}, which lies outside its folder")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", errors="surrogatepass")
    made = dest / "benchmark.json"
    _write(
        made,
        benchmark(
            runs, against=against, skill=skill, model=model, judge_model=judge_model, at=at, notes=notes
        ),
    )
    return made
