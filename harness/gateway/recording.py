"""A responder that lets another one answer, and writes down what passes."""

import asyncio
from pathlib import Path

from harness.gateway.exchange import Headers, Reply, Request, Responder
from harness.gateway.lane import Lane
from harness.gateway.wire import Ended, WireWriter

UNANSWERED_S = 0.1
HELD_BYTES = 64 * 1024
SECRET_BYTES = 512
"""No secret is longer."""


class Recording(Responder):
    """Answers as ``inner`` does; every exchange goes to ``path`` as it was, secrets removed."""

    def __init__(self, inner: Responder, path: Path, secrets: tuple[str, ...] = ()) -> None:
        self.inner = inner
        self.any_route = inner.any_route
        self._path = path
        self._secrets = secrets
        self._wire: WireWriter | None = None

    async def answer(self, request: Request, reply: Reply, lane: Lane) -> None:
        if self._wire is None:
            self._wire = WireWriter(self._path, self._secrets)
        tape = TapedReply(reply, self._wire, request)
        try:
            await self.inner.answer(request, tape, lane)
        finally:
            tape.end()

    def opened(self) -> None:
        self.inner.opened()

    async def closed(self) -> None:
        await self.inner.closed()
        if self._wire is not None:
            self._wire.close()
            self._wire = None


class TapedReply:
    """Passes an answer on first, and writes it down second, in whole server-sent events.

    A piece is held until its event is complete, so that a secret cannot hide across two pieces; the memory
    held stays the same however long the answer gets.
    """

    def __init__(self, inner: Reply, wire: WireWriter, request: Request) -> None:
        self._inner = inner
        self._wire = wire
        self._request: Request | None = request
        self._number = wire.number()
        self._arrived_ms = wire.now_ms()
        self._answered: dict[str, object] | None = None
        # Compressing a request takes milliseconds that must not come before its way to the API; one that
        # gets no answer is written all the same.
        self._later = asyncio.get_running_loop().call_later(UNANSWERED_S, self._write_head)
        self._held = b""
        self._ended: Ended = "gone"

    async def send(self, status: int, body: bytes, headers: Headers = ()) -> None:
        await self._inner.send(status, body, headers)
        self._status(status, headers)
        self._held = body
        self._ended = "complete"

    async def start(self, status: int, headers: Headers = ()) -> None:
        await self._inner.start(status, headers)
        self._status(status, headers)

    async def write(self, chunk: bytes) -> None:
        await self._inner.write(chunk)
        self._held += chunk
        whole = self._held.rfind(b"\n\n") + 2
        if whole >= 2:
            self._keep(whole)
        elif len(self._held) > HELD_BYTES:
            self._keep(len(self._held) - SECRET_BYTES)

    async def finish(self) -> None:
        await self._inner.finish()
        self._ended = "complete"

    def cut(self) -> None:
        self._ended = "cut"
        self._inner.cut()

    def reset(self) -> None:
        self._ended = "reset"
        self._inner.reset()

    def end(self) -> None:
        """Write what is held and how it ended."""
        self._later.cancel()
        self._write_head()
        self._keep(len(self._held))
        self._wire.write({"n": self._number, "t": self._wire.now_ms(), "ended": self._ended})
        self._wire.flush()

    def _status(self, status: int, headers: Headers) -> None:
        kept = self._wire.redactor.headers(headers)
        self._answered = {"n": self._number, "t": self._wire.now_ms(), "status": status, "headers": kept}

    def _write_head(self) -> None:
        """The request and the status, as far as they are not written yet."""
        if self._request is not None:
            self._wire.write_request(self._number, self._arrived_ms, self._request)
            self._request = None
        if self._answered is not None:
            self._wire.write(self._answered)
            self._answered = None

    def _keep(self, size: int) -> None:
        self._write_head()
        if size:
            text = self._wire.redactor.clean(self._held[:size]).decode(errors="replace")
            self._held = self._held[size:]
            self._wire.write({"n": self._number, "t": self._wire.now_ms(), "text": text})
