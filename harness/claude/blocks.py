"""Knows the content blocks, usage and denial marks inside a message of the stream."""

from functools import lru_cache

from harness.claude.fields import integer, mapping, number, text
from harness.model.event import Block, OtherBlock, TextBlock, ToolResultBlock, ToolUseBlock, Usage

Odd = list[str]
"""Collects what had not the shape that it should have."""

NO_USAGE = Usage()
NONE_DENIED: frozenset[str] = frozenset()


def content_blocks(content: object, odd: Odd) -> tuple[Block, ...]:
    """The blocks of ``message.content``, which is a list, or in some versions one string."""
    if type(content) is list:
        if len(content) == 1:
            return (_block(content[0], odd),)
        return tuple([_block(item, odd) for item in content])
    if type(content) is str:
        return (TextBlock(text=content),)
    odd.append("message.content is neither list nor text")
    return ()


def _block(item: object, odd: Odd) -> Block:
    if type(item) is not dict:
        if type(item) is str:
            return TextBlock(text=item)
        odd.append("a content block is no object")
        return OtherBlock(type="")
    kind = item.get("type")
    if kind == "tool_result":
        return _tool_result(item, odd)
    if kind == "text":
        return TextBlock(text=text(item.get("text")))
    if kind == "tool_use":
        return _tool_use(item, odd)
    return OtherBlock(type=text(kind))


def _tool_use(item: dict[str, object], odd: Odd) -> ToolUseBlock:
    call, name, given = item.get("id"), item.get("name"), item.get("input")
    readable = type(given) is dict
    if not readable:
        odd.append("tool_use.input is no object")
    return ToolUseBlock(
        id=call if type(call) is str else "",
        name=name if type(name) is str else "",
        input=given if type(given) is dict else {},
        readable=readable,
    )


def _tool_result(item: dict[str, object], odd: Odd) -> ToolResultBlock:
    call, content = item.get("tool_use_id"), item.get("content")
    if type(content) is not str:
        content = _flat(content, odd)
    return ToolResultBlock(
        tool_use_id=call if type(call) is str else "", text=content, is_error=item.get("is_error") is True
    )


def _flat(content: object, odd: Odd) -> str:
    """Text blocks joined by newlines; images and other blocks are left out."""
    if not isinstance(content, list):
        if content is not None:
            odd.append("tool_result.content is neither list nor text")
        return ""
    parts = [item if isinstance(item, str) else mapping(item).get("text") for item in content]
    return "\n".join(part for part in parts if isinstance(part, str))


def usage_of(value: object) -> Usage:
    """Token counts as the API names them."""
    if type(value) is not dict:
        return NO_USAGE
    get = value.get
    return usage_tokens(
        integer(get("input_tokens")),
        integer(get("output_tokens")),
        integer(get("cache_read_input_tokens")),
        integer(get("cache_creation_input_tokens")),
    )


@lru_cache(maxsize=64)
def usage_tokens(given: int, made: int, read: int, written: int) -> Usage:
    """Every block of a message repeats the counts of the message."""
    return Usage(input_tokens=given, output_tokens=made, cache_read_tokens=read, cache_write_tokens=written)


def model_usage_of(value: object) -> dict[str, Usage]:
    """The account per model, as ``modelUsage`` of a result names it."""
    return {
        model: Usage(
            input_tokens=integer(entry.get("inputTokens")),
            output_tokens=integer(entry.get("outputTokens")),
            cache_read_tokens=integer(entry.get("cacheReadInputTokens")),
            cache_write_tokens=integer(entry.get("cacheCreationInputTokens")),
            cost_usd=number(entry.get("costUSD")),
        )
        for model, entry in ((str(key), mapping(value)) for key, value in mapping(value).items())
    }


def denied_ids(meta: object) -> frozenset[str]:
    """Ids of the calls that ``tool_result_meta`` says were refused.

    ``user-rejected`` alone is none: without a user it is how the CLI writes a call that SIGINT cut off.
    """
    if type(meta) is not list:
        return NONE_DENIED
    found = [text(item.get("id")) for item in meta if type(item) is dict and _refused(item)]
    return frozenset(found) if found else NONE_DENIED


def _refused(entry: dict[str, object]) -> bool:
    decision = entry.get("permission_decision")
    if type(decision) is dict and decision.get("decision") == "reject":
        return True
    kind = entry.get("non_execution_kind")
    return type(kind) is str and (kind == "permission-rule" or kind.startswith("automode-"))
