"""What a request would have shown the model, as text that two of them can be compared by."""

import difflib
from collections.abc import Iterator, Mapping

import orjson

MOST_LINES = 200
_TEXTS = ("text", "thinking")


def seen_diff(old: object, new: object) -> str:
    """A unified diff of what the model sees, part by part; parts that are the same are left out."""
    before, after = dict(_parts(old)), dict(_parts(new))
    names = [*before, *(name for name in after if name not in before)]
    lines: list[str] = []
    for name in names:
        one, other = before.get(name, ""), after.get(name, "")
        if one != other:
            lines += difflib.unified_diff(
                one.split("\n"), other.split("\n"), f"{name} (then)", f"{name} (now)", lineterm="", n=2
            )
    if len(lines) > MOST_LINES:
        lines = [*lines[:MOST_LINES], f"… and {len(lines) - MOST_LINES} lines more"]
    return "\n".join(lines)


def _parts(body: object) -> Iterator[tuple[str, str]]:
    """Names of parts in the order of a request, each with its text."""
    if not isinstance(body, Mapping):
        yield "body", _plain(body)
        return
    rest = {name: value for name, value in body.items() if name not in {"system", "messages", "tools"}}
    yield "settings", _plain(rest)
    yield from _blocks("system prompt", body.get("system"))
    for tool in _list(body.get("tools")):
        name = tool.get("name") if isinstance(tool, Mapping) else "?"
        yield f"tool {name}", _plain(tool)
    for number, message in enumerate(_list(body.get("messages"))):
        if isinstance(message, Mapping):
            yield from _blocks(f"message {number} ({message.get('role')})", message.get("content"))


def _blocks(name: str, content: object) -> Iterator[tuple[str, str]]:
    if isinstance(content, str):
        yield name, content
        return
    for number, block in enumerate(_list(content)):
        yield f"{name}, block {number}", _block(block)


def _block(block: object) -> str:
    if not isinstance(block, Mapping):
        return _plain(block)
    for kind in _TEXTS:
        if isinstance(block.get(kind), str):
            return str(block[kind])
    if block.get("type") == "tool_result":
        inner = block.get("content")
        texts = [inner] if isinstance(inner, str) else [_block(b) for b in _list(inner)]
        error = " (error)" if block.get("is_error") else ""
        return "\n".join([f"result of {block.get('tool_use_id')}{error}:", *texts])
    return _plain(block)


def _plain(value: object) -> str:
    return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []
