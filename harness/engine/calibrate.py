"""Every playbook through the real claude, against the outcome it declares."""

import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from msgspec import Struct

from harness.claude.binary import find_claude
from harness.engine.evaluate import Job, evaluate
from harness.engine.opening import open_setting
from harness.engine.own_plugin import apart
from harness.errors import UserError
from harness.loaders.suite import load_suites, project_root
from harness.model.cell import Cell
from harness.model.row import Row
from harness.model.scenario import ExpectedOutcome, Scenario, Suite
from harness.plan.digest import cell_digest
from harness.plan.expand import Selection, expand, select
from harness.report.terminal import Terminal
from harness.results.row_codec import axis_cell


class Request(Struct, frozen=True, kw_only=True):
    suites: tuple[str, ...]
    scenarios: tuple[str, ...]
    jobs: int
    results: Path | None
    sandbox: str
    claude: str | None


class Calibrated(Struct, frozen=True, kw_only=True):
    """One playbook's outcome beside the one it declares; outcomes as (status, verdict, axis a, axis b)."""

    scenario: str
    playbook: str
    kind: str
    expected: tuple[str, ...]
    found: tuple[str, ...]
    reason: str
    run: str

    @property
    def mismatch(self) -> bool:
        return self.expected != self.found


def calibrate(request: Request, *, root: Path, environ: Mapping[str, str]) -> list[Calibrated]:
    """Play all playbooks; in the order of scenarios and playbooks. Raises UserError before anything starts."""
    root = project_root(root)
    suites = load_suites(root, request.suites)
    claude = find_claude(request.claude, environ)
    with ExitStack() as stack:
        cells = _cells(apart(suites, stack), request)
        results = request.results or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="harness-")))
        setting = stack.enter_context(
            open_setting(
                cells,
                claude=claude,
                sandbox=request.sandbox,
                results=results,
                root=root,
                environ=environ,
            )
        )
        jobs = [
            Job(cell=c, digest=cell_digest(c, cli_version=claude.version, sandbox=setting.sandbox))
            for c in cells
        ]
        terminal = Terminal(total=len(jobs))
        outcome = evaluate(jobs, setting, lanes=request.jobs, watcher=terminal)
        terminal.close()
    if outcome.tampered:
        raise UserError(f"STOPPED: a run changed what it must not touch: {', '.join(outcome.tampered[:5])}")
    rows = {(r.suite, r.scenario, r.model): r for r in outcome.rows}
    return [_compare(c, rows[(c.suite.name, c.scenario.id, c.model)], results) for c in cells]


def _cells(suites: tuple[Suite, ...], request: Request) -> tuple[Cell, ...]:
    cells: list[Cell] = []
    for suite in suites:
        for scenario in select(suite, Selection(scenarios=request.scenarios)):
            if scenario.playbooks:
                cells += _of_scenario(suite, scenario)
    if not cells:
        raise UserError("no scenario asked for has a playbook; add playbooks/*.yaml or widen --scenario")
    return tuple(cells)


def _of_scenario(suite: Suite, scenario: Scenario) -> tuple[Cell, ...]:
    models = tuple(f"scripted:{name}" for name in scenario.playbooks)
    return expand([suite], Selection(scenarios=(scenario.id,), arms=("new",), models=models))


def _compare(cell: Cell, row: Row, results: Path) -> Calibrated:
    playbook = cell.scenario.playbooks[cell.model.partition(":")[2]]
    assert playbook.expect is not None, "the loader refuses a playbook without one"
    return Calibrated(
        scenario=cell.scenario.id,
        playbook=playbook.name,
        kind=playbook.kind,
        expected=_declared(playbook.expect),
        found=(row.status, row.pass_, row.axis_a, row.axis_b),
        reason=row.reason,
        run=str(results / "runs" / row.run_id),
    )


def _declared(expect: ExpectedOutcome) -> tuple[str, ...]:
    return (expect.status, expect.verdict, axis_cell(expect.axis_a), axis_cell(expect.axis_b))
