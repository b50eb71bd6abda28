"""One question to a judge: kept answers first, one repair of a broken schema, then invalid."""

from collections.abc import Callable, Mapping

from msgspec.structs import replace

from harness.judges.reply import parse_reply
from harness.judges.store import Store, request_key
from harness.model.judge import Answer, Ask, JudgeRequest, Refusal

_REPAIR = (
    "\n\nAn earlier reply to exactly this was not usable: {reason}.\n"
    "Reply again with one JSON object that fits the schema to the letter, and nothing else."
)


def _nothing_more(_: Mapping[str, object]) -> str:
    return ""


def consult(
    request: JudgeRequest,
    ask: Ask,
    store: Store | None = None,
    *,
    check: Callable[[Mapping[str, object]], str] = _nothing_more,
) -> Answer:
    """Ask, unless the answer is kept.

    ``check`` says what a schema cannot: why the answer is unusable all the same, or ''. Only usable answers
    are kept; an outage is never repaired.
    """
    key = request_key(request)
    kept = store.get(key) if store is not None else None
    if kept is not None:
        return Answer(value=kept, cached=True)
    raws: list[str] = []
    cost, reason, now = 0.0, "", request
    for _ in range(2):
        reply = ask(now)
        raws.append(reply.raw)
        cost += reply.cost_usd
        outcome = parse_reply(reply, request.schema, material=[d.text for d in request.documents])
        if not isinstance(outcome, Refusal) and (wrong := check(outcome)):
            outcome = Refusal(reason=wrong)
        if not isinstance(outcome, Refusal):
            value = store.put(key, outcome, reply.raw) if store is not None else outcome
            return Answer(value=value, raws=tuple(raws), cost_usd=cost, model_id=reply.model_id)
        reason = outcome.reason
        if not outcome.breach:
            break
        now = replace(request, prompt=request.prompt + _REPAIR.format(reason=reason))
    return Answer(value=None, reason=reason, raws=tuple(raws), cost_usd=cost)
