"""Recorded server-sent events with old paths turned into new ones."""

from collections.abc import Iterator

import orjson

from harness.gateway.canonical import Moved
from harness.gateway.message import event

TEXT_OF_DELTA = {"text_delta": "text", "input_json_delta": "partial_json"}
"""Thinking is left as it was: its signature holds for the old words only."""


def rewrite_events(text: str, moved: Moved) -> str:
    """``text`` as it was but for the paths. A path may be spread over several deltas, so the deltas of one
    block become one."""
    return text if moved.nothing else "".join(_rewritten(text, moved))


def _rewritten(text: str, moved: Moved) -> Iterator[str]:
    held: list[str] = []
    place: tuple[object, str] | None = None
    for raw in text.split("\n\n"):
        delta = _text_delta(raw)
        if delta is None or delta[:2] != place:
            if place is not None:
                yield _joined(place, moved.text("".join(held)))
            held, place = [], None
        if delta is not None:
            place = delta[:2]
            held.append(delta[2])
        elif raw:
            yield moved.text(raw) + "\n\n"
    if place is not None:
        yield _joined(place, moved.text("".join(held)))


def _joined(place: tuple[object, str], text: str) -> str:
    index, kind = place
    return event(
        "content_block_delta", {"index": index, "delta": {"type": kind, TEXT_OF_DELTA[kind]: text}}
    ).decode()


def _text_delta(raw: str) -> tuple[object, str, str] | None:
    """Block index, kind and text of a delta event that carries text."""
    _, found, data = raw.partition("data:")
    if not found:
        return None
    try:
        fields: object = orjson.loads(data.strip())
    except orjson.JSONDecodeError:
        return None
    match fields:
        case {"type": "content_block_delta", "index": index, "delta": {"type": str(kind), **rest}}:
            text = rest.get(TEXT_OF_DELTA.get(kind, ""))
            return (index, kind, text) if isinstance(text, str) else None
    return None
