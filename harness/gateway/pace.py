"""The order in which side-by-side conversations went on when they were recorded, kept to on replay."""

import asyncio
from collections.abc import Iterable

from harness.gateway.wire import Recorded

PATIENCE_S = 3.0
"""Waited for what does not come: it may have come to nothing by now."""


class Pace:
    """Lets an answer end only when all has happened that had happened by then.

    What a subagent in the background says reaches the main conversation when it ends: with other delays it would
    reach it at another turn. One conversation by itself is never held up.
    """

    def __init__(self, exchanges: Iterable[Recorded]) -> None:
        every = tuple(exchanges)
        self._ends = {e.n: e.at_ms + (e.chunks[-1][0] if e.chunks else 0) for e in every if e.status}
        self._begins = {e.n: e.at_ms for e in every}
        self._came: set[int] = set()
        self._ended: set[int] = set()
        self._given_up: set[int] = set()
        self._news = asyncio.Condition()

    async def wait(self, number: int) -> None:
        """Until exchange ``number``, which has come, may be answered."""
        async with self._news:
            self._came.add(number)
            self._news.notify_all()
            if number not in self._ends:
                return
            try:
                async with asyncio.timeout(PATIENCE_S):
                    await self._news.wait_for(lambda: not self._missing(number))
            except TimeoutError:
                self._given_up |= self._missing(number)

    async def ended(self, number: int) -> None:
        async with self._news:
            self._ended.add(number)
            self._news.notify_all()

    def _missing(self, number: int) -> set[int]:
        by = self._ends[number]
        begun = {n for n, at in self._begins.items() if at < by} - self._came
        done = {n for n, at in self._ends.items() if at < by} - self._ended
        return (begun | done) - self._given_up - {number}
