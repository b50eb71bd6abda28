"""How a Messages API request tells which conversation it belongs to, and how far that has come."""

from collections.abc import Iterator

from harness.gateway.exchange import Request

AGENT_HEADER = "x-claude-code-agent-id"
"""Sent by Claude Code 2.1.332 with the requests of a subagent; its value names the subagent."""
SUBAGENT_MARK = "cc_is_subagent=true"
"""Stands in the first system block of a subagent's request."""
REMINDER = "<system-reminder>"


def is_subagent(request: Request) -> bool:
    if AGENT_HEADER in request.headers:
        return True
    first = next(_texts(_field(request.json, "system")), "")
    return SUBAGENT_MARK in first


def messages(body: object) -> list[dict[str, object]]:
    """The messages that are objects; the API allows no others."""
    found = _field(body, "messages")
    return [m for m in found if isinstance(m, dict)] if isinstance(found, list) else []


def assistant_count(body: object) -> int:
    return sum(m.get("role") == "assistant" for m in messages(body))


def first_user_text(body: object) -> str:
    """What the user said first, without the reminders that the CLI puts before it."""
    for message in messages(body):
        if message.get("role") == "user":
            said = [t for t in _texts(message.get("content")) if not t.lstrip().startswith(REMINDER)]
            return "\n".join(said)
    return ""


def request_text(body: object) -> str:
    """All text that the model would see: the system prompt, then the messages in order, tool results too."""
    parts = list(_texts(_field(body, "system")))
    for message in messages(body):
        parts.extend(_texts(message.get("content")))
    return "\n".join(parts)


def model_of(body: object) -> str:
    name = _field(body, "model")
    return name if isinstance(name, str) else "unknown"


def wants_stream(body: object) -> bool:
    return _field(body, "stream") is True


def answers_tool(body: object, tool: str) -> bool:
    """Whether the last user message brings the result of a call of ``tool`` by the last assistant message."""
    called: set[object] = set()
    answered: set[object] = set()
    for message in messages(body):
        blocks = _blocks(message.get("content"))
        if message.get("role") == "assistant":
            called = {b.get("id") for b in blocks if b.get("type") == "tool_use" and b.get("name") == tool}
        elif message.get("role") == "user":
            answered = {b.get("tool_use_id") for b in blocks if b.get("type") == "tool_result"}
    return bool(called & answered)


def _field(body: object, name: str) -> object:
    return body.get(name) if isinstance(body, dict) else None


def _blocks(content: object) -> list[dict[str, object]]:
    return [b for b in content if isinstance(b, dict)] if isinstance(content, list) else []


def _texts(content: object) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    for block in _blocks(content):
        text = block.get("text")
        if isinstance(text, str):
            yield text
        elif block.get("type") == "tool_result":
            yield from _texts(block.get("content"))
