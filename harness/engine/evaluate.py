"""The loop over cells: run them in lanes, append each row when its run is complete, stop loudly on tampering."""

from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import Protocol

from harness.engine.rows import row_of
from harness.engine.run_cell import run_cell
from harness.engine.setting import Setting
from harness.model.cell import Cell
from harness.model.run import Run
from harness.results.table import append


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A cell that is to be run, with what tells its rows apart from those of other contents and tries."""

    cell: Cell
    digest: str
    attempt: int = 1


class Watcher(Protocol):
    """Told what happens, in the thread that called ``evaluate``."""

    def started(self, job: Job) -> None: ...
    def finished(self, job: Job, run: Run) -> None: ...
    def said(self, text: str) -> None: ...


@dataclass(slots=True)
class Outcome:
    runs: list[Run] = field(default_factory=list)
    tampered: tuple[str, ...] = ()
    interrupted: bool = False


def evaluate(jobs: Iterable[Job], setting: Setting, *, lanes: int, watcher: Watcher) -> Outcome:
    """Run all jobs, at most ``lanes`` at once, and append a row for each.

    Ends early, with what is running finished, when a run changed what it must not touch or the setting's
    ``stop`` is set.
    """
    outcome = Outcome()
    with ThreadPoolExecutor(max_workers=lanes, thread_name_prefix="lane") as executor:
        _drive(iter(jobs), setting, lanes, watcher, outcome, executor)
    return outcome


def _drive(
    queue: Iterator[Job],
    setting: Setting,
    lanes: int,
    watcher: Watcher,
    outcome: Outcome,
    executor: Executor,
) -> None:
    running: dict[Future[Run], Job] = {}
    while True:
        while len(running) < lanes and not (setting.stop.is_set() or outcome.tampered):
            job = next(queue, None)
            if job is None:
                break
            watcher.started(job)
            run = executor.submit(run_cell, job.cell, setting, attempt=job.attempt, cell_digest=job.digest)
            running[run] = job
        if not running:
            return
        done, _ = wait(running, return_when=FIRST_COMPLETED)
        for future in done:
            _finish(running.pop(future), future.result(), setting, watcher, outcome)


def _finish(job: Job, run: Run, setting: Setting, watcher: Watcher, outcome: Outcome) -> None:
    repaired = append(setting.results / "results.tsv", row_of(run))
    if repaired is not None:
        watcher.said(repaired.text)
    outcome.runs.append(run)
    watcher.finished(job, run)
    if run.tampered:
        outcome.tampered = outcome.tampered or run.tampered
