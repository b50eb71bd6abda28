"""The loop over jobs: start what may start, record each run when it is complete, try again what came to nothing."""

import time
from collections import deque
from collections.abc import Iterable
from concurrent.futures import Future
from datetime import datetime
from queue import Empty, SimpleQueue
from typing import Protocol

from msgspec import Struct, field
from msgspec.structs import replace

from harness.engine.job import Engine, Finished, Job
from harness.engine.local import LocalEngine
from harness.engine.lost import RunLostError
from harness.engine.run_cell import limits_of, playbook_of
from harness.engine.setting import Setting
from harness.engine.stopping import Stopping
from harness.engine.weather import HOPELESS, WEATHER, Weather
from harness.model.outcome import Status, Verdict
from harness.model.row import Row
from harness.plan.budget import Ledger, Reservation
from harness.results.recorder import Recorder
from harness.results.watch import SealedRuns, TableWatch

MOST_LOSSES = 3
__all__ = ["Job", "Outcome", "Rules", "Watcher", "evaluate", "run_all"]


class Watcher(Protocol):
    """Told what happens, in the thread that called ``evaluate``."""

    def started(self, name: str) -> None: ...
    def finished(self, row: Row) -> None: ...
    def say(self, text: str) -> None: ...


class Rules(Struct, frozen=True, kw_only=True):
    """What binds all runs of an evaluation together."""

    seed: str = ""
    ledger: Ledger = field(default_factory=Ledger)
    weather: Weather | None = None
    """None: an API that turns runs away is an ordinary failure."""
    keep_rows: bool = True


class Outcome(Struct):
    rows: list[Row] = field(default_factory=list)
    """The last row of each cell, in the order of their ends; none with ``keep_rows`` False."""
    runs: int = 0
    tampered: tuple[str, ...] = ()
    """Canonical paths that a run changed; nothing was started after that."""
    halted: str = ""
    """Why the evaluation was given up before its end, or ''."""
    unaffordable: int = 0
    """Jobs that were not started because the budget does not cover them."""
    waiting: int = 0
    """Jobs left when the evaluation ended."""


def evaluate(jobs: Iterable[Job], setting: Setting, *, lanes: int, watcher: Watcher) -> Outcome:
    """Run all jobs once on this machine, at most ``lanes`` at once, and append a row for each.

    Ends early, with what is running finished, when a run changed what it must not touch or the setting's
    ``stop`` is set.
    """
    asked = Stopping(drain=setting.stop, end=setting.stop)
    with LocalEngine(setting, lanes) as engine:
        return run_all(jobs, engine, setting, rules=Rules(), asked=asked, watcher=watcher)


def run_all(
    jobs: Iterable[Job], engine: Engine, setting: Setting, *, rules: Rules, asked: Stopping, watcher: Watcher
) -> Outcome:
    """Run jobs on an engine until there are none, the rules forbid any more, or ``asked`` says so."""
    # A jail does not show the results at all.
    table = TableWatch.of(setting.results) if setting.sandbox == "tempdir" else None
    with Recorder(setting.results) as recorder:
        loop = _Loop(
            engine=engine,
            recorder=recorder,
            sealed=setting.sealed,
            rules=rules,
            asked=asked,
            watcher=watcher,
            queue=deque(jobs),
        )
        loop.run()
    _say_repairs(recorder, watcher)
    if table is not None and not loop.outcome.tampered:
        loop.outcome.tampered = (*table.changed(), *setting.sealed.changed())
        if loop.outcome.tampered:
            watcher.say(
                "earlier results were changed, by which of these runs cannot be told: trust none of them"
            )
    return loop.outcome


def _say_repairs(recorder: Recorder, watcher: Watcher) -> None:
    for repair in recorder.repairs():
        watcher.say(repair.text)


class _Under(Struct, frozen=True):
    """A job under way."""

    job: Job
    money: Reservation
    started: float


