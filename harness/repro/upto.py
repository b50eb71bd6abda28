"""Which recorded answer makes the N-th tool call of a run, so that a replay can end before it."""

from collections.abc import Iterable

import orjson
from msgspec import Struct

from harness.errors import UserError
from harness.gateway.wire import Recorded
from harness.repro.past import Past

SHOWN = 120


class Place(Struct, frozen=True, kw_only=True):
    exchange: int
    """The number of the exchange whose answer makes the call."""
    call: str
    """In words."""


def place_of(number: int, past: Past, exchanges: Iterable[Recorded]) -> Place:
    """Calls are counted from 1 in the order of the stream, subagents' included. Raises UserError."""
    calls = past.record.transcript.calls
    if not 1 <= number <= len(calls):
        raise UserError(f"--upto {number}: the run made {len(calls)} tool calls")
    call = calls[number - 1]
    found = next((e for e in exchanges if e.status == 200 and f'"{call.id}"' in e.text), None)
    if found is None:
        raise UserError(f"--upto {number}: no recorded answer makes that call ({call.tool}, {call.id})")
    earlier = sum(f'"{c.id}"' in found.text for c in calls[: number - 1])
    beside = f", with {earlier} made in the same message before it" if earlier else ""
    given = orjson.dumps(dict(call.input)).decode()
    return Place(exchange=found.n, call=f"tool call {number}{beside}: {call.tool} {given[:SHOWN]}")
