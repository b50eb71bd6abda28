"""Whether two runs of one cell did the same: their tool calls and what they left in their worlds."""

from collections import defaultdict
from collections.abc import Iterable, Mapping

import orjson

from harness.gateway.canonical import Moved
from harness.model.change import Change
from harness.model.transcript import ToolCall

SHOWN = 160
STAMPED = (".git/index", ".pyc")
"""Ends of paths whose content holds the time of its making, so that no two runs agree on it."""


def calls_differ(then: Iterable[ToolCall], now: Iterable[ToolCall], moved: Moved) -> str:
    """The first tool call that is another one, in words; '' where all are the same.

    Calls are compared in the order of their own conversation: subagents beside each other mix as they like.
    """
    old, new = _by_conversation(then), _by_conversation(now)
    for parent in [*old, *(p for p in new if p not in old)]:
        one, other = old.get(parent, []), new.get(parent, [])
        for place in range(max(len(one), len(other))):
            was = _said(one[place], moved) if place < len(one) else "none"
            is_ = _said(other[place], Moved(())) if place < len(other) else "none"
            if was != is_:
                whose = f"call {place + 1}" if parent is None else f"call {place + 1} of a subagent"
                return f"{whose} was {_short(was)}, is {_short(is_)}"
    return ""


def _by_conversation(calls: Iterable[ToolCall]) -> Mapping[str | None, list[ToolCall]]:
    found: dict[str | None, list[ToolCall]] = defaultdict(list)
    for call in calls:
        found[call.parent_tool_use_id].append(call)
    return found


def _said(call: ToolCall, moved: Moved) -> str:
    ended = "denied" if call.denied else "failed" if call.failed else "done"
    return f"{call.tool} {moved.text(orjson.dumps(dict(call.input)).decode())} ({ended})"


def worlds_differ(then: Iterable[Change], now: Iterable[Change], moved: Moved) -> tuple[str, ...]:
    """The paths that the two runs left different, sorted."""
    old, new = ({c.path: c for c in changes if not c.path.endswith(STAMPED)} for changes in (then, now))
    paths = sorted(old.keys() | new.keys())
    return tuple(path for path in paths if not _same(old.get(path), new.get(path), moved))


def _same(one: Change | None, other: Change | None, moved: Moved) -> bool:
    if one is None or other is None:
        return False
    if (one.kind, one.type, one.mode) != (other.kind, other.type, other.mode):
        return False
    if one.after_sha256 == other.after_sha256:
        return True
    texts = one.after is not None and other.after is not None and not (one.cut or other.cut)
    return texts and moved.text(one.after or "") == other.after


def _short(text: str) -> str:
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"
