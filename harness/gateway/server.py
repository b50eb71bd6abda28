"""The gateway: one HTTP server in one thread for all runs, each told apart by its own token."""

import asyncio
import contextlib
import socket
import struct
import threading
import time
from collections.abc import Coroutine, Iterable
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

from multidict import CIMultiDict

from harness.gateway.conversation import is_subagent, request_text
from harness.gateway.exchange import Headers, Request, Responder, send_error
from harness.gateway.http import aiohttp, web
from harness.gateway.lane import Lane

MAX_BODY_BYTES = 256 * 1024 * 1024
MESSAGE_ROUTES = frozenset({"POST /v1/messages", "POST /v1/messages/count_tokens"})
STOP_S = 0.2
T = TypeVar("T")


class Gateway:
    """``with Gateway() as gateway: lane = gateway.open(token, responder)``.

    Listens on a free port of 127.0.0.1 and, where asked, on a unix socket too. ``secrets`` are values that no
    record may hold. All methods may be called from any thread but the server's own.
    """

    def __init__(self, unix_socket: Path | None = None, *, secrets: Iterable[str] = ()) -> None:
        self.unix_socket = unix_socket
        self._secrets = tuple(secrets)
        self.url = ""
        self._lanes: dict[str, Lane] = {}
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="gateway", daemon=True)
        self._listeners: list[asyncio.Server] = []
        self._server: web.Server | None = None

    def __enter__(self) -> Self:
        self._thread.start()
        try:
            self._run(self._listen())
        except BaseException:
            self._end_thread()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for token in list(self._lanes):
            self.close(token)
        self._run(self._stop())
        self._end_thread()

    def open(
        self, token: str, responder: Responder, *, wire: Path | None = None, secrets: Iterable[str] = ()
    ) -> Lane:
        """Serve requests that carry ``token`` from ``responder``; with ``wire``, record them there."""
        if token in self._lanes:
            raise ValueError("a lane with this token is open already")
        if wire is not None:
            from harness.gateway.recording import Recording

            responder = Recording(responder, wire, (*self._secrets, token, *secrets))
        responder.opened()
        lane = Lane(token, responder)
        self._lanes[token] = lane
        return lane

    def close(self, token: str) -> None:
        """End what is still being answered on the lane, and its record. Its lane stays readable."""
        lane = self._lanes.pop(token, None)
        if lane is not None:
            self._run(_close_lane(lane))

    def _run(self, work: Coroutine[object, object, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def _end_thread(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _listen(self) -> None:
        self._server = web.Server(self._handle, access_log=None, handler_cancellation=True)
        tcp = await self._loop.create_server(self._server, "127.0.0.1", 0, backlog=512)
        self._listeners.append(tcp)
        self.url = f"http://127.0.0.1:{tcp.sockets[0].getsockname()[1]}"
        if self.unix_socket is not None:
            unix = await self._loop.create_unix_server(self._server, str(self.unix_socket), backlog=512)
            self._listeners.append(unix)

    async def _stop(self) -> None:
        for listener in self._listeners:
            listener.close()
        if self._server is not None:
            await self._server.shutdown(STOP_S)
        if self.unix_socket is not None:
            self.unix_socket.unlink(missing_ok=True)

    async def _handle(self, http: web.BaseRequest) -> web.StreamResponse:
        reply = HttpReply(http)
        body = await _read_body(http)
        if body is None:
            await send_error(reply, 413, "request_too_large", "Request exceeds the maximum size")
            return reply.response
        request = Request(method=http.method, path=http.path_qs, headers=http.headers, body=body)
        lane = self._lanes.get(_token(http))
        if request.route in {"HEAD /", "GET /"}:
            await reply.send(200, b"")
        elif lane is None:
            await send_error(reply, 401, "authentication_error", "invalid x-api-key")
        elif request.route not in MESSAGE_ROUTES and not lane.responder.any_route:
            await send_error(reply, 404, "not_found_error", f"Not found: {request.path}")
        else:
            await _serve(lane, request, reply)
        return reply.response


async def _serve(lane: Lane, request: Request, reply: "HttpReply") -> None:
    task = asyncio.current_task()
    assert task is not None
    lane.tasks.add(task)
    if request.asks_for_message:
        lane.requests += 1
        if not lane.first_request and not is_subagent(request):
            lane.first_request = request_text(request.json)
        reply.lane = lane
        lane.pending += 1
        lane.asked_at = time.monotonic()
    try:
        # A client that went away while it was being answered is the client's business, not an error of ours.
        with contextlib.suppress(aiohttp.ClientConnectionError, ConnectionError):
            await lane.responder.answer(request, reply, lane)
    except Exception as error:  # noqa: BLE001 - the top of this thread: a mistake of ours must not look like the model's
        lane.fail(f"the gateway failed: {type(error).__name__}: {error}")
        reply.reset()
    finally:
        reply.leave()
        lane.tasks.discard(task)


async def _close_lane(lane: Lane) -> None:
    tasks = list(lane.tasks)
    for task in tasks:
        task.cancel()
    if tasks:
        await asyncio.wait(tasks, timeout=STOP_S)
    await lane.responder.closed()


def _token(http: web.BaseRequest) -> str:
    key = http.headers.get("x-api-key")
    if key is not None:
        return key
    scheme, _, bearer = http.headers.get("Authorization", "").partition(" ")
    return bearer if scheme.lower() == "bearer" else ""


async def _read_body(http: web.BaseRequest) -> bytes | None:
    """The whole body; None where it is larger than the gateway takes."""
    if (http.content_length or 0) > MAX_BODY_BYTES:
        return None
    parts: list[bytes] = []
    size = 0
    async for part in http.content.iter_any():
        size += len(part)
        if size > MAX_BODY_BYTES:
            return None
        parts.append(part)
    return b"".join(parts)


class HttpReply:
    """The answer to one HTTP request, and its traces on the lane."""

    def __init__(self, http: web.BaseRequest) -> None:
        self._http = http
        self._began = False
        self.lane: Lane | None = None
        self.response: web.StreamResponse = web.Response(status=500)

    async def send(self, status: int, body: bytes, headers: Headers = ()) -> None:
        self._status(status, headers)
        self._begin()
        self.leave()  # first, so that who has the answer also finds the lane at rest
        self.response = web.Response(status=status, body=body, headers=CIMultiDict(headers))
        await self.response.prepare(self._http)
        await self.response.write_eof()

    async def start(self, status: int, headers: Headers = ()) -> None:
        self._status(status, headers)
        self.response = web.StreamResponse(status=status, headers=CIMultiDict(headers))
        await self.response.prepare(self._http)

    async def write(self, chunk: bytes) -> None:
        self._begin()
        await self.response.write(chunk)

    async def finish(self) -> None:
        self.leave()
        await self.response.write_eof()

    def cut(self) -> None:
        self._http.protocol.force_close()
        if self._http.transport is not None:
            self._http.transport.close()

    def reset(self) -> None:
        transport = self._http.transport
        if transport is None:
            return
        sock = transport.get_extra_info("socket")
        if sock is not None and sock.family == socket.AF_INET:
            # Without lingering the kernel sends RST where a plain close would send FIN.
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        transport.abort()

    def leave(self) -> None:
        """The exchange is over, however it ended."""
        if self.lane is not None:
            if self._began:
                self.lane.streaming -= 1
            else:
                self.lane.pending -= 1
            self.lane = None

    def _begin(self) -> None:
        lane = self.lane
        if lane is None:
            return
        if not self._began:
            self._began = True
            lane.pending -= 1
            lane.streaming += 1
        lane.last_byte_at = time.monotonic()

    def _status(self, status: int, headers: Headers) -> None:
        if self.lane is not None:
            wait = next((value for name, value in headers if name.lower() == "retry-after"), None)
            self.lane.saw_status(status, wait)
