"""Knows the books kept while a stream is read: which call got which result, and what was spent."""

import re
from collections.abc import Iterable, Sequence
from datetime import datetime

from harness.model.event import AssistantMessage, Result, ToolResultBlock, ToolUseBlock, Usage
from harness.model.transcript import ToolCall

_TODAYS_NAME = {"Task": "Agent"}


def todays_name(tool: str) -> str:
    """A tool by the name that it has now, whatever it was called when the stream was written."""
    return _TODAYS_NAME.get(tool, tool)


# How the CLI words a refusal where older versions mark it in no other way. A command's own output
# cannot be taken for one: it follows the words "Exit code".
_REFUSED = re.compile(
    r"\A(?!Exit code)(?:<tool_use_error>)?[^\n]{0,200}?(?:"
    r"Permission to use \w+ .*?has been denied|denied by your permission settings|needs approval\b|"
    r"requires approval\b|requested permissions? to .*?haven't granted)",
    re.DOTALL,
)

_Made = tuple[ToolUseBlock, int, str | None]


class CallLedger:
    """Tool calls in order, each with its result by id, whatever the order and number of messages."""

    def __init__(self) -> None:
        self._made: dict[str, _Made] = {}
        self._results: dict[str, ToolResultBlock] = {}
        self._denied: set[str] = set()

    def call(self, block: ToolUseBlock, index: int, parent: str | None) -> None:
        """Note a call once; a later copy of it only supplies what the first one lacked."""
        key = block.id or f"no id {len(self._made)}"
        earlier = self._made.get(key)
        if earlier is None:
            self._made[key] = (block, index, parent)
        elif not earlier[0].input and block.input:
            self._made[key] = (block, earlier[1], earlier[2] or parent)

    def answer(self, block: ToolResultBlock) -> None:
        self._results.setdefault(block.tool_use_id, block)

    def deny(self, ids: Iterable[str]) -> None:
        self._denied.update(ids)

    def pending_tools(self) -> set[str]:
        """Names of the tools whose calls have no result."""
        return {
            todays_name(block.name) for key, (block, _, _) in self._made.items() if key not in self._results
        }

    def calls(self) -> tuple[ToolCall, ...]:
        return tuple(self._call(key, made) for key, made in self._made.items())

    def _call(self, key: str, made: _Made) -> ToolCall:
        block, index, parent = made
        result = self._results.get(key)
        return ToolCall(
            id=block.id,
            tool=todays_name(block.name),
            input=block.input,
            readable=block.readable,
            index=index,
            parent_tool_use_id=parent,
            result=result,
            denied=key in self._denied or _reads_refused(result),
        )


def _reads_refused(result: ToolResultBlock | None) -> bool:
    return result is not None and result.is_error and _REFUSED.match(result.text) is not None


class UsageLedger:
    """What the messages say that they cost, once per message however many events it came in."""

    def __init__(self) -> None:
        self._by_message: dict[tuple[str | None, str], Usage] = {}

    def add(self, event: AssistantMessage) -> None:
        key = (event.parent_tool_use_id, event.message_id or f"line {event.index}")
        earlier = self._by_message.get(key)
        if earlier is None:
            self._by_message[key] = event.usage
        elif earlier is not event.usage and earlier != event.usage:
            self._by_message[key] = _larger(earlier, event.usage)

    def total(self, results: Sequence[Result]) -> Usage:
        """The whole account. Totals of several results are running ones: the last, never their sum."""
        cost = max((r.cost_usd for r in results), default=0.0)
        for result in reversed(results):
            if result.model_usage:
                tokens = _sum(result.model_usage.values())
                return _with_cost(tokens, cost or tokens.cost_usd)
        for result in reversed(results):
            if result.usage != Usage():
                return _with_cost(result.usage, cost)
        return _with_cost(_sum(self._by_message.values()), cost)


def _sum(usages: Iterable[Usage]) -> Usage:
    every = list(usages)
    return Usage(
        input_tokens=sum(u.input_tokens for u in every),
        output_tokens=sum(u.output_tokens for u in every),
        cache_read_tokens=sum(u.cache_read_tokens for u in every),
        cache_write_tokens=sum(u.cache_write_tokens for u in every),
        cost_usd=sum(u.cost_usd for u in every),
    )


def _larger(one: Usage, other: Usage) -> Usage:
    return Usage(
        input_tokens=max(one.input_tokens, other.input_tokens),
        output_tokens=max(one.output_tokens, other.output_tokens),
        cache_read_tokens=max(one.cache_read_tokens, other.cache_read_tokens),
        cache_write_tokens=max(one.cache_write_tokens, other.cache_write_tokens),
    )


def _with_cost(usage: Usage, cost_usd: float) -> Usage:
    return Usage(
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cache_read_tokens=usage.cache_read_tokens,
        cache_write_tokens=usage.cache_write_tokens,
        cost_usd=cost_usd,
    )


def span_s(first: str, last: str) -> float | None:
    """Seconds between two timestamps of the stream; None where they are none."""
    try:
        return max(0.0, (datetime.fromisoformat(last) - datetime.fromisoformat(first)).total_seconds())
    except (ValueError, TypeError):
        return None
