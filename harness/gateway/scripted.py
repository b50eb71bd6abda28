"""The scripted model: plays a playbook, each turn to the request that has come as far as that turn."""

import asyncio
from collections.abc import Mapping, Sequence

import orjson
from msgspec import Struct
from msgspec.structs import replace

from harness.gateway.conversation import (
    AGENT_HEADER,
    assistant_count,
    first_user_text,
    is_subagent,
    model_of,
    wants_stream,
)
from harness.gateway.exchange import JSON_HEADERS, SSE_HEADERS, Reply, Request, Responder, refuse, send_error
from harness.gateway.lane import Lane
from harness.gateway.message import Call, Message, as_events, as_json
from harness.gateway.templates import UnknownVariableError, fill, fill_all
from harness.model.scenario import ApiFailure, Playbook, Subplay, ToolUse, Turn

BYTES_PER_TOKEN = 4
"""Of a request or an answer; near enough for a cost column that must only be plausible."""


class Step(Struct, frozen=True):
    """One place in a conversation: what goes wrong there first, then the message, if there is one."""

    troubles: tuple[Turn, ...]
    message: Turn | None

    def turn(self, attempt: int) -> Turn | None:
        """What the ``attempt``-th request (from 0) at this place gets."""
        for trouble in self.troubles:
            times = trouble.failure.times if trouble.failure else trouble.fault_times
            if times is None or attempt < times:
                return trouble
            attempt -= times
        return self.message


class Conversation:
    """The steps of one conversation and how far the requests for them have come."""

    def __init__(self, *, name: str, prefix: str, turns: Sequence[Turn], seed: int) -> None:
        self.name = name
        self.steps = _steps(turns)
        self.turns = sum(step.message is not None for step in self.steps)
        self.prefix = prefix
        self.seed = seed
        """Assistant messages that stood in the first request: a resumed conversation, not ours."""
        self.cached = 0
        """Tokens of the longest request so far: what the next one reads from the cache."""
        self._attempts: dict[int, int] = {}

    def next(self, position: int) -> Turn | None:
        attempt = self._attempts.get(position, 0)
        self._attempts[position] = attempt + 1
        return self.steps[position].turn(attempt) if 0 <= position < len(self.steps) else None


class ScriptedModel(Responder):
    """A responder that plays ``playbook`` to one run. ``variables`` fill its templates."""

    def __init__(self, playbook: Playbook, variables: Mapping[str, str]) -> None:
        self._where = str(playbook.path)
        self._problem = ""
        self._turns: tuple[Turn, ...] = ()
        self._subplays: tuple[Subplay, ...] = ()
        self._main: tuple[str, Conversation] | None = None
        self._subagents: dict[str, Conversation] = {}
        try:
            self._turns = tuple(_filled(turn, variables) for turn in playbook.turns)
            self._subplays = tuple(_filled_subplay(s, variables) for s in playbook.subagents)
        except UnknownVariableError as unknown:
            known = ", ".join(sorted(variables)) or "none"
            self._problem = f"{self._where}: unknown variable {{{{{unknown}}}}} (known: {known})"

    async def answer(self, request: Request, reply: Reply, lane: Lane) -> None:
        body = request.json
        if not isinstance(body, dict):
            await send_error(reply, 400, "invalid_request_error", "The request body is not valid JSON")
        elif not request.asks_for_message:
            await reply.send(200, orjson.dumps({"input_tokens": _tokens(request.body)}), JSON_HEADERS)
        elif self._problem:
            await refuse(reply, lane, self._problem)
        else:
            await self._play(request, reply, lane)

    async def _play(self, request: Request, reply: Reply, lane: Lane) -> None:
        talk = self._conversation(request)
        if isinstance(talk, str):
            await refuse(reply, lane, talk)
            return
        position = assistant_count(request.json) - talk.seed
        turn = talk.next(position)
        if turn is None:
            place = f"has no turn {position + 1} for {talk.name}: it holds {talk.turns}"
            await refuse(reply, lane, f"{self._where}: the playbook {place}")
            return
        if turn.delay_s:
            await asyncio.sleep(turn.delay_s)
        if turn.failure is not None:
            await _fail(reply, turn.failure)
        else:
            await _say(reply, request, _message(talk, position, turn, request), turn.fault)

    def _conversation(self, request: Request) -> Conversation | str:
        """The conversation that the request goes on with, or why there is none."""
        said = first_user_text(request.json)
        if is_subagent(request):
            return self._subagent(request, said)
        if self._main is None:
            talk = Conversation(
                name="the main conversation", prefix="", turns=self._turns, seed=assistant_count(request.json)
            )
            self._main = (said, talk)
        if said == self._main[0]:
            return self._main[1]
        # A CLI that does not mark its subagents.
        return self._subagent(request, said)

    def _subagent(self, request: Request, said: str) -> Conversation | str:
        key = request.headers.get(AGENT_HEADER, said)
        if key in self._subagents:
            return self._subagents[key]
        for number, play in enumerate(self._subplays):
            if play.match in said:
                same = sum(talk.prefix.startswith(f"s{number}n") for talk in self._subagents.values())
                talk = Conversation(
                    name=f"the subagent that matches {play.match!r}",
                    prefix=f"s{number}n{same}_",
                    turns=play.turns,
                    seed=assistant_count(request.json),
                )
                self._subagents[key] = talk
                return talk
        return f"{self._where}: no place for a request of a conversation that begins {said[:120]!r}"


