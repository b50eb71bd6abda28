"""The replaying model: gives each request the answer that the same request got when it was recorded."""

import asyncio
from collections.abc import Callable, Iterable, Iterator

import orjson
from msgspec import Struct

from harness.gateway.canonical import (
    Moved,
    canonical_assistants,
    canonical_body,
    canonical_text,
    strict_body,
)
from harness.gateway.conversation import assistant_count, first_user_text, is_subagent
from harness.gateway.departure import Departure, but_for_notices, departure, told_elsewhere
from harness.gateway.exchange import REFUSAL, Reply, Request, Responder, refuse
from harness.gateway.ids import renamed
from harness.gateway.lane import Lane
from harness.gateway.notices import notices_of
from harness.gateway.pace import Heard, Pace
from harness.gateway.rewrite import rewrite_events
from harness.gateway.wire import Recorded

MESSAGES = "POST /v1/messages"
Lineage = tuple[str, str, bytes]
"""Whose conversation it is, how it began, and all that the model has said in it."""


class Stop(Struct, frozen=True, kw_only=True):
    """Where a replay is to end: exchange ``before`` gets no answer any more, and ``reached`` is called."""

    before: int
    reached: Callable[[], None]


class Replay(Responder):
    """Serves recorded exchanges by the lineage of their conversation.

    A request belongs to the recorded one in whose conversation the model had said the same so far; of several
    (retries) each is used once, in order. What else a request says does not choose the answer: where it
    differs from the recorded one, the first such place is put on the lane. ``paths`` are (old, new) places of
    world, home and plugin; recorded answers get the new ones.

    ``strict``: bodies must be equal but for ``metadata.user_id``. ``stop_at_difference``: the replay does not
    outlive the first difference. A request that was never recorded, or a stop, ends the run with the reason
    on the lane; with ``beyond``, that responder answers from there on instead.

    Where in a conversation the end of a background task is told is no difference, if what is told was told in the
    recording too; ``moved`` has the requests of which that is so. ``heard`` knows what claude has told.
    """

    any_route = True

    def __init__(
        self,
        exchanges: Iterable[Recorded],
        *,
        strict: bool = False,
        paths: Iterable[tuple[str, str]] = (),
        stop_at_difference: bool = False,
        beyond: Responder | None = None,
        stop: Stop | None = None,
        heard: Heard | None = None,
    ) -> None:
        self._paths = () if strict else tuple(paths)
        self._ids: dict[str, str] = {}
        self._moved = Moved(self._paths)
        """For what was recorded."""
        self._here = Moved(())
        """For what is said now, which is compared in terms of new paths and old ids."""
        self._strict = strict
        self._stops = strict or stop_at_difference
        self._beyond = beyond
        self._gone_beyond = False
        self._stop = stop
        self.departure: Departure | None = None
        self.moved: list[int] = []
        """Recorded requests in whose place such an end is told earlier or later."""
        self.went_beyond = ""
        """Why the other responder took over, or ''."""
        self._left: dict[Lineage, list[Recorded]] = {}
        every = sorted(exchanges, key=lambda e: e.n)
        self._pace = Pace((e for e in every if _asks_for_message(e)), heard)
        telling = (self._body(e.body, self._moved) for e in every if notices_of(e.body))
        self._told = {notice.text for body in telling for notice in notices_of(body)}
        for exchange in every:
            old = Request(
                method=exchange.method,
                path=exchange.path,
                headers=exchange.headers,
                body=orjson.dumps(exchange.body),
            )
            self._left.setdefault(self._lineage(old, self._moved), []).append(exchange)

    async def answer(self, request: Request, reply: Reply, lane: Lane) -> None:
        stop = "" if self._gone_beyond else await self._replay(request, reply, lane)
        if self._beyond is not None and (stop or self._gone_beyond):
            self._gone_beyond = True
            self.went_beyond = self.went_beyond or stop
            await self._beyond.answer(request, reply, lane)
        elif stop:
            await refuse(reply, lane, stop)

    def unused(self) -> list[Recorded]:
        """The recorded requests for a message that were answered then and did not come now."""
        left = (e for exchanges in self._left.values() for e in exchanges if e.ended != "unfinished")
        return sorted((e for e in left if _asks_for_message(e) and e.status), key=lambda e: e.n)

    def opened(self) -> None:
        if self._beyond is not None:
            self._beyond.opened()

    async def closed(self) -> None:
        await self._pace.close()
        if self._beyond is not None:
            await self._beyond.closed()

    async def _replay(self, request: Request, reply: Reply, lane: Lane) -> str:
        """Answer from the recording, or say why not."""
        recorded = self._take(request)
        if recorded is None:
            return f"no recorded answer for {_described(request, lane)}"
        if self._stop is not None and recorded.n == self._stop.before:
            self._stop.reached()
            await asyncio.Event().wait()
        found = self._compared(recorded, request)
        if found is not None:
            lane.difference = lane.difference or found.difference
            self.departure = self.departure or found
            if self._stops:
                return str(found.difference)
        refusal = _refusal(recorded)
        if refusal:
            lane.fail(refusal)
        self._learn(recorded, request)
        try:
            await self._pace.wait(recorded.n)
            await _play(
                recorded, reply, Moved([*self._paths, *self._ids.items()]) if self._ids else self._moved
            )
        finally:
            self._pace.over(recorded.n)
        return ""

    def _compared(self, recorded: Recorded, request: Request) -> Departure | None:
        old, new = self._body(recorded.body, self._moved), self._body(request.json, self._here)
        found = departure(recorded.n, old, new)
        if found is not None and not self._strict and told_elsewhere(old, new, self._told):
            self.moved.append(recorded.n)
            return but_for_notices(recorded.n, old, new)
        return found

    def _learn(self, recorded: Recorded, request: Request) -> None:
        """Which ids have come in the place of recorded ones."""
        found = {} if self._strict else renamed(recorded.body, request.json)
        if not found.keys() <= self._ids.keys():
            self._ids = found | self._ids
            self._here = Moved((new, old) for old, new in self._ids.items())

    def _take(self, request: Request) -> Recorded | None:
        """The next unused exchange of the request's lineage."""
        wanted = self._lineage(request, self._here)
        for lineage in (wanted, *self._begun_differently(wanted)):
            left = self._left.get(lineage)
            if left:
                return left.pop(0)
        return None

    def _begun_differently(self, wanted: Lineage) -> Iterator[Lineage]:
        """Main conversations where the model said the same, but that the user began with other words."""
        whose, _, said = wanted
        if whose == "main":
            yield from (found for found in self._left if found[0] == whose and found[2] == said)

    def _lineage(self, request: Request, moved: Moved) -> Lineage:
        if request.route != MESSAGES:
            body = orjson.dumps(canonical_body(request.json, moved), option=orjson.OPT_SORT_KEYS)
            return request.route, "", body
        began = canonical_text(first_user_text(request.json), moved)
        said = orjson.dumps(canonical_assistants(request.json, moved), option=orjson.OPT_SORT_KEYS)
        return "subagent" if is_subagent(request) else "main", began, said

    def _body(self, body: object, moved: Moved) -> object:
        return strict_body(body) if self._strict else canonical_body(body, moved)


