"""A grid's choices as jobs: every choice checked, finished cells left out, the rest in its order."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec import Struct, field

from harness.claude.binary import Claude
from harness.engine.job import Job
from harness.engine.own_plugin import apart, holds_project
from harness.engine.run_cell import limits_of, playbook_of
from harness.errors import UserError
from harness.loaders.suite import load_suites
from harness.model.cell import Cell, CellKey
from harness.model.grid import Grid
from harness.model.outcome import Status, Verdict
from harness.model.row import Row
from harness.model.scenario import Suite
from harness.plan.budget import Ledger
from harness.plan.digest import cell_digest
from harness.plan.expand import Selection, expand
from harness.plan.order import draw_seed, interleave
from harness.plan.resume import sift
from harness.plan.shard import Shard
from harness.results.latest import iterate
from harness.results.record import TABLE
from harness.world.git_tree import folder_at
from harness.world.project import strip


class Plan(Struct, frozen=True, kw_only=True):
    jobs: list[Job]
    """What is to be run, in this order."""
    digests: frozenset[str]
    """Of all cells of the grid, those with a row included."""
    finished: int
    exhausted: int
    """Cells left invalid as often as is allowed."""
    seed: int | None
    ledger: Ledger
    cells: tuple[Cell, ...]
    """All cells, in plan order."""

    @property
    def first_usd(self) -> float | None:
        """The most that one run of each job can cost by its cap; None where a job has no cap."""
        return _sum(_cap(job) for job in self.jobs)

    @property
    def most_usd(self) -> float | None:
        """As ``first_usd``, with every job run as often as is allowed."""
        caps = [(job.tries_left, _cap(job)) for job in self.jobs]
        return _sum(None if cap is None else tries * cap for tries, cap in caps)


def _cap(job: Job) -> float | None:
    return limits_of(job.cell, playbook_of(job.cell)).max_cost_usd


def _sum(values: Iterable[float | None]) -> float | None:
    total = 0.0
    for value in values:
        if value is None:
            return None
        total += value
    return total


def choose_cells(grid: Grid, root: Path, shard: Shard | None, stack: ExitStack) -> tuple[Cell, ...]:
    """The cells of a grid (or of a share of it). What is made for them is on disk until ``stack`` closes."""
    suites = load_suites(root, grid.suites)
    selection = Selection(
        scenarios=grid.scenarios,
        tags=grid.tags,
        arms=grid.arms,
        models=grid.models,
        trials=grid.trials,
        limits=grid.limits,
        old=_old_plugins(suites, grid, root, stack),
    )
    cells = expand(apart(suites, stack), selection)
    return tuple(shard.part(cells, _key)) if shard is not None else cells


def _key(cell: Cell) -> CellKey:
    return cell.key


def _old_plugins(suites: Iterable[Suite], grid: Grid, root: Path, stack: ExitStack) -> Mapping[str, Path]:
    if grid.old is None:
        return {}
    made = Path(stack.enter_context(TemporaryDirectory(prefix="harness-old-")))
    found: dict[str, Path] = {}
    for suite in suites:
        plugin = suite.plugin.resolve()
        if not plugin.is_relative_to(root.resolve()):
            raise UserError(
                f"the plugin {plugin} is not under {root}, so there is no old version of it there"
            )
        # The folder's name is kept: a model that is shown the path sees nothing of old or new in it.
        found[suite.name] = made / suite.name / plugin.name
        folder = plugin.relative_to(root.resolve()).as_posix()
        if not folder_at(root, grid.old, folder, found[suite.name]):
            raise UserError(f"{folder} is not there at {grid.old}; name a commit that has the plugin")
        if holds_project(suite):
            strip(found[suite.name])
    return found


def make_plan(
    cells: tuple[Cell, ...],
    grid: Grid,
    *,
    claude: Claude,
    sandbox: str,
    results: Path,
    fresh: bool,
    shard: Shard | None,
) -> Plan:
    """What of the cells is left to do, given what ``results`` holds; nothing is written."""
    digests = {c.key: cell_digest(c, cli_version=claude.version, sandbox=sandbox) for c in cells}
    wanted = frozenset(digests.values())
    past = _Past(wanted)
    sifted = sift(
        _ordered(cells, grid, seed := _seed(grid)),
        past.watch(iterate(results / TABLE)),
        fresh=fresh,
        max_invalid_tries=grid.retries,
        digest_of=lambda cell: digests[cell.key],
    )
    jobs = [
        Job(cell=c, digest=(d := digests[c.key]), attempt=attempt, tries_left=past.tries_left(d, grid, fresh))
        for c, attempt in sifted.todo
    ]
    return Plan(
        jobs=jobs,
        digests=wanted,
        finished=len(sifted.finished),
        exhausted=len(sifted.exhausted),
        seed=seed,
        ledger=_ledger(grid, shard, past, fresh),
        cells=cells,
    )


def _seed(grid: Grid) -> int | None:
    if not grid.mixed and grid.seed is None:
        return None
    return draw_seed() if grid.seed is None else grid.seed


def _ordered(cells: tuple[Cell, ...], grid: Grid, seed: int | None) -> Iterable[Cell]:
    return cells if seed is None else interleave(cells, seed)


def _ledger(grid: Grid, shard: Shard | None, past: "_Past", fresh: bool) -> Ledger:
    """Money spent on the grid before counts; each shard has its equal part of the whole."""
    of = shard.of if shard is not None else 1
    usd, runs = grid.budget.usd, grid.budget.runs
    return Ledger(
        total_usd=None if usd is None else usd / of,
        total_runs=None if runs is None else runs // of,
        spent_usd=0.0 if fresh else past.spent_usd,
        runs_done=0 if fresh else past.runs,
    )


class _Past(Struct):
    """What rows say of the cells wanted, picked up as they pass by."""

    wanted: frozenset[str]
    spent_usd: float = 0.0
    runs: int = 0
    _invalid: Counter[str] = field(default_factory=Counter)

    def watch(self, rows: Iterable[Row]) -> Iterator[Row]:
        for row in rows:
            if row.cell_digest in self.wanted:
                self._note(row)
                yield row

    def _note(self, row: Row) -> None:
        if row.warnings.startswith("rescored from "):
            return  # no run of its own
        self.runs += 1
        self.spent_usd += _number(row.cost_usd)
        if row.pass_ == Verdict.INVALID and row.status != Status.INTERRUPTED:
            self._invalid[row.cell_digest] += 1

    def tries_left(self, digest: str, grid: Grid, fresh: bool) -> int:
        if not grid.retry_at_once:
            return 1
        return grid.retries + 1 - (0 if fresh else self._invalid[digest])


def _number(text: str) -> float:
    try:
        return max(0.0, float(text))
    except ValueError:
        return 0.0