async def _fail(reply: Reply, failure: ApiFailure) -> None:
    await send_error(reply, failure.status, failure.type, failure.message, failure.headers)


async def _say(reply: Reply, request: Request, message: Message, fault: str) -> None:
    """Send the message as asked for, whole or as events, or as the fault would have it."""
    if fault == "hang":
        await asyncio.Event().wait()
    if fault == "reset":
        reply.reset()
    elif not wants_stream(request.json):
        await _say_whole(reply, as_json(message), fault)
    else:
        await _say_events(reply, list(as_events(message)), fault)


async def _say_whole(reply: Reply, body: bytes, fault: str) -> None:
    if fault == "cut":
        await reply.start(200, JSON_HEADERS)
        await reply.write(body[: len(body) // 2])
        reply.cut()
    else:
        await reply.send(200, body[:-1] if fault == "malformed" else body, JSON_HEADERS)


async def _say_events(reply: Reply, events: list[bytes], fault: str) -> None:
    if fault == "cut":
        await reply.start(200, SSE_HEADERS)
        await reply.write(b"".join(events[: len(events) // 2]))
        reply.cut()
    elif fault == "malformed":
        broken = b'event: content_block_delta\ndata: {"type": "content_block_delta", "index": \n\n'
        await reply.send(200, events[0] + broken + b"".join(events[1:]), SSE_HEADERS)
    else:
        await reply.send(200, b"".join(events), SSE_HEADERS)


def _message(talk: Conversation, position: int, turn: Turn, request: Request) -> Message:
    """Ids follow from the place alone, so that the same playbook gives the same conversation every time."""
    number = f"{talk.prefix}{position}"
    calls = tuple(
        Call(id=f"toolu_{number}_{index}", name=tool.name, input=tool.input)
        for index, tool in enumerate(turn.tools)
    )
    sent = _tokens(request.body)
    said = len(turn.text.encode()) + sum(len(orjson.dumps(call.input)) for call in calls)
    cached, talk.cached = min(talk.cached, sent), max(talk.cached, sent)
    usage = {
        "input_tokens": 4,
        "cache_creation_input_tokens": sent - cached,
        "cache_read_input_tokens": cached,
        "output_tokens": 1 + said // BYTES_PER_TOKEN,
    }
    model = model_of(request.json)
    return Message(id=f"msg_{number}", model=model, text=turn.text, calls=calls, usage=usage)


def _tokens(body: bytes) -> int:
    return len(body) // BYTES_PER_TOKEN


def _steps(turns: Sequence[Turn]) -> tuple[Step, ...]:
    steps: list[Step] = []
    troubles: list[Turn] = []
    for turn in turns:
        if turn.failure is not None or turn.fault:
            troubles.append(turn)
        else:
            steps.append(Step(tuple(troubles), turn))
            troubles = []
    return (*steps, Step(tuple(troubles), None)) if troubles else tuple(steps)


def _filled(turn: Turn, variables: Mapping[str, str]) -> Turn:
    tools = tuple(_filled_tool(tool, variables) for tool in turn.tools)
    return replace(turn, text=fill(turn.text, variables), tools=tools)


def _filled_tool(tool: ToolUse, variables: Mapping[str, str]) -> ToolUse:
    given = {fill(name, variables): fill_all(value, variables) for name, value in tool.input.items()}
    return replace(tool, input=given)


def _filled_subplay(play: Subplay, variables: Mapping[str, str]) -> Subplay:
    turns = tuple(_filled(turn, variables) for turn in play.turns)
    return replace(play, match=fill(play.match, variables), turns=turns)
