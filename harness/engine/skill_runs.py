"""The finished runs of a case read back from their folders, and the proof that its arms were run alike."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

import orjson
from msgspec import structs
from msgspec.structs import replace

from harness.engine.invocation import read_invocation
from harness.engine.recheck import first_body
from harness.engine.skill_cell import GATE
from harness.judges.material import output_of
from harness.model.case import ArmName
from harness.model.cell import Cell
from harness.model.event import Usage
from harness.model.judge import Output
from harness.model.outcome import Verdict
from harness.model.row import Row
from harness.skills.arms import differences
from harness.skills.evaluate import ArmRun
from harness.skills.gate import GateResult, read_gate
from harness.skills.request import request_lines, unlike
from harness.world.changes import from_json

MAY_DIFFER = (
    *("run_id", "arm", "attempt", "started_at", "plugin_digest", "scenario_digest", "cell_digest", "skill"),
    # Of two calls of harness that share one results folder; the contents are in the digests of the cells.
    *("fixture", "harness_version", "claude_path", "claude_source"),
)
_GATEWAY = "ANTHROPIC_BASE_URL"
"""Its port is another in every call of harness."""


def arm_runs(cells: Sequence[Cell], rows: Mapping[str, Row], results: Path) -> tuple[ArmRun, ...]:
    """One a cell of a case and model, in their order; ``rows``: by cell, as ``row_of_cell`` names it.

    An arm that was not run as new was, in the same trial, is invalid: nothing that is said of the two would
    be about the skill.
    """
    runs = [arm_run(cell, rows.get(cell_name(cell)), results) for cell in cells]
    new = {run.trial: run for run in runs if run.arm == "new"}
    names = {cell.suite.plugin.name for cell in cells}
    return tuple(_matched(run, new.get(run.trial), names, results) for run in runs)


def cell_name(cell: Cell) -> str:
    return "\x1f".join(map(str, cell.key))


def arm_run(cell: Cell, row: Row | None, results: Path) -> ArmRun:
    name = cast("ArmName", cell.arm.name)
    if row is None:
        return _nothing(name, cell.trial, "not there: it was not run")
    folder = results / "runs" / row.run_id
    try:
        return _read(name, cell, row, folder)
    except (OSError, ValueError) as error:
        return _nothing(name, cell.trial, row.reason or f"not complete: {error}")


def _nothing(arm: ArmName, trial: int, why: str) -> ArmRun:
    return ArmRun(
        arm=arm,
        trial=trial,
        invalid=why,
        gate=GateResult(results=()),
        passed=False,
        output=Output(message=""),
        usage=Usage(),
    )


def _read(arm: ArmName, cell: Cell, row: Row, folder: Path) -> ArmRun:
    invocation = read_invocation(folder)
    own = _own_folders(invocation.world, invocation.sandbox)
    gate = read_gate(folder / GATE) if (folder / GATE).is_file() else GateResult(results=())
    return ArmRun(
        arm=arm,
        trial=cell.trial,
        invalid=(row.reason or "invalid") if row.pass_ == Verdict.INVALID else "",
        gate=gate,
        passed=row.pass_ == Verdict.PASS,
        output=run_output(folder),
        usage=_usage(row),
        run_id=row.run_id,
        duration_s=_number(row.duration_s),
        tells=tuple(filter(None, (row.run_id, row.plugin_digest, row.scenario_digest, row.cell_digest))),
        roots=(
            *(path for path, _ in own),
            invocation.world,
            *(invocation.env[n] for n in ("CLAUDE_CONFIG_DIR", "HOME") if n in invocation.env),
            str(folder),
        ),
    )


def run_output(folder: Path) -> Output:
    """What a judge may read of a run folder. Raises OSError or ValueError where it is not complete."""
    message = (folder / "output.md").read_text(encoding="utf-8", errors="replace")
    return output_of(message, from_json((folder / "changes.json").read_bytes()))


def _usage(row: Row) -> Usage:
    return Usage(
        input_tokens=int(_number(row.input_tokens) or 0),
        output_tokens=int(_number(row.output_tokens) or 0),
        cache_read_tokens=int(_number(row.cache_read_tokens) or 0),
        cache_write_tokens=int(_number(row.cache_write_tokens) or 0),
        cost_usd=_number(row.cost_usd) or 0.0,
    )


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _own_folders(world: str, sandbox: str) -> tuple[tuple[str, str], ...]:
    """The folders of a run that lie elsewhere in every run, with what stands for them. A jail has none."""
    return () if sandbox.startswith("jail") else ((str(Path(world).parent), "<run>"),)


def _matched(run: ArmRun, new: ArmRun | None, names: set[str], results: Path) -> ArmRun:
    if new is None or run.arm == "new" or run.invalid or new.invalid:
        return run
    found = run_differences(results / "runs" / new.run_id, results / "runs" / run.run_id, run.arm, names)
    return replace(run, invalid=f"not run as new was: {'; '.join(found[:3])}") if found else run


def run_differences(new: Path, other: Path, arm: str, names: set[str]) -> tuple[str, ...]:
    """What the launch records and the first requests of two run folders differ in beyond the skill itself."""
    launches = differences([("new", _launch(new)), (arm, _launch(other))], MAY_DIFFER)
    return launches or unlike(("new", _request(new)), (arm, _request(other)), names)


def _launch(folder: Path) -> dict[str, object]:
    invocation = read_invocation(folder)
    text = orjson.dumps(structs.asdict(invocation)).decode()
    for path, instead in _own_folders(invocation.world, invocation.sandbox):
        text = text.replace(path, instead)
    record = orjson.loads(text)
    assert isinstance(record, dict), "a record is written as an object"
    record["env"].pop(_GATEWAY, None)
    return record


def _request(folder: Path) -> str:
    invocation = read_invocation(folder)
    return request_lines(first_body(folder), _own_folders(invocation.world, invocation.sandbox))
