"""The engine of many machines: Dask distributed, with this process alone writing results."""

import logging
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Executor, Future
from contextlib import ExitStack, contextmanager

from harness.engine.bundle import unpack_files
from harness.engine.job import Finished, Job
from harness.engine.kit import Delivery, Kit, Packer
from harness.engine.lost import RunLostError
from harness.engine.setting import Setting
from harness.engine.worker import Equipment, end_running, equipment, leave, run_ticket, settle
from harness.errors import UserError
from harness.model.cell import Cell
from harness.model.grid import Grid
from harness.results.folder import RunFolder

try:
    from distributed import Client, KilledWorker, Worker, WorkerPlugin
except ImportError as error:  # pragma: no cover
    raise UserError(f"the engine dask needs the extra: pip install 'harness[cluster]' ({error})") from error

RESOURCE = "claude"
"""What a worker has as many of as runs may be under way on it: `dask worker … --resources "claude=4"`."""
_REFRESH_S = 2.0
_CONNECT_S = 10.0


class KitPlugin(WorkerPlugin):
    """Hands the kit to each worker once, also to those that join or start again later."""

    def __init__(self, kit: Kit, claude: str | None) -> None:
        self.name = f"harness-kit-{kit.digest}"
        self.kit = kit
        self.claude = claude

    def setup(self, worker: Worker) -> None:
        settle(self.kit, self.claude)

    def teardown(self, worker: Worker) -> None:
        leave(self.kit.digest)


class DaskEngine:
    def __init__(self, client: Client, kit: Kit, packer: Packer, setting: Setting) -> None:
        self.executor: Executor = client.get_executor(pure=False, resources={RESOURCE: 1})  # type: ignore[no-untyped-call]
        self._client = client
        self._kit = kit
        self._packer = packer
        self._setting = setting
        self._lanes = 0
        self._looked = 0.0

    @property
    def lanes(self) -> int:
        """As many as all workers that are there now have room for."""
        now = time.monotonic()
        if now - self._looked > _REFRESH_S:
            self._looked = now
            self._lanes = max(1, room(self._client))
        return self._lanes

    def submit(self, job: Job) -> Future[object]:
        return self.executor.submit(run_ticket, self._kit.digest, self._packer.ticket(job))

    def collect(self, future: Future[object]) -> Finished:
        try:
            delivery = future.result()
        except KilledWorker as error:
            raise RunLostError("its workers died again and again") from error
        except CancelledError as error:
            raise RunLostError("the cluster gave it up") from error
        assert isinstance(delivery, Delivery)
        path = self._setting.results / "runs" / delivery.row.run_id
        try:
            unpack_files(delivery.folder, path)
        except (OSError, ValueError) as error:
            raise UserError(f"cannot keep the run {path}: {error}") from error
        return Finished(
            row=delivery.row,
            folder=RunFolder(run_id=delivery.row.run_id, path=path),
            cost_usd=delivery.cost_usd,
            tampered=delivery.tampered,
            resets_at=delivery.resets_at,
            retry_after_s=delivery.retry_after_s,
        )

    def end_running(self) -> None:
        # Not here: a signal handler must not wait for the network.
        threading.Thread(target=self._client.run, args=(end_running, self._kit.digest), daemon=True).start()


@contextmanager
def open_dask(
    grid: Grid,
    cells: tuple[Cell, ...],
    setting: Setting,
    *,
    claude: str | None,
    say: Callable[[str], None],
) -> Iterator[DaskEngine]:
    """A cluster that is ready for the cells. Raises UserError where a worker is not equipped as this machine is."""
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    with ExitStack() as stack:
        client = stack.enter_context(_client(grid, stack))
        _compare(client, setting, claude)
        if not room(client):
            raise UserError(
                f'no worker offers the resource "{RESOURCE}"; start each with --resources "{RESOURCE}=N",'
                " N being how many runs it may have at once"
            )
        packer = Packer()
        kit = packer.kit(cells, setting.sandbox, setting.warnings)
        client.register_plugin(KitPlugin(kit, claude))
        stack.callback(client.unregister_worker_plugin, f"harness-kit-{kit.digest}")
        workers = client.scheduler_info(n_workers=-1)["workers"]
        say(f"{len(workers)} workers with room for {room(client)} runs at once")
        yield DaskEngine(client, kit, packer, setting)


def _client(grid: Grid, stack: ExitStack) -> Client:
    address = grid.scheduler if grid.scheduler is not None else stack.enter_context(_local_cluster(grid))
    try:
        return Client(address, timeout=_CONNECT_S)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise UserError(f"no scheduler answers at {address}: {error}") from error


@contextmanager
def _local_cluster(grid: Grid) -> Iterator[str]:
    """The address of a cluster in a process of its own: scheduling takes no time of the coordinator's there, and a
    Ctrl-C at the terminal, which goes to all of a session, does not reach it.
    """
    assert grid.workers is not None
    each = -(-grid.jobs // grid.workers)
    argv = [sys.executable, "-m", "harness.engine.dask_local", str(grid.workers), str(each), RESOURCE]
    with subprocess.Popen(
        argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as child:
        assert child.stdout is not None and child.stdin is not None
        try:
            address = child.stdout.readline().strip()
            if not address:
                raise UserError("the local Dask workers could not be started; what they said stands above")
            yield address
        finally:
            child.stdin.close()  # its sign to end, which it gets as well when this process is killed


def room(client: Client) -> int:
    workers = client.scheduler_info(n_workers=-1)["workers"].values()
    return sum(int(worker["resources"].get(RESOURCE, 0)) for worker in workers)


def _compare(client: Client, setting: Setting, claude: str | None) -> None:
    """Refuse workers on which a run would not be the same run."""
    ours = equipment(str(setting.claude.path), setting.sandbox)
    try:
        theirs: dict[str, object] = client.run(equipment, claude, setting.sandbox)
    except (ImportError, AttributeError) as error:
        raise UserError(
            f"a worker has no harness, or another one: {error}; install the same version there"
        ) from None
    if not theirs:
        raise UserError("the cluster has no workers; start some first")
    problems = [f"{address}: {why}" for address, has in theirs.items() for why in _differences(ours, has)]
    if problems:
        raise UserError("the workers are not all equipped as this machine is:\n  " + "\n  ".join(problems))


def _differences(ours: Equipment, theirs: object) -> list[str]:
    assert isinstance(theirs, Equipment)
    if theirs.why_not:
        return [theirs.why_not]
    pairs = (
        ("harness", ours.harness, theirs.harness),
        ("claude", ours.claude, theirs.claude),
        ("sandbox", ours.sandbox, theirs.sandbox),
    )
    return [f"has {what} {have or 'none'}, here is {want}" for what, want, have in pairs if have != want]
