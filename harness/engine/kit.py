"""What workers need to run the cells of a grid, named by content, and the few words that name one cell of it."""

import hashlib
import pickle
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from harness.engine.bundle import pack
from harness.engine.job import Job
from harness.model.cell import Arm, Cell
from harness.model.row import Row
from harness.model.scenario import Scenario, Suite
from harness.world.digest import tree_digest


class Ticket(Struct, frozen=True, kw_only=True):
    """One job in few bytes."""

    scenario: str
    """The key of its suite and scenario in the kit."""
    arm: Arm
    model: str
    trial: int
    scenario_digest: str
    digest: str
    attempt: int


class Delivery(Struct, frozen=True, kw_only=True):
    """A finished run as it comes back."""

    row: Row
    folder: bytes
    """The packed run folder."""
    cost_usd: float | None
    tampered: tuple[str, ...]
    resets_at: float | None
    retry_after_s: float | None


class Kit(Struct, frozen=True, kw_only=True):
    """Scenarios and trees by digest; inside of a scenario, paths are digests of trees."""

    digest: str
    scenarios: Mapping[str, tuple[Suite, Scenario]]
    trees: Mapping[str, bytes]
    sandbox: str
    warnings: tuple[str, ...]
    """For every row."""
    real: bool
    """Whether a model of it is real, so that a worker needs a credential."""

    def cell(self, ticket: Ticket, trees: Path) -> Cell:
        """The cell with its paths as they are under ``trees``."""
        suite, scenario = self.scenarios[ticket.scenario]
        arm = ticket.arm
        return Cell(
            suite=replace(suite, plugin=trees / suite.plugin),
            scenario=replace(scenario, fixture=trees / scenario.fixture),
            arm=replace(arm, plugin=trees / arm.plugin) if arm.plugin is not None else arm,
            model=ticket.model,
            trial=ticket.trial,
            scenario_digest=ticket.scenario_digest,
        )


class Packer:
    """Makes the kit of a plan, and the tickets for its jobs."""

    def __init__(self) -> None:
        self._names: dict[Path, str] = {}
        self._trees: dict[str, bytes] = {}
        self._scenarios: dict[str, tuple[Suite, Scenario]] = {}
        self._keys: dict[int, tuple[str, Scenario]] = {}

    def kit(self, cells: tuple[Cell, ...], sandbox: str, warnings: tuple[str, ...]) -> Kit:
        for cell in cells:
            self._key(cell)
            if cell.arm.plugin is not None:
                self._tree(cell.arm.plugin)
        whole = hashlib.sha256("".join((*sorted(self._scenarios), *sorted(self._trees))).encode()).hexdigest()
        return Kit(
            digest=whole,
            scenarios=self._scenarios,
            trees=self._trees,
            sandbox=sandbox,
            warnings=warnings,
            real=any(not cell.model.startswith("scripted:") for cell in cells),
        )

    def ticket(self, job: Job) -> Ticket:
        cell = job.cell
        plugin = cell.arm.plugin
        return Ticket(
            scenario=self._key(cell),
            arm=cell.arm if plugin is None else replace(cell.arm, plugin=Path(self._tree(plugin))),
            model=cell.model,
            trial=cell.trial,
            scenario_digest=cell.scenario_digest,
            digest=job.digest,
            attempt=job.attempt,
        )

    def _key(self, cell: Cell) -> str:
        known = self._keys.get(id(cell.scenario))
        if known is None:
            known = self._keys[id(cell.scenario)] = (
                self._add(cell),
                cell.scenario,
            )  # held, so the id stays its own
        return known[0]

    def _add(self, cell: Cell) -> str:
        plugin, fixture = self._tree(cell.suite.plugin), self._tree(cell.scenario.fixture)
        suite = replace(cell.suite, plugin=Path(plugin), scenarios=())
        scenario = replace(cell.scenario, fixture=Path(fixture))
        key = hashlib.sha256(pickle.dumps((suite, scenario))).hexdigest()
        self._scenarios[key] = (suite, scenario)
        return key

    def _tree(self, folder: Path) -> str:
        name = self._names.get(folder)
        if name is None:
            # The folder's own name stays the last part: a model that is shown the path sees nothing new in it.
            digest = tree_digest(folder)
            name = self._names[folder] = f"{digest}/{folder.name}"
            self._trees[name] = pack(folder)
        return name
