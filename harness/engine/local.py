"""The engine of one machine: a thread for each cell that is under way."""

from concurrent.futures import Executor, Future, ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import Self

from harness.engine.job import Finished, Job
from harness.engine.rows import row_of
from harness.engine.run_cell import run_cell
from harness.engine.setting import Setting
from harness.results.folder import RunFolder

CLAUDE_BYTES = 230 << 20
"""The peak of one claude, measured."""
_CGROUP = Path("/sys/fs/cgroup")


class LocalEngine:
    def __init__(self, setting: Setting, lanes: int) -> None:
        self.lanes = lanes
        self.executor: Executor = ThreadPoolExecutor(max_workers=lanes, thread_name_prefix="lane")
        self._setting = setting

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            self.end_running()
        self.executor.shutdown()

    def submit(self, job: Job) -> Future[object]:
        return self.executor.submit(run_job, job, self._setting)

    def collect(self, future: Future[object]) -> Finished:
        finished = future.result()
        assert isinstance(finished, Finished)
        return finished

    def end_running(self) -> None:
        self._setting.stop.set()


def run_job(job: Job, setting: Setting) -> Finished:
    run = run_cell(job.cell, setting, attempt=job.attempt, cell_digest=job.digest)
    return Finished(
        row=row_of(run),
        folder=RunFolder(run_id=run.run_id, path=run.folder),
        cost_usd=run.transcript.usage.cost_usd if run.transcript.results else None,
        tampered=run.tampered,
        resets_at=run.resets_at,
        retry_after_s=run.retry_after_s,
    )


def affordable_lanes(asked: int) -> int:
    """As many of the lanes as there is free memory for, at least one."""
    return 1 if asked == 1 else max(1, min(asked, _free_bytes() // CLAUDE_BYTES))


def _free_bytes() -> int:
    import psutil

    free = int(psutil.virtual_memory().available)
    try:
        # A container may have less than its machine.
        most = int((_CGROUP / "memory.max").read_text())
        used = int((_CGROUP / "memory.current").read_text())
    except (OSError, ValueError):
        return free
    cache = _reclaimable()
    return min(free, max(0, most - used + cache))


def _reclaimable() -> int:
    """Page cache counts as used in a container, and gives way."""
    try:
        lines = (_CGROUP / "memory.stat").read_text().split("\n")
    except OSError:
        return 0
    return sum(int(line.split()[1]) for line in lines if line.startswith("inactive_file "))
