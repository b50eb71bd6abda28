"""The API as a second server: it plays a playbook, slowly, and breaks off or fails where it is told to."""

import asyncio
from collections.abc import Sequence

from harness.gateway.exchange import Headers, Reply, Request, Responder, send_error
from harness.gateway.lane import Lane

PAUSE_S = 0.02


class Troubled(Responder):
    """Lets ``inner`` answer; of the first requests each meets its trouble instead.

    slow: event by event with pauses. cut: the connection ends in the middle. reset: before any answer.
    busy: 529. limited: 429 that asks to wait. away: 429 that the client must not ask again about.
    """

    def __init__(self, inner: Responder, troubles: Sequence[str]) -> None:
        self.inner = inner
        self.any_route = True
        self._troubles = list(troubles)

    async def answer(self, request: Request, reply: Reply, lane: Lane) -> None:
        if not request.asks_for_message:
            await self.inner.answer(request, reply, lane)
            return
        match self._troubles.pop(0) if self._troubles else "":
            case "busy":
                await send_error(reply, 529, "overloaded_error", "Overloaded")
            case "limited":
                await send_error(reply, 429, "rate_limit_error", "Slow down", [("retry-after", "0")])
            case "away":
                headers = [("retry-after", "2"), ("x-should-retry", "false")]
                await send_error(reply, 429, "rate_limit_error", "Slow down", headers)
            case "reset":
                reply.reset()
            case trouble:
                await self.inner.answer(request, _Dripping(reply, cut=trouble == "cut"), lane)


class _Dripping:
    """Sends a whole answer as a slow stream of its events."""

    def __init__(self, inner: Reply, *, cut: bool) -> None:
        self._inner = inner
        self._cut = cut

    async def send(self, status: int, body: bytes, headers: Headers = ()) -> None:
        events = body.split(b"\n\n")
        await self._inner.start(status, headers)
        for event in events[: len(events) // 2] if self._cut else events[:-1]:
            await self._inner.write(event + b"\n\n")
            await asyncio.sleep(PAUSE_S)
        if self._cut:
            self._inner.cut()
        else:
            await self._inner.finish()

    async def start(self, status: int, headers: Headers = ()) -> None:
        await self._inner.start(status, headers)

    async def write(self, chunk: bytes) -> None:
        await self._inner.write(chunk)

    async def finish(self) -> None:
        await self._inner.finish()

    def cut(self) -> None:
        self._inner.cut()

    def reset(self) -> None:
        self._inner.reset()
