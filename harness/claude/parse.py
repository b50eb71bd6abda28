"""Knows how one line of the stream becomes events, and that the line may hold any bytes at all."""

import json
import re

import orjson

from harness.claude.blocks import Odd, content_blocks, denied_ids, usage_of
from harness.claude.fields import mapping, maybe_number, text
from harness.claude.framing import Line
from harness.claude.hot import parse_hot
from harness.claude.system import parse_result, parse_system
from harness.model.event import AssistantMessage, Event, Noise, Oversize, RateLimit, Unknown, UserMessage

_PREVIEW = 200
_NO_MESSAGE: dict[str, object] = {"content": []}
_EDGES = "\ufeff\0 \t\r\n"
_SURROGATE = re.compile("[\ud800-\udfff]")


def parse_line(line: Line) -> tuple[Event, ...]:
    """Return the events of one line; never raises, and a blank line has none.

    What could not be read, or only in part, is told by ``Noise`` beside the events that could.
    """
    if line.data is None:
        return (Oversize(index=line.index, offset=line.offset, size=line.size),)
    ordinary = parse_hot(line.index, line.data)
    return (ordinary,) if ordinary is not None else parse_tolerantly(line.index, line.data)


def parse_tolerantly(index: int, data: bytes) -> tuple[Event, ...]:
    """The events of a line of any shape."""
    try:
        value: object = orjson.loads(data)
    except orjson.JSONDecodeError:
        return _parse_odd_bytes(index, data)
    if type(value) is dict:
        return _parse_object(index, value)
    return _parse_value(index, value)


def _parse_odd_bytes(index: int, data: bytes) -> tuple[Event, ...]:
    """Read what the strict parser refuses but a person would not: bad UTF-8, BOM, NUL, half emoji."""
    decoded = data.decode("utf-8", "replace")
    stripped = decoded.strip(_EDGES)
    if not stripped:
        return ()
    replaced = _bad_utf8(index, data, decoded)
    try:
        value = _without_surrogates(json.loads(stripped, strict=False))
    except (ValueError, RecursionError):
        return (Noise(index=index, why="not JSON", preview=stripped[:_PREVIEW]), *replaced)
    return (*_parse_value(index, value), *replaced)


def _bad_utf8(index: int, data: bytes, decoded: str) -> tuple[Noise, ...]:
    if "\ufffd" not in decoded or decoded.encode() == data:
        return ()
    return (Noise(index=index, why="invalid UTF-8 replaced", preview=decoded[:_PREVIEW], fault="utf8"),)


def _without_surrogates(value: object) -> object:
    """A lone surrogate is legal in JSON and cannot be written as UTF-8 afterwards."""
    written = json.dumps(value, ensure_ascii=False)
    if not _SURROGATE.search(written):
        return value
    clean: object = json.loads(_SURROGATE.sub("\ufffd", written))
    return clean


def _parse_value(index: int, value: object) -> tuple[Event, ...]:
    if isinstance(value, dict):
        return _parse_object(index, value)
    if not isinstance(value, list):
        return (Noise(index=index, why="a JSON scalar", preview=repr(value)[:_PREVIEW]),)
    events: list[Event] = []
    for item in value:
        if isinstance(item, dict):
            events.extend(_parse_object(index, item))
        else:
            events.append(Noise(index=index, why="no object in the array", preview=repr(item)[:_PREVIEW]))
    return tuple(events)


def _parse_object(index: int, data: dict[str, object]) -> tuple[Event, ...]:
    kind = data.get("type")
    odd: Odd = []
    if kind == "user":
        event: Event = _parse_user(index, data, odd)
    elif kind == "assistant":
        event = _parse_assistant(index, data, odd)
    elif kind == "system":
        event = parse_system(index, data)
    elif kind == "result":
        event = parse_result(index, data)
    elif kind == "rate_limit_event":
        event = _parse_rate_limit(index, data)
    else:
        event = Unknown(index=index, type=text(kind))
    if not odd:
        return (event,)
    return (event, *(Noise(index=index, why=why, preview="", fault="odd") for why in odd))


def _parse_user(index: int, data: dict[str, object], odd: Odd) -> UserMessage:
    message, timestamp = data.get("message"), data.get("timestamp")
    if type(message) is not dict:
        odd.append("message is no object")
        message = _NO_MESSAGE
    return UserMessage(
        index=index,
        blocks=content_blocks(message.get("content"), odd),
        parent_tool_use_id=_parent(data),
        denied=denied_ids(data.get("tool_result_meta")),
        timestamp=timestamp if type(timestamp) is str else "",
    )


def _parse_assistant(index: int, data: dict[str, object], odd: Odd) -> AssistantMessage:
    message, timestamp = data.get("message"), data.get("timestamp")
    if type(message) is not dict:
        odd.append("message is no object")
        message = _NO_MESSAGE
    name, model = message.get("id"), message.get("model")
    return AssistantMessage(
        index=index,
        message_id=name if type(name) is str else "",
        model=model if type(model) is str else "",
        blocks=content_blocks(message.get("content"), odd),
        parent_tool_use_id=_parent(data),
        error=_error(data),
        usage=usage_of(message.get("usage")),
        timestamp=timestamp if type(timestamp) is str else "",
    )


def _error(data: dict[str, object]) -> str:
    """Why the CLI speaks in the model's place; some versions say only that it does."""
    if "error" in data and (named := text(data["error"])):
        return named
    for mark in ("is_api_error_message", "isApiErrorMessage"):
        if mark in data and data[mark] is True:
            return "unknown"
    return ""


def _parent(data: dict[str, object]) -> str | None:
    """The Agent call behind a message; older streams only say that it is a side conversation."""
    parent = data.get("parent_tool_use_id")
    if parent is None:
        return "sidechain" if "isSidechain" in data and data["isSidechain"] is True else None
    return parent if type(parent) is str and parent else None


def _parse_rate_limit(index: int, data: dict[str, object]) -> RateLimit:
    info = mapping(data.get("rate_limit_info"))
    return RateLimit(
        index=index,
        status=text(info.get("status")),
        resets_at=maybe_number(info.get("resetsAt")),
        limit_type=text(info.get("rateLimitType")),
    )