def _asks_for_message(recorded: Recorded) -> bool:
    return f"{recorded.method} {recorded.path.partition('?')[0]}" == MESSAGES


def _refusal(recorded: Recorded) -> str:
    """Why the harness itself could not answer then, which is no answer of a model; or ''."""
    if recorded.status != 400 or REFUSAL not in recorded.text:
        return ""
    try:
        answer: object = orjson.loads(recorded.text)
    except orjson.JSONDecodeError:
        return ""
    match answer:
        case {"error": {"message": str(message)}} if message.startswith(REFUSAL):
            return message.removeprefix(REFUSAL)
    return ""


async def _play(recorded: Recorded, reply: Reply, moved: Moved) -> None:
    """The answer as it was, in its end too: what was cut is cut, what never came does not come."""
    text = recorded.text
    if not moved.nothing:
        events = recorded.response_headers.get("content-type", "").startswith("text/event-stream")
        text = rewrite_events(text, moved) if events else moved.text(text)
    headers = tuple(recorded.response_headers.items())
    if recorded.ended == "complete":
        await reply.send(recorded.status, text.encode(), headers)
        return
    if recorded.status:
        await reply.start(recorded.status, headers)
        await reply.write(text.encode())
    if recorded.ended == "cut":
        reply.cut()
    elif recorded.ended == "reset":
        reply.reset()
    else:
        await asyncio.Event().wait()


def _described(request: Request, lane: Lane) -> str:
    if request.route != MESSAGES:
        return request.route
    whose = "a subagent" if is_subagent(request) else "the main conversation"
    said = assistant_count(request.json)
    began = first_user_text(request.json)[:80]
    told = "; it tells the end of a background task, which came at another turn then"
    return f"request {lane.requests}: turn {said + 1} of {whose} that begins {began!r}" + (
        told if notices_of(request.json) else ""
    )
