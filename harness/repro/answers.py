"""What a model said in one recorded answer: its text and its tool calls, without its thinking."""

from collections.abc import Iterator, Mapping, Sequence

import orjson
from msgspec import Struct

from harness.claude.fields import items, mapping, text
from harness.gateway.wire import Recorded


class Answer(Struct, frozen=True, kw_only=True):
    text: str
    calls: tuple[tuple[str, Mapping[str, object]], ...]
    """Tool and input, in their order."""


def answer_of(recorded: Recorded) -> Answer | None:
    """None where the exchange did not bring a whole message."""
    if recorded.status != 200 or recorded.ended != "complete":
        return None
    if recorded.response_headers.get("content-type", "").startswith("text/event-stream"):
        blocks = _assembled(recorded.text)
    else:
        blocks = [mapping(b) for b in items(mapping(_json(recorded.text)).get("content"))]
    if blocks is None:
        return None
    said = [text(b.get("text")) for b in blocks if b.get("type") == "text"]
    calls = [(text(b.get("name")), mapping(b.get("input"))) for b in blocks if b.get("type") == "tool_use"]
    return Answer(text="\n\n".join(t for t in said if t), calls=tuple(calls))


def _assembled(stream: str) -> Sequence[Mapping[str, object]] | None:
    """The blocks of a stream of events; None where it does not come to its end."""
    blocks: dict[object, dict[str, object]] = {}
    parts: dict[object, list[str]] = {}
    ended = False
    for event in _events(stream):
        index = event.get("index")
        match event.get("type"):
            case "content_block_start":
                blocks[index] = dict(mapping(event.get("content_block")))
            case "content_block_delta":
                delta = mapping(event.get("delta"))
                parts.setdefault(index, []).append(text(delta.get("text")) or text(delta.get("partial_json")))
            case "message_stop":
                ended = True
    for index, block in blocks.items():
        whole = "".join(parts.get(index, ()))
        if block.get("type") == "text":
            block["text"] = text(block.get("text")) + whole
        elif block.get("type") == "tool_use" and whole:
            block["input"] = _json(whole)
    return list(blocks.values()) if ended else None


def _events(stream: str) -> Iterator[Mapping[str, object]]:
    for line in stream.split("\n"):
        if line.startswith("data:"):
            yield mapping(_json(line[5:]))


def _json(given: str) -> object:
    try:
        return orjson.loads(given)
    except orjson.JSONDecodeError:
        return None
