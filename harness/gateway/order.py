"""What of a recording has to come before what, when conversations went on side by side."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from msgspec import Struct, field

from harness.gateway.conversation import AGENT_HEADER
from harness.gateway.notices import Notice, notices_of
from harness.gateway.wire import Recorded

QUIET_S = 0.25
"""After its last words a conversation is done with its turn: hooks have run, and it waits."""
_STEP_MS = 0.001
_PASSES = 3
"""One that moves may move past another one."""
_STARTS = re.compile(r'"name":\s*"(?:Agent|Task|Skill|Workflow)"')
_CALLS = re.compile(r'"type":\s*"tool_use"')
_RESUMES = re.compile(r'"name":\s*"SendMessage"')


class Wanted(Struct, frozen=True, kw_only=True):
    """A notice of the end of a task: the ``count``-th for the tool call that started it."""

    call: str
    count: int
    since: int
    """The exchange after which the task was on."""
    within_s: float
    """It took no longer then."""


class Order(Struct, kw_only=True):
    """Times in milliseconds since the recording began, moved where what a model was told asks for it.

    A notice of a subagent's end stands in the first request of a conversation that begins after it. So the
    answer before that request is moved behind the subagent's last one, and with it all that followed from it;
    and the subagent's last answer is moved behind the request before, which does not tell it yet. What an answer
    brought about comes after its end.
    """

    begins: dict[int, float]
    ends: dict[int, float]
    """Of exchanges that had an answer."""
    before: Mapping[int, int]
    """By exchange: the one that it follows from, the last of its conversation or the one that started it."""
    took_s: Mapping[int, float]
    """From the end of the one before to this one's beginning."""
    told: dict[int, tuple[str, int]] = field(default_factory=dict)
    """By a subagent's last exchange: tool call and number of the notice that claude then gives."""
    waits: dict[int, list[Wanted]] = field(default_factory=dict)
    """By exchange: notices of commands that the next request of its conversation tells."""
    rests: dict[int, tuple[int, float]] = field(default_factory=dict)
    """By a subagent's last exchange: the one whose conversation must have come to rest, and for how long."""


class _Told(Struct, frozen=True, kw_only=True):
    """The notices that a request tells and the one before it did not, each with its number."""

    before: Recorded
    request: Recorded
    notices: Sequence[tuple[Notice, int]]


def order_of(exchanges: Iterable[Recorded]) -> Order:
    every = sorted(exchanges, key=lambda e: e.n)
    talks: dict[str, list[Recorded]] = {}
    for exchange in every:
        talks.setdefault(exchange.headers.get(AGENT_HEADER, ""), []).append(exchange)
    before = _before(every, talks)
    begins = {e.n: float(e.at_ms) for e in every}
    ends = {e.n: _end(e) for e in every if e.status}
    took = {n: max(0.0, begins[n] - ends.get(p, begins[p])) / 1000 for n, p in before.items()}
    order = Order(begins=begins, ends=ends, before=before, took_s=took)
    found = sorted(_all_told(talks.values()), key=lambda told: told.request.n)
    for _ in range(_PASSES):
        _causes_first(order)
        for told in found:
            _put_right(order, told, talks)
    _causes_first(order)
    return order


def _causes_first(order: Order) -> None:
    """Claude starts what an answer calls for while the rest of it is still on its way; a replay sends it whole."""
    for number in sorted(order.ends, key=lambda n: order.ends[n]):
        _push(order, _came_of(order, number), order.ends[number])


def _end(exchange: Recorded) -> float:
    return float(exchange.at_ms + (exchange.chunks[-1][0] if exchange.chunks else 0))


def _before(every: Sequence[Recorded], talks: Mapping[str, Sequence[Recorded]]) -> dict[int, int]:
    found = {e.n: p.n for talk in talks.values() for p, e in pairwise(talk)}
    for talk in talks.values():
        own = {e.n for e in talk}
        earlier = [e for e in every if e.n < talk[0].n and e.n not in own]
        starters = [e for e in earlier if _STARTS.search(e.text)] or earlier[:1]
        if starters:
            found[talk[0].n] = starters[-1].n
    return found


