"""A repetition in words: what was the same, and the first thing that was not."""

from collections.abc import Iterator

import orjson
from msgspec import to_builtins

from harness.repro.outcome import Reproduced

MOST_PATHS = 10


def as_text(done: Reproduced) -> str:
    return "\n".join(_lines(done))


def _lines(done: Reproduced) -> Iterator[str]:
    yield f"{done.run_id}: {_how(done)}"
    yield from (f"note: {note}" for note in done.notes)
    if done.difference is not None:
        where = done.difference
        yield f"first difference: request {where.request} at {where.path}"
        yield f"  was: {where.old!r}"
        yield f"  is:  {where.new!r}"
    if done.seen:
        yield f"what the model would have seen:\n{done.seen}"
    if done.went_live:
        why = "" if done.difference is not None else f": {done.went_live}"
        yield f"the model itself answered from there on{why}"
    if done.stopped_there:
        yield "stopped there; --plugin with --live lets the model go on"
    elif done.failure:
        yield f"stopped: {done.failure}"
    if done.stopped_before:
        yield f"stopped before {done.stopped_before}"
    yield from _parts(done)
    yield from (f"{name}: {path}" for name, path in done.kept.items())


def _how(done: Reproduced) -> str:
    if done.how == "live":
        return f"asked the model again, for {done.row.cost_usd} USD"
    return f"{done.how} of {done.requests} recorded requests"


def _parts(done: Reproduced) -> Iterator[str]:
    if done.calls:
        yield f"tool calls: {done.calls}"
    if done.world:
        more = f" and {len(done.world) - MOST_PATHS} more" if len(done.world) > MOST_PATHS else ""
        yield f"left different in the world: {', '.join(done.world[:MOST_PATHS])}{more}"
    if done.not_asked:
        yield f"recorded requests that did not come again: {', '.join(map(str, done.not_asked))}"
    if done.how == "replay" and not (done.differs or done.failure or done.stopped_before):
        yield "the same requests, tool calls and world"
    if done.stopped_before or done.stopped_there:
        return
    if done.failure:
        yield f"no verdict, as the replay did not come to its end; then it was {done.then}: {done.then.reason}"
    elif done.same_verdict:
        yield f"verdict: the same, {done.now}: {done.now.reason}"
    else:
        yield f"verdict: was {done.then}: {done.then.reason}"
        yield f"         is {done.now}: {done.now.reason}"


def as_json(done: Reproduced) -> str:
    document = {
        "run_id": done.run_id,
        "how": done.how,
        "requests": done.requests,
        "same_verdict": None if done.failure else done.same_verdict,
        "then": to_builtins(done.then),
        "now": to_builtins(done.now),
        "difference": to_builtins(done.difference) if done.difference is not None else None,
        "seen": done.seen,
        "tool_calls": done.calls,
        "world": done.world,
        "not_asked": done.not_asked,
        "failure": done.failure,
        "went_live": done.went_live,
        "stopped_before": done.stopped_before,
        "cost_usd": done.row.cost_usd,
        "notes": done.notes,
        "kept": dict(done.kept),
        "exit_code": done.code,
    }
    return orjson.dumps(document, option=orjson.OPT_INDENT_2).decode()
