"""Saved runs judged again with today's checkers; a new row only where the outcome changed."""

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from msgspec import Struct, field, structs
from msgspec.structs import replace

from harness import __version__
from harness.checks.verdict import Propose, judge
from harness.engine.invocation import read_invocation
from harness.engine.recheck import record_of
from harness.errors import UserError
from harness.loaders.suite import load_suites, project_root
from harness.model.check import Finding, Judgement
from harness.model.row import Row
from harness.model.scenario import SKILLS, Suite, WriteExpectation
from harness.results.folder import RunFolder
from harness.results.record import record
from harness.results.row_codec import axis_cell, read_rows, time_cell

MARK = "rescored from "


class Change(Struct, frozen=True, kw_only=True):
    run_id: str
    scenario: str
    before: str
    after: str
    reason: str

    def __str__(self) -> str:
        return f"{self.run_id}: {self.before} -> {self.after}: {self.reason}"

    def as_dict(self) -> dict[str, str]:
        return structs.asdict(self)


class Rescored(Struct):
    changes: list[Change] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    judged: int = 0


def rescore(results: Path, run_ids: tuple[str, ...], *, root: Path, literal: bool) -> Rescored:
    """Judge the runs named, or all that have a row, again.

    Raises UserError where there are no results or a run is not known.
    """
    table = results / "results.tsv"
    if not table.is_file():
        raise UserError(f"there is no {table}; run `harness eval` first or give --results DIR")
    rows = {r.run_id: r for r in read_rows(table).rows}
    unknown = [run_id for run_id in run_ids if run_id not in rows]
    if unknown:
        raise UserError(f"{table} has no run {unknown[0]}; `cut -f11 {table}` lists them")
    done = Rescored()
    latest = _latest(rows.values())
    for run_id in run_ids or tuple(latest):
        _rescore_one(results, latest.get(run_id) or rows[run_id], done, root=root, literal=literal)
    return done


def _latest(rows: Iterable[Row]) -> dict[str, Row]:
    """Per original run the row that counts now: a rescored row stands for the run it was made from."""
    found: dict[str, Row] = {}
    for row in rows:
        origin = row.warnings.removeprefix(MARK) if row.warnings.startswith(MARK) else row.run_id
        found[origin] = row
    return found


def _rescore_one(results: Path, row: Row, done: Rescored, *, root: Path, literal: bool) -> None:
    origin = row.warnings.removeprefix(MARK) if row.warnings.startswith(MARK) else row.run_id
    folder = results / "runs" / origin
    try:
        invocation = read_invocation(folder)
        kept = record_of(folder)
    except (OSError, ValueError, KeyError, TypeError) as error:
        done.skipped.append(f"{origin}: its folder is not complete ({error})")
        return
    if invocation.suite.startswith(SKILLS):
        done.skipped.append(
            f"{origin}: a skill's gate needs the world, which is not kept; --fresh runs it again"
        )
        return
    (suite,) = load_suites(project_root(root), [invocation.suite])
    scenario = next((s for s in suite.scenarios if s.id == invocation.scenario), None)
    if scenario is None:
        done.skipped.append(f"{origin}: scenario {invocation.scenario} is no longer in the suite")
        return
    propose = _as_before(row) if isinstance(scenario.expect, WriteExpectation) else None
    judged = judge(kept, _literal(suite) if literal else suite, scenario, propose)
    done.judged += 1
    after = _rescored_row(row, judged, origin)
    if _outcome(after) != _outcome(row):
        _write(results, after, judged)
        done.changes.append(_change(row, after, origin))


def _literal(suite: Suite) -> Suite:
    return replace(suite, consult=replace(suite.consult, literal=True))


def _as_before(row: Row) -> Propose:
    """The proposal judge's answer of then: rescoring asks no model."""
    value = {"true": True, "false": False}.get(row.axis_b)
    return lambda _: Finding(name="axis_b", value=value, reason="the proposal judge's answer of the run")


def _outcome(row: Row) -> tuple[str, ...]:
    return (row.axis_a, row.axis_b, row.pass_, row.status)


def _rescored_row(row: Row, judged: Judgement, origin: str) -> Row:
    now = datetime.now(UTC)
    return replace(
        row,
        axis_a=axis_cell(judged.axis_a),
        axis_b=axis_cell(judged.axis_b),
        pass_=judged.verdict.value,
        status=judged.status.value,
        reason=judged.reason,
        run_id=f"{origin}-r{now:%Y%m%dT%H%M%S%f}",
        harness_version=__version__,
        started_at=time_cell(now),
        warnings=MARK + origin,
    )


def _write(results: Path, row: Row, judged: Judgement) -> None:
    import orjson

    path = results / "runs" / row.run_id
    path.mkdir(parents=True)
    folder = RunFolder(run_id=row.run_id, path=path)
    folder.write("checks.json", orjson.dumps(judged, default=structs.asdict, option=orjson.OPT_INDENT_2))
    record(results, folder, row)


def _change(before: Row, after: Row, origin: str) -> Change:
    def told(row: Row) -> str:
        return f"{row.pass_} (a={row.axis_a} b={row.axis_b}, {row.status})"

    return Change(
        run_id=origin, scenario=before.scenario, before=told(before), after=told(after), reason=after.reason
    )