def _all_told(talks: Iterable[Sequence[Recorded]]) -> Iterator[_Told]:
    for talk in talks:
        known: Counter[str] = Counter()
        before = None
        for exchange in talk:
            seen: Counter[str] = Counter()
            new: list[tuple[Notice, int]] = []
            for notice in notices_of(exchange.body):
                seen[notice.call] += 1
                if seen[notice.call] > known[notice.call]:
                    new.append((notice, seen[notice.call]))
            if new and before is not None:
                yield _Told(before=before, request=exchange, notices=new)
            known |= seen
            before = exchange


def _put_right(order: Order, told: _Told, talks: Mapping[str, Sequence[Recorded]]) -> None:
    before, latest = told.before, 0.0
    if before.n not in order.ends:
        return
    goes_on = _CALLS.search(before.text) is not None
    for notice, count in told.notices:
        last = _last_words(talks.get(notice.task, ()), told.request)
        if last is None:
            if goes_on and notice.call and not _named(before, notice):
                start = next((e for t in talks.values() for e in t if notice.call in e.text), None)
                _wait_for(order, told, _wanted(order, told, notice, count, start))
            continue
        order.told[last.n] = (notice.call, count)
        if not goes_on and order.ends[last.n] > order.ends[before.n]:
            gap = (order.ends[last.n] - order.ends[before.n]) / 1000
            order.rests.setdefault(last.n, (before.n, min(QUIET_S, gap)))
        latest = max(order.ends[last.n], order.begins[before.n] + _STEP_MS, latest + _STEP_MS)
        order.ends[last.n] = latest
        if goes_on:
            _move_behind(order, before, last)


def _last_words(talk: Sequence[Recorded], request: Recorded) -> Recorded | None:
    """A subagent's last answer before the request; None where it was not one that ends a conversation."""
    ended = [e for e in talk if e.status and _end(e) <= request.at_ms]
    return ended[-1] if ended and not _CALLS.search(ended[-1].text) else None


def _named(exchange: Recorded, notice: Notice) -> bool:
    """Whether the answer itself starts or ends the task."""
    return any(name in exchange.text for name in (notice.call, notice.task) if name)


def _wait_for(order: Order, told: _Told, wanted: Wanted) -> None:
    waits = order.waits.setdefault(told.before.n, [])
    if wanted not in waits:
        waits.append(wanted)


def _wanted(order: Order, told: _Told, notice: Notice, count: int, start: Recorded | None) -> Wanted:
    since = start.n if start is not None and start.n in order.ends else told.before.n
    within = max(0.0, told.request.at_ms - order.ends[since]) / 1000
    return Wanted(call=notice.call, count=count, since=since, within_s=within)


def _move_behind(order: Order, first: Recorded, second: Recorded) -> None:
    """Let ``first`` end after ``second``, and what came of it after that."""
    after = _came_of(order, first.n)
    limit = order.ends[second.n]
    if order.ends[first.n] > limit or second.n in after or _RESUMES.search(first.text):
        return
    order.ends[first.n] = limit + _STEP_MS
    _push(order, after, order.ends[first.n])


def _push(order: Order, numbers: Iterable[int], limit: float) -> None:
    """Let the exchanges begin and end after ``limit``, in their order."""
    times = [(t[n], t, n) for n in numbers for t in (order.begins, order.ends) if n in t and t[n] <= limit]
    for step, (_, place, number) in enumerate(sorted(times, key=lambda found: found[0]), 1):
        place[number] = limit + step * _STEP_MS


def _came_of(order: Order, number: int) -> set[int]:
    found = {number}
    for n in sorted(order.before):
        if order.before[n] in found:
            found.add(n)
    return found - {number}
