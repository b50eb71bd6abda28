"""What runs on a worker of a cluster: it says what it has, takes a kit, and runs tickets of it."""

import os
import shutil
import threading
from contextlib import ExitStack
from pathlib import Path
from tempfile import mkdtemp

from msgspec import Struct

import harness
from harness.claude.binary import find_claude
from harness.engine.box import choose_kind
from harness.engine.bundle import pack_files, unpack
from harness.engine.job import Job
from harness.engine.kit import Delivery, Kit, Ticket
from harness.engine.local import run_job
from harness.engine.opening import open_setting
from harness.engine.setting import Setting
from harness.errors import UserError
from harness.world.digest import tree_digest


class Equipment(Struct, frozen=True, kw_only=True):
    """What a machine would run cells with."""

    harness: str
    claude: str
    """The version; '' where there is none."""
    sandbox: str
    """The kind chosen; '' where the one asked for does not work."""
    why_not: str = ""


def harness_identity() -> str:
    """The version with a digest of the code: two checkouts of one version are not the same harness."""
    code = tree_digest(Path(harness.__file__).parent, lambda name: "__pycache__" in name)
    return f"{harness.__version__} ({code[:12]})"


def equipment(claude: str | None, sandbox: str) -> Equipment:
    """Asked of every worker, and of the coordinator itself, before a grid starts."""
    version = kind = why_not = ""
    try:
        version = find_claude(claude, os.environ).version
        kind = choose_kind(sandbox)
    except UserError as error:
        why_not = str(error)
    return Equipment(harness=harness_identity(), claude=version, sandbox=kind, why_not=why_not)


class Station:
    """One worker's kit, unpacked, with what its runs share."""

    def __init__(self, kit: Kit, claude: str | None, folder: Path) -> None:
        self._kit = kit
        self._stack = ExitStack()
        self._folder = folder
        self._trees = folder / "trees"
        for name, data in kit.trees.items():
            unpack(data, self._trees / name)
            if tree_digest(self._trees / name) != name.partition("/")[0]:
                raise UserError(f"{name} did not arrive as it was sent; are the file systems alike?")
        self.setting = self._open(claude)

    def _open(self, claude: str | None) -> Setting:
        results = self._folder / "results"
        results.mkdir()
        cells = tuple(self._kit.cell(_any_ticket(key, self._kit), self._trees) for key in self._kit.scenarios)
        return self._stack.enter_context(
            open_setting(
                cells,
                claude=find_claude(claude, os.environ),
                sandbox=self._kit.sandbox,
                results=results,
                root=None,
                environ=os.environ,
                warnings=self._kit.warnings,
            )
        )

    def run(self, ticket: Ticket) -> Delivery:
        job = Job(cell=self._kit.cell(ticket, self._trees), digest=ticket.digest, attempt=ticket.attempt)
        finished = run_job(job, self.setting)
        data = pack_files(finished.folder.path)
        shutil.rmtree(finished.folder.path, ignore_errors=True)
        return Delivery(
            row=finished.row,
            folder=data,
            cost_usd=finished.cost_usd,
            tampered=finished.tampered,
            resets_at=finished.resets_at,
            retry_after_s=finished.retry_after_s,
        )

    def close(self) -> None:
        self.setting.stop.set()
        self._stack.close()
        shutil.rmtree(self._folder, ignore_errors=True)


def _any_ticket(key: str, kit: Kit) -> Ticket:
    from harness.model.cell import Arm

    suite, _ = kit.scenarios[key]
    arm = Arm(name="new", plugin=suite.plugin, plugin_digest="")
    model = "haiku" if kit.real else "scripted:"
    return Ticket(scenario=key, arm=arm, model=model, trial=1, scenario_digest="", digest="", attempt=1)


_stations: dict[str, Station] = {}
_lock = threading.Lock()


def settle(kit: Kit, claude: str | None) -> None:
    """Make this process ready for the kit."""
    with _lock:
        if kit.digest not in _stations:
            _stations[kit.digest] = Station(kit, claude, Path(mkdtemp(prefix="harness-worker-")))


def leave(digest: str) -> None:
    with _lock:
        station = _stations.pop(digest, None)
    if station is not None:
        station.close()


def end_running(digest: str) -> None:
    station = _stations.get(digest)
    if station is not None:
        station.setting.stop.set()


def run_ticket(digest: str, ticket: Ticket) -> Delivery:
    """Raises UserError where the worker has no such kit, or cannot make a run of it."""
    station = _stations.get(digest)
    if station is None:
        raise UserError("a worker that joined late could not take the grid's kit; see its log")
    return station.run(ticket)
