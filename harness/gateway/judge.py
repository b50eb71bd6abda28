"""The scripted judge: answers ``claude -p --json-schema`` with prepared replies, good ones and bad ones."""

from collections.abc import Mapping, Sequence

import orjson

from harness.gateway.conversation import answers_tool, assistant_count, model_of, wants_stream
from harness.gateway.exchange import JSON_HEADERS, SSE_HEADERS, Reply, Request, Responder, refuse, send_error
from harness.gateway.lane import Lane
from harness.gateway.message import Call, Message, as_events, as_json

TOOL = "StructuredOutput"
"""The only tool that ``--json-schema`` with ``--tools ""`` offers (Claude Code 2.1.332)."""
SESSION_HEADER = "x-claude-code-session-id"
JudgeReply = Mapping[str, object]


class ScriptedJudge(Responder):
    """A responder for judge calls. The n-th judge process (told by its session) gets the n-th reply.

    A reply ``{"text": "…"}`` is said as it stands, and said again when the CLI insists on the tool;
    ``{"error": {"status", "type", "message"}}`` is an API error; ``{"structured": {…}}``, or any other
    mapping, is handed to the StructuredOutput tool, after which the judge ends. A list of replies is used
    up one request after another within one process, its last one repeated: a judge that comes to its senses
    when reminded.
    """

    def __init__(self, replies: Sequence[JudgeReply | Sequence[JudgeReply]]) -> None:
        self._replies = [[r] if isinstance(r, Mapping) else list(r) for r in replies]
        self._processes: list[str] = []
        self._asked: dict[int, int] = {}

    async def answer(self, request: Request, reply: Reply, lane: Lane) -> None:
        if not request.asks_for_message:
            await reply.send(200, orjson.dumps({"input_tokens": len(request.body) // 4}), JSON_HEADERS)
        elif answers_tool(request.json, TOOL):
            await _say(reply, request, "Done.", None)
        else:
            process = self._process(request)
            if process >= len(self._replies):
                held = len(self._replies)
                await refuse(reply, lane, f"the judge has no reply {process + 1}: it holds {held}")
            else:
                await self._judge(process, request, reply)

    def _process(self, request: Request) -> int:
        """Which judge process asks, by order of first appearance."""
        session = request.headers.get(SESSION_HEADER, "")
        begins = session not in self._processes if session else assistant_count(request.json) == 0
        if begins:
            self._processes.append(session)
        return self._processes.index(session) if session else len(self._processes) - 1

    async def _judge(self, process: int, request: Request, reply: Reply) -> None:
        turns = self._replies[process]
        asked = self._asked.get(process, 0)
        self._asked[process] = asked + 1
        chosen = turns[min(asked, len(turns) - 1)]
        error = chosen.get("error")
        if isinstance(error, Mapping):
            status = error.get("status")
            kind, message = str(error.get("type", "api_error")), str(error.get("message", ""))
            await send_error(reply, status if isinstance(status, int) else 500, kind, message)
        elif set(chosen) == {"text"}:
            await _say(reply, request, str(chosen["text"]), None)
        else:
            structured = chosen.get("structured", chosen)
            await _say(reply, request, "", structured if isinstance(structured, Mapping) else {})


async def _say(reply: Reply, request: Request, text: str, given: Mapping[str, object] | None) -> None:
    place = assistant_count(request.json)
    calls = () if given is None else (Call(id=f"toolu_{place}_0", name=TOOL, input=given),)
    said = len(text) if given is None else len(orjson.dumps(given))
    usage = {"input_tokens": len(request.body) // 4, "output_tokens": 1 + said // 4}
    message = Message(id=f"msg_{place}", model=model_of(request.json), text=text, calls=calls, usage=usage)
    if wants_stream(request.json):
        await reply.send(200, b"".join(as_events(message)), SSE_HEADERS)
    else:
        await reply.send(200, as_json(message), JSON_HEADERS)
