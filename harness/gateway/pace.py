"""The order in which side-by-side conversations went on when they were recorded, kept to on replay."""

import asyncio
import math
from collections.abc import Callable, Iterable

from harness.gateway.order import QUIET_S, Order, order_of
from harness.gateway.wire import Recorded

PATIENCE_S = 3.0
"""Waited beyond its time for what does not come: it may have come to nothing by now."""
POLL_S = 0.02
Heard = Callable[[str], int]
"""How often claude has said by now that a task has ended which the tool call with this id started."""


class Pace:
    """Lets an answer end only when all has happened that had happened by then.

    What a subagent in the background says reaches the main conversation when it ends: with other delays it would
    reach it at another turn. One conversation by itself is never held up.
    """

    def __init__(self, exchanges: Iterable[Recorded], heard: Heard | None = None) -> None:
        every = tuple(exchanges)
        self._order: Order = order_of(every)
        self._never_ends = {e.n for e in every if e.ended in ("gone", "unfinished")}
        self._heard = heard
        self._came: set[int] = set()
        self._ended: dict[int, float] = {}
        """With the time of it, as for those below."""
        self._given_up: dict[int, float] = {}
        self._began = math.inf
        self._news = asyncio.Event()
        self._hearing: set[asyncio.Task[None]] = set()

    async def wait(self, number: int) -> None:
        """Until exchange ``number``, which has come, may be answered."""
        self._began = min(self._began, _now())
        self._came.add(number)
        if number in self._never_ends:
            self._end(number)
        self._tell()
        if number not in self._order.ends:
            return
        most = _now() + self._order.ends[number] / 1000 + PATIENCE_S
        while missing := self._missing(number):
            due = {n: min(self._due(n), most) for n in missing}
            late = {n: _now() for n, at in due.items() if at <= _now()}
            self._given_up |= late
            if late:
                self._tell()
            else:
                await self._hear_news(min(due.values()))
        await self._rest(number)
        for wanted in self._order.waits.get(number, ()):
            began = self._ended.get(wanted.since, _now())
            await self._hear(wanted.call, wanted.count, began + wanted.within_s + PATIENCE_S)

    def over(self, number: int) -> None:
        """Exchange ``number`` has been answered, or its client has left."""
        told = self._order.told.get(number)
        if told is None or number in self._ended:
            self._end(number)
            return
        task = asyncio.create_task(self._until_heard(number, *told))
        self._hearing.add(task)
        task.add_done_callback(self._hearing.discard)

    async def close(self) -> None:
        for task in tuple(self._hearing):
            task.cancel()
        await asyncio.gather(*self._hearing, return_exceptions=True)

    async def _until_heard(self, number: int, call: str, count: int) -> None:
        await self._hear(call, count, _now() + PATIENCE_S)
        self._end(number)

    async def _hear(self, call: str, count: int, until: float) -> None:
        if self._heard is None:
            await asyncio.sleep(QUIET_S)
            return
        while self._heard(call) < count and _now() < until:
            await asyncio.sleep(POLL_S)

    async def _rest(self, number: int) -> None:
        before, quiet_s = self._order.rests.get(number, (0, 0.0))
        left = self._ended.get(before, -math.inf) + quiet_s - _now()
        if left > 0:
            await asyncio.sleep(left)

    def _missing(self, number: int) -> set[int]:
        by = self._order.ends[number]
        begun = {n for n, at in self._order.begins.items() if at < by and n not in self._came}
        done = {n for n, at in self._order.ends.items() if at < by and n not in self._ended}
        return (begun | done) - self._given_up.keys() - {number}

    def _due(self, number: int) -> float:
        """When it is too late for the exchange to come; never for one that is here, or whose turn it is not yet."""
        if number in self._came:
            return math.inf
        before = self._order.before.get(number)
        if before is None:
            return self._began + PATIENCE_S
        since = self._ended.get(before, self._given_up.get(before, math.inf))
        return since + self._order.took_s.get(number, 0.0) + PATIENCE_S

    async def _hear_news(self, until: float) -> None:
        try:
            async with asyncio.timeout_at(until if math.isfinite(until) else None):
                await self._news.wait()
        except TimeoutError:
            return

    def _end(self, number: int) -> None:
        self._ended.setdefault(number, _now())
        self._tell()

    def _tell(self) -> None:
        self._news.set()
        self._news = asyncio.Event()


def _now() -> float:
    return asyncio.get_running_loop().time()
