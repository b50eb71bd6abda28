"""Where in a request claude tells the model that something in the background has ended."""

import re
from collections.abc import Iterator, Mapping

import orjson
from msgspec import Struct

from harness.gateway.conversation import messages

_TOOLS = r"<tools-used-before-summary>[^<]*</tools-used-before-summary>\n?"
"""Stands before a notice, or in a reminder of its own."""
_NOTICE = rf"(?:{_TOOLS})?\[SYSTEM NOTIFICATION[^<]*<task-notification>(?P<said>.*?)</task-notification>"
_FOUND = re.compile(_NOTICE, re.DOTALL)
_TAKEN_OUT = re.compile(
    rf"<system-reminder>\n(?:{_TOOLS}|{_NOTICE.replace('?P<said>', '?:')})\n?</system-reminder>\n*"
    rf"|{_NOTICE.replace('?P<said>', '?:')}\n*",
    re.DOTALL,
)
_TASK = re.compile(r"<task-id>([^<]*)</task-id>")
_CALL = re.compile(r"<tool-use-id>([^<]*)</tool-use-id>")
_MARK = b"<task-notification>"


class Notice(Struct, frozen=True, kw_only=True):
    task: str
    """The subagent's id, or a command's."""
    call: str
    """The id of the tool call that started it; '' where it is not told."""
    message: int
    """Where it stands, from 0."""
    text: str


def notices_of(body: object) -> tuple[Notice, ...]:
    """In the order of the request."""
    return tuple(_notices(body)) if _MARK in orjson.dumps(body) else ()


def _notices(body: object) -> Iterator[Notice]:
    for number, message in enumerate(messages(body)):
        for text in _texts(message.get("content")):
            for found in _FOUND.finditer(text):
                said = found["said"]
                task, call = _TASK.search(said), _CALL.search(said)
                yield Notice(
                    task=task[1] if task else "", call=call[1] if call else "", message=number, text=said
                )


def without_notices(body: object) -> object:
    """The body as if nothing had been told yet; messages that told nothing else are left out."""
    if not isinstance(body, Mapping):
        return body
    kept: list[object] = []
    for message in messages(body):
        content = message.get("content")
        if not any(_FOUND.search(text) for text in _texts(content)):
            kept.append(message)
        elif left := _left(content):
            kept.append(message | {"content": left})
    return {**body, "messages": kept}


def _left(content: object) -> object:
    if isinstance(content, str):
        return _TAKEN_OUT.sub("", content)
    left: list[object] = []
    for block in content if isinstance(content, list) else []:
        if isinstance(block, dict) and isinstance(block.get("text"), str):
            text = _TAKEN_OUT.sub("", block["text"])
            left += [block | {"text": text}] if text.strip() else []
        else:
            left.append(block)
    return left


def _texts(content: object) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    for block in content if isinstance(content, list) else []:
        if isinstance(block, dict) and isinstance(block.get("text"), str):
            yield block["text"]
