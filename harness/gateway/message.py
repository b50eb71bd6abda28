"""An assistant message as the Messages API sends it, whole or as server-sent events."""

from collections.abc import Iterator, Mapping

import orjson
from msgspec import Struct


class Call(Struct, frozen=True, kw_only=True):
    id: str
    name: str
    input: Mapping[str, object]


class Message(Struct, frozen=True, kw_only=True):
    """One answer of a model: text first, then tool calls."""

    id: str
    model: str
    text: str
    calls: tuple[Call, ...]
    usage: Mapping[str, object]

    @property
    def stop_reason(self) -> str:
        return "tool_use" if self.calls else "end_turn"


def as_json(message: Message) -> bytes:
    """The non-streaming form."""
    content: list[object] = [{"type": "text", "text": message.text}] if message.text else []
    content += [{"type": "tool_use", "id": c.id, "name": c.name, "input": c.input} for c in message.calls]
    return orjson.dumps(_envelope(message) | {"content": content, "stop_reason": message.stop_reason})


def as_events(message: Message) -> Iterator[bytes]:
    """The streaming form, one server-sent event at a time."""
    start_usage = {**message.usage, "output_tokens": 1}
    yield event("message_start", {"message": _envelope(message) | {"usage": start_usage}})
    index = 0
    if message.text:
        yield from _block(index, {"type": "text", "text": ""}, {"type": "text_delta", "text": message.text})
        index += 1
    for call in message.calls:
        empty = {"type": "tool_use", "id": call.id, "name": call.name, "input": {}}
        partial = orjson.dumps(call.input).decode()
        yield from _block(index, empty, {"type": "input_json_delta", "partial_json": partial})
        index += 1
    stop = {"stop_reason": message.stop_reason, "stop_sequence": None}
    yield event("message_delta", {"delta": stop, "usage": message.usage})
    yield event("message_stop", {})


def event(kind: str, fields: Mapping[str, object]) -> bytes:
    return b"event: %s\ndata: %s\n\n" % (kind.encode(), orjson.dumps({"type": kind, **fields}))


def _block(index: int, start: object, delta: object) -> Iterator[bytes]:
    yield event("content_block_start", {"index": index, "content_block": start})
    if index == 0:
        yield event("ping", {})
    yield event("content_block_delta", {"index": index, "delta": delta})
    yield event("content_block_stop", {"index": index})


def _envelope(message: Message) -> dict[str, object]:
    return {
        "id": message.id,
        "type": "message",
        "role": "assistant",
        "model": message.model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": message.usage,
    }
