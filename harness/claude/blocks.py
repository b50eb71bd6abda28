"""Knows the content blocks, usage and denial marks inside a message of the stream."""

from harness.claude.fields import integer, items, mapping, number, text
from harness.model.event import Block, OtherBlock, TextBlock, ToolResultBlock, ToolUseBlock, Usage

Odd = list[str]
"""Collects what had not the shape that it should have."""

NO_USAGE = Usage()


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
    given = item.get("input")
    readable = isinstance(given, dict)
    if not readable:
        odd.append("tool_use.input is no object")
    return ToolUseBlock(
        id=text(item.get("id")), name=text(item.get("name")), input=mapping(given), readable=readable
    )


def _tool_result(item: dict[str, object], odd: Odd) -> ToolResultBlock:
    content = item.get("content")
    if type(content) is not str:
        content = _flat(content, odd)
    return ToolResultBlock(
        tool_use_id=text(item.get("tool_use_id")), text=content, is_error=item.get("is_error") is True
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
    return Usage(
        input_tokens=integer(value.get("input_tokens")),
        output_tokens=integer(value.get("output_tokens")),
        cache_read_tokens=integer(value.get("cache_read_input_tokens")),
        cache_write_tokens=integer(value.get("cache_creation_input_tokens")),
    )


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
    found: list[str] = []
    for item in items(meta):
        entry = mapping(item)
        kind = text(entry.get("non_execution_kind"))
        decision = mapping(entry.get("permission_decision")).get("decision")
        if decision == "reject" or kind == "permission-rule" or kind.startswith("automode-"):
            found.append(text(entry.get("id")))
    return frozenset(found)
