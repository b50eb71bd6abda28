"""A kept evaluation of a skill as a workspace of skill-creator."""

from collections.abc import Mapping
from pathlib import Path

import orjson
from msgspec import Struct

from harness.claude.fields import items, mapping, text
from harness.engine.invocation import read_invocation
from harness.engine.skill_runs import run_output
from harness.errors import UserError
from harness.interop.export import Against, ExportRun, export_workspace
from harness.judges.grader import Expectation
from harness.model.row import Row
from harness.results.folder import VERDICTS
from harness.results.latest import iterate
from harness.results.record import TABLE

_TOKENS = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")


def latest_evaluations(results: Path) -> tuple[Mapping[str, object], ...]:
    """The last one of each skill and model. Raises UserError where there is none."""
    found: dict[tuple[str, str], Mapping[str, object]] = {}
    for path in sorted((results / VERDICTS).glob("*.json")):  # names begin with their time
        data = mapping(orjson.loads(path.read_bytes()))
        found[text(data.get("skill")), text(data.get("model"))] = data
    if not found:
        raise UserError(
            f"there is no evaluation in {results / VERDICTS}; run `harness eval --skills ROOT` first"
        )
    return tuple(found[key] for key in sorted(found))


def export_evaluation(evaluation: Mapping[str, object], results: Path, out: Path) -> tuple[Path, ...]:
    """Write ``OUT/<skill>-<model>/against-<arm>/`` for each arm that new was compared with; returns the benchmarks."""
    skill, model = text(evaluation.get("skill")), text(evaluation.get("model"))
    rows = {row.run_id: row for row in iterate(results / TABLE)}
    made: list[Path] = []
    sides: tuple[Against, ...] = ("baseline", "old")
    for against in sides:
        source = _Source(results=results, rows=rows, against=against)
        runs = [
            r for n, case in enumerate(items(evaluation.get("cases"))) for r in source.runs(n, mapping(case))
        ]
        if not any(not run.new for run in runs):
            continue
        dest = out / f"{skill}-{model}".replace("/", "-").replace(":", "-") / f"against-{against}"
        if dest.exists():
            raise UserError(f"{dest} exists already; move it away or give another --out")
        made.append(
            export_workspace(
                dest,
                runs,
                against=against,
                skill=skill,
                model=model,
                judge_model=text(evaluation.get("judge_model")),
                at=text(evaluation.get("made_at")),
                notes=[f"{text(evaluation.get('recommendation'))}: {text(evaluation.get('reason'))}"],
            )
        )
    return tuple(made)


class _Source(Struct, frozen=True, kw_only=True):
    results: Path
    rows: Mapping[str, Row]
    against: Against

    def runs(self, number: int, case: Mapping[str, object]) -> list[ExportRun]:
        gradings = mapping(case.get("gradings"))
        kept = [mapping(run) for run in items(case.get("runs"))]
        return [
            self._run(number, case, run, mapping(gradings.get(f"{run.get('arm')}/{run.get('trial')}")))
            for run in kept
            if run.get("arm") in ("new", self.against) and run.get("run_id")
        ]

    def _run(
        self,
        number: int,
        case: Mapping[str, object],
        run: Mapping[str, object],
        grading: Mapping[str, object],
    ) -> ExportRun:
        folder = self.results / "runs" / text(run.get("run_id"))
        row = self.rows.get(folder.name)
        trial = run.get("trial")
        return ExportRun(
            eval_id=number,
            eval_name=text(case.get("case")),
            prompt=read_invocation(folder).prompt,
            new=run.get("arm") == "new",
            run=trial if isinstance(trial, int) else 1,
            expectations=None if run.get("invalid") else _expectations(run, grading),
            output=run_output(folder),
            duration_s=float(row.duration_s) if row is not None and row.duration_s else None,
            tokens=_tokens(row) if row is not None else None,
        )


def _tokens(row: Row) -> int | None:
    cells = [getattr(row, name) for name in _TOKENS]
    return sum(map(int, cells)) if all(cells) else None


def _expectations(run: Mapping[str, object], grading: Mapping[str, object]) -> tuple[Expectation, ...]:
    """Every hard assertion with what came of it, then every soft criterion that was graded."""
    lines = [mapping(r) for r in items(mapping(run.get("gate")).get("results"))]
    hard = [
        Expectation(
            text=text(line.get("text")),
            passed=line.get("outcome") == "pass",
            evidence=f"case.md:{line.get('line')}: {text(line.get('reason')) or 'exit 0'}",
        )
        for line in lines
    ]
    graded = [mapping(e) for e in items(grading.get("expectations"))]
    soft = [
        Expectation(
            text=text(e.get("text")), passed=e.get("passed") is True, evidence=text(e.get("evidence"))
        )
        for e in graded
    ]
    return (*hard, *soft)
