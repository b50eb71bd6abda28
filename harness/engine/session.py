"""One ``harness eval`` or ``harness grid``: everything checked first, then run, then told."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from harness.claude.binary import Claude, find_claude
from harness.engine.box import choose_kind
from harness.engine.evaluate import Outcome, Rules, run_all
from harness.engine.inputs import keep_inputs
from harness.engine.job import Engine
from harness.engine.local import LocalEngine, affordable_lanes
from harness.engine.opening import open_setting
from harness.engine.planning import Plan, choose_cells, make_plan
from harness.engine.setting import Setting
from harness.engine.stopping import Stopping, stopping
from harness.engine.telling import exit_code, last_verdicts, tell
from harness.engine.weather import Weather
from harness.errors import AuthoringError, UserError
from harness.lint.rules import lint_suites
from harness.loaders.suite import project_root
from harness.model.cell import Cell
from harness.model.grid import Grid
from harness.plan.shard import Shard
from harness.report.plan import plan_text
from harness.report.terminal import Terminal
from harness.results.record import recover


class Options(Struct, frozen=True, kw_only=True):
    """What a command adds to a grid: how to run it this time."""

    results: Path
    claude: str | None = None
    fresh: bool = False
    keep: bool = False
    json: bool = False
    dry_run: bool = False
    shard: Shard | None = None
    lint: bool = True
    record: bool = True
    """Write down what passes between claude and the model."""


def run_grid(grid: Grid, options: Options, *, root: Path, environ: Mapping[str, str]) -> int:
    """Run what was asked for; the exit code. Raises UserError before anything starts."""
    root = project_root(root)
    with ExitStack() as stack:
        cells = choose_cells(grid, root, options.shard, stack)
        warnings = _linted(cells, options)
        claude = find_claude(options.claude, environ)
        kind = choose_kind(grid.sandbox)
        repairs = () if options.dry_run else recover(options.results).repairs
        plan = make_plan(
            cells,
            grid,
            claude=claude,
            sandbox=kind,
            results=options.results,
            fresh=options.fresh,
            shard=options.shard,
        )
        if options.dry_run:
            print(dry_run_text(plan, grid, claude, kind))
            return 0
        terminal = Terminal(total=len(plan.jobs), results=options.results)
        for repair in repairs:
            terminal.say(repair.text)
        _say_left_out(plan, terminal)
        outcome, asked = run_plan(plan, grid, options, claude, root, environ, terminal, warnings)
    last = last_verdicts(options.results, plan.digests)
    tell(plan, outcome, last, options.results, terminal, json=options.json)
    return exit_code(plan, outcome, last, interrupted=asked.drain.is_set())


def _linted(cells: tuple[Cell, ...], options: Options) -> tuple[str, ...]:
    """Warnings for every row where the user overrides what lint found. Raises AuthoringError otherwise."""
    found = lint_suites({cell.suite.name: cell.suite for cell in cells}.values())
    if found and options.lint:
        raise AuthoringError(found)
    return (f"run although lint found {len(found)} problems",) if found else ()


def dry_run_text(plan: Plan, grid: Grid, claude: Claude, sandbox: str) -> str:
    return plan_text(
        [job.cell for job in plan.jobs],
        plan,
        grid,
        cells=len(plan.cells),
        finished=plan.finished,
        exhausted=plan.exhausted,
        seed=plan.seed,
        about=f"claude {claude.version} ({claude.source}), sandbox {sandbox}",
    )


def _say_left_out(plan: Plan, terminal: Terminal) -> None:
    if plan.finished:
        terminal.say(
            f"{plan.finished} of {len(plan.cells)} cells have a valid row already; --fresh runs them again"
        )
    if plan.exhausted:
        terminal.say(
            f"{plan.exhausted} cells came out invalid as often as is allowed; --fresh or --retries tries them again"
        )
    if plan.seed is not None:
        terminal.say(f"order from seed {plan.seed}")


def run_plan(
    plan: Plan,
    grid: Grid,
    options: Options,
    claude: Claude,
    root: Path,
    environ: Mapping[str, str],
    terminal: Terminal,
    warnings: tuple[str, ...],
) -> tuple[Outcome, Stopping]:
    """Run the jobs of a plan, with the signals of the user heard; what they asked for comes back too."""
    asked = Stopping()
    rules = Rules(
        seed="" if plan.seed is None else str(plan.seed),
        ledger=plan.ledger,
        weather=Weather(max_wait_s=grid.max_wait_s),
        keep_rows=False,
    )
    with (
        open_setting(
            plan.cells,
            claude=claude,
            sandbox=grid.sandbox,
            results=options.results,
            root=root,
            environ=environ,
            keep=options.keep,
            warnings=warnings,
        ) as setting,
        _engine(grid, plan, replace(setting, record=options.record), options, terminal) as engine,
        stopping(asked, terminal.say, engine.end_running),
    ):
        for warning in keep_inputs((job.cell for job in plan.jobs), options.results):
            terminal.say(warning)
        outcome = run_all(plan.jobs, engine, setting, rules=rules, asked=asked, watcher=terminal)
    terminal.close()
    return outcome, asked


@contextmanager
def _engine(
    grid: Grid, plan: Plan, setting: Setting, options: Options, terminal: Terminal
) -> Iterator[Engine]:
    if grid.engine == "dask":
        from harness.engine.dask import open_dask  # the extra `cluster`, and half a second to import

        if not options.record:
            raise UserError("workers of a cluster always record; leave out --wire none")
        with open_dask(grid, plan.cells, setting, claude=options.claude, say=terminal.say) as remote:
            yield remote
        return
    lanes = min(affordable_lanes(grid.jobs), max(1, len(plan.jobs)))
    if lanes < min(grid.jobs, len(plan.jobs)):
        terminal.say(f"there is free memory for {lanes} runs at once, not {grid.jobs}: running {lanes}")
    with LocalEngine(setting, lanes) as local:
        yield local
