"""The two kinds of line that make up nearly all of a stream, decoded straight into what is asked of them.

A line of any other shape is left to the tolerant reader; what this one returns is what that one would.
"""

import msgspec

from harness.claude.blocks import NO_USAGE, NONE_DENIED, usage_tokens
from harness.model.event import (
    AssistantMessage,
    Block,
    OtherBlock,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
    Usage,
    UserMessage,
)

_STARTS = (b'{"type":"user"', b'{"type":"assistant"')
"""How the CLI begins them. Only a hint: a line that begins otherwise is merely read more slowly."""


class _Block(msgspec.Struct, gc=False):
    type: str
    text: str = ""
    id: str = ""
    name: str = ""
    input: dict[str, object] | msgspec.UnsetType = msgspec.UNSET
    tool_use_id: str = ""
    content: str | msgspec.UnsetType = msgspec.UNSET
    is_error: bool = False


class _Usage(msgspec.Struct, gc=False):
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_input_tokens: int = 0
    cache_creation_input_tokens: int = 0


class _Message(msgspec.Struct, gc=False):
    content: list[_Block] | str
    id: str = ""
    model: str = ""
    usage: _Usage | None = None


class _Decision(msgspec.Struct, gc=False):
    decision: str = ""


class _Meta(msgspec.Struct, gc=False):
    id: str = ""
    permission_decision: _Decision | None = None
    non_execution_kind: str = ""


class _Line(msgspec.Struct, gc=False):
    type: str
    message: _Message
    parent_tool_use_id: str | None = None
    timestamp: str = ""
    tool_result_meta: list[_Meta] = []
    error: msgspec.UnsetType = msgspec.UNSET
    is_api_error_message: msgspec.UnsetType = msgspec.UNSET
    isApiErrorMessage: msgspec.UnsetType = msgspec.UNSET  # noqa: N815  (as the CLI spells it)
    isSidechain: msgspec.UnsetType = msgspec.UNSET  # noqa: N815


_decode = msgspec.json.Decoder(_Line).decode


def parse_hot(index: int, data: bytes) -> UserMessage | AssistantMessage | None:
    """The event of an ordinary message line; None: let the tolerant reader have it."""
    if not data.startswith(_STARTS):
        return None
    try:
        line = _decode(data)
    except msgspec.MsgspecError:
        return None
    parent = line.parent_tool_use_id or None
    message = line.message
    blocks = _blocks(message.content)
    if blocks is None:
        return None
    if line.type == "user":
        return UserMessage(
            index=index,
            blocks=blocks,
            parent_tool_use_id=parent,
            denied=_denied(line.tool_result_meta) if line.tool_result_meta else NONE_DENIED,
            timestamp=line.timestamp,
        )
    if line.type != "assistant":
        return None
    return AssistantMessage(
        index=index,
        message_id=message.id,
        model=message.model,
        blocks=blocks,
        parent_tool_use_id=parent,
        error="",
        usage=_usage(message.usage),
        timestamp=line.timestamp,
    )


def _blocks(content: list[_Block] | str) -> tuple[Block, ...] | None:
    if isinstance(content, str):
        return (TextBlock(text=content),)
    made: list[Block] = []
    for block in content:
        kind = block.type
        if kind == "tool_result":
            text = block.content if isinstance(block.content, str) else ""
            made.append(ToolResultBlock(tool_use_id=block.tool_use_id, text=text, is_error=block.is_error))
        elif kind == "text":
            made.append(TextBlock(text=block.text))
        elif kind != "tool_use":
            made.append(OtherBlock(type=kind))
        elif isinstance(block.input, dict):
            made.append(ToolUseBlock(id=block.id, name=block.name, input=block.input))
        else:
            return None
    return tuple(made)


def _usage(usage: _Usage | None) -> Usage:
    if usage is None:
        return NO_USAGE
    return usage_tokens(
        usage.input_tokens,
        usage.output_tokens,
        usage.cache_read_input_tokens,
        usage.cache_creation_input_tokens,
    )


def _denied(metas: list[_Meta]) -> frozenset[str]:
    return frozenset([m.id for m in metas if _refused(m)]) or NONE_DENIED


def _refused(meta: _Meta) -> bool:
    decision = meta.permission_decision
    if decision is not None and decision.decision == "reject":
        return True
    kind = meta.non_execution_kind
    return kind == "permission-rule" or kind.startswith("automode-")