class _Loop(Struct, kw_only=True):
    engine: Engine
    recorder: Recorder
    sealed: SealedRuns
    rules: Rules
    asked: Stopping
    watcher: Watcher
    queue: deque[Job]
    outcome: Outcome = field(default_factory=Outcome)
    _running: dict[Future[object], _Under] = field(default_factory=dict)
    _done: SimpleQueue[Future[object]] = field(default_factory=SimpleQueue)
    _lost: dict[str, int] = field(default_factory=dict)
    _said_until: float = 0.0
    _error: BaseException | None = None

    @property
    def _over(self) -> bool:
        out = self.outcome
        return self.asked.drain.is_set() or bool(out.tampered or out.halted or self._error)

    def run(self) -> None:
        while True:
            wait_s = self._fill()
            if self._running:
                self._take(wait_s)
            elif self._over or not self.queue:
                break
            elif wait_s is not None:
                self.asked.drain.wait(wait_s)
        self.outcome.waiting = len(self.queue)
        if self._error is not None:
            raise self._error

    def _fill(self) -> float | None:
        """Start as many as may be; the seconds after which more may start by themselves, if that is known."""
        while len(self._running) < self.engine.lanes and self.queue and not self._over:
            wait_s = self._hold_s(self.queue[0])
            if wait_s > 0:
                return wait_s
            cap = limits_of(self.queue[0].cell, playbook_of(self.queue[0].cell)).max_cost_usd
            money = self.rules.ledger.reserve(cap)
            if money is None and self._running and self.rules.ledger.can_ever_fit(cap):
                return None
            job = self.queue.popleft()
            if money is None:
                self.outcome.unaffordable += 1
            else:
                self._start(job, money)
        return None

    def _hold_s(self, job: Job) -> float:
        weather = self.rules.weather
        return weather.wait_s if weather is not None and not _plays_failures(job) else 0.0

    def _start(self, job: Job, money: Reservation) -> None:
        self.watcher.started(" ".join(map(str, job.cell.key)))
        future = self.engine.submit(job)
        self._running[future] = _Under(job, money, time.time())
        future.add_done_callback(self._done.put)

    def _take(self, wait_s: float | None) -> None:
        try:
            future = self._done.get(timeout=wait_s)
        except Empty:
            return
        under = self._running.pop(future)
        try:
            finished = self.engine.collect(future)
        except RunLostError as lost:
            under.money.settle(None)
            self._again_if_lost(under.job, lost)
            return
        except Exception as error:  # noqa: BLE001 - raised again when what else is running has been recorded
            under.money.settle(None)
            self._error = self._error or error
            return
        under.money.settle(finished.cost_usd)
        self._finish(under, replace(finished, row=replace(finished.row, seed=self.rules.seed)))

    def _again_if_lost(self, job: Job, lost: RunLostError) -> None:
        count = self._lost[job.digest] = self._lost.get(job.digest, 0) + 1
        self.watcher.say(f"{' '.join(map(str, job.cell.key))}: {lost}")
        if count < MOST_LOSSES:
            self.queue.append(job)
        else:
            self._halt(f"the same run was lost {count} times: {lost}")

    def _finish(self, under: _Under, finished: Finished) -> None:
        self.outcome.runs += 1
        if self._is_weather(under, finished):
            return
        row = finished.row
        self.recorder.record(finished.folder, row)
        self.sealed.add(finished.folder.run_id)
        _say_repairs(self.recorder, self.watcher)
        self.watcher.finished(row)
        self.outcome.tampered = self.outcome.tampered or finished.tampered
        if row.api_kind in HOPELESS and not _plays_failures(under.job):
            self._halt(f"the API refuses every run ({row.api_kind}): {row.reason}")
        if not self._try_again(under.job, row) and self.rules.keep_rows:
            self.outcome.rows.append(row)

    def _halt(self, why: str) -> None:
        if not self.outcome.halted:
            self.outcome.halted = why
            self.watcher.say(f"STOPPED: {why}. What is running may finish; everything so far is kept")

    def _try_again(self, job: Job, row: Row) -> bool:
        if row.pass_ != Verdict.INVALID or row.status == Status.INTERRUPTED or _plays_failures(job):
            return False
        if job.tries_left <= 1 or self._over:
            return False
        self.queue.append(replace(job, attempt=job.attempt + 1, tries_left=job.tries_left - 1))
        return True

    def _is_weather(self, under: _Under, finished: Finished) -> bool:
        """Whether the run was turned away and will be tried again: then it is no result and gets no row."""
        weather, row = self.rules.weather, finished.row
        if weather is None or _plays_failures(under.job):
            return False
        if row.api_kind not in WEATHER:
            if row.status != Status.API_ERROR:
                weather.got_through(under.started)
            return False
        if self._over:
            return True
        waited = weather.turned_away(
            under.started, resets_at=finished.resets_at, retry_after_s=finished.retry_after_s
        )
        if not waited:
            self._halt(f"the API turns runs away for longer than --max-wait allows ({row.reason})")
            return False
        self.queue.appendleft(under.job)
        self._say_wait(weather, row)
        return True

    def _say_wait(self, weather: Weather, row: Row) -> None:
        if weather.until <= self._said_until:
            return
        self._said_until = weather.until
        ends = datetime.fromtimestamp(weather.until).astimezone()
        self.watcher.say(
            f"waiting {weather.wait_s:.0f} s, until {ends:%H:%M:%S}: {row.reason}."
            f" All lanes pause; {len(self.queue)} cells are left"
        )


def _plays_failures(job: Job) -> bool:
    """Whether a playbook stands in that has the API fail: then its failures are what is asked for."""
    playbook = playbook_of(job.cell)
    return playbook is not None and any(turn.failure is not None or turn.fault for turn in playbook.turns)
