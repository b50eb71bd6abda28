"""The loop over cells: run them in lanes, append each row when its run is complete, stop loudly on tampering."""

from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import Protocol

from harness.engine.rows import row_of
from harness.engine.run_cell import run_cell
from harness.engine.setting import Setting
from harness.model.cell import Cell
from harness.model.row import Row
from harness.model.run import Run
from harness.results.folder import RunFolder
from harness.results.record import record


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A cell that is to be run, with what tells its rows apart from those of other contents and tries."""

    cell: Cell
    digest: str
    attempt: int = 1


class Watcher(Protocol):
    """Told what happens, in the thread that called ``evaluate``."""

    def started(self, name: str) -> None: ...
    def finished(self, row: Row) -> None: ...
    def say(self, text: str) -> None: ...


@dataclass(slots=True)
class Outcome:
    rows: list[Row] = field(default_factory=list)
    tampered: tuple[str, ...] = ()
    """Canonical paths that a run changed; nothing was started after that."""


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
            watcher.started(" ".join(map(str, job.cell.key)))
            run = executor.submit(run_cell, job.cell, setting, attempt=job.attempt, cell_digest=job.digest)
            running[run] = job
        if not running:
            return
        done, _ = wait(running, return_when=FIRST_COMPLETED)
        for future in done:
            running.pop(future)
            _finish(future.result(), setting, watcher, outcome)


def _finish(run: Run, setting: Setting, watcher: Watcher, outcome: Outcome) -> None:
    row = row_of(run)
    repaired = record(setting.results, RunFolder(run_id=run.run_id, path=run.folder), row)
    if repaired is not None:
        watcher.say(repaired.text)
    outcome.rows.append(row)
    watcher.finished(row)
    if run.tampered:
        outcome.tampered = outcome.tampered or run.tampered
