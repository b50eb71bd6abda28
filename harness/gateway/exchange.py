"""One request and the way to answer it: what every responder is given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Protocol

import orjson

if TYPE_CHECKING:
    from harness.gateway.lane import Lane

Headers = Iterable[tuple[str, str]]


class Request:
    """One HTTP request, read to its end; the body is parsed at most once."""

    __slots__ = ("_json", "body", "headers", "method", "path")

    def __init__(self, *, method: str, path: str, headers: Mapping[str, str], body: bytes) -> None:
        self.method = method
        self.path = path
        """With the query."""
        self.headers = headers
        """Looked up without regard to case."""
        self.body = body
        self._json: object = ...

    @property
    def json(self) -> object:
        """The body as JSON; None where it is not."""
        if self._json is ...:
            try:
                self._json = orjson.loads(self.body)
            except orjson.JSONDecodeError:
                self._json = None
        return self._json

    @property
    def route(self) -> str:
        """Method and path without the query, e.g. ``POST /v1/messages``."""
        return f"{self.method} {self.path.partition('?')[0]}"

    @property
    def asks_for_message(self) -> bool:
        return self.route == "POST /v1/messages"


class Reply(Protocol):
    """Where a responder puts its answer: either one ``send``, or ``start``, ``write``…, ``finish``.

    ``cut`` ends a begun answer in its middle; ``reset`` tears the connection down at any point.
    """

    async def send(self, status: int, body: bytes, headers: Headers = ()) -> None: ...
    async def start(self, status: int, headers: Headers = ()) -> None: ...
    async def write(self, chunk: bytes) -> None: ...
    async def finish(self) -> None: ...
    def cut(self) -> None: ...
    def reset(self) -> None: ...


class Responder(Protocol):
    """Whatever answers for the model. May serve several lanes."""

    any_route: bool = False
    """Whether it answers paths other than those for messages."""

    async def answer(self, request: Request, reply: Reply, lane: Lane) -> None: ...

    def opened(self) -> None:
        """A lane begins to use it."""
        return

    async def closed(self) -> None:
        """A lane no longer uses it."""
        return


JSON_HEADERS = (("content-type", "application/json"),)
SSE_HEADERS = (("content-type", "text/event-stream; charset=utf-8"), ("cache-control", "no-cache"))


def error_body(kind: str, message: str) -> bytes:
    """An error as the API words it."""
    return orjson.dumps({"type": "error", "error": {"type": kind, "message": message}})


async def send_error(reply: Reply, status: int, kind: str, message: str, headers: Headers = ()) -> None:
    await reply.send(status, error_body(kind, message), (*JSON_HEADERS, *headers))


REFUSAL = "harness: "
"""Begins every error that is the gateway's own and not the model's."""


async def refuse(reply: Reply, lane: Lane, reason: str) -> None:
    """Note why there is no answer, and end the run: claude does not retry a 400."""
    lane.fail(reason)
    await send_error(reply, 400, "invalid_request_error", f"{REFUSAL}{reason}")
