"""A recorded run as a playbook: the same turns, with what belonged to that run alone made neutral."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

import orjson
import yaml

from harness.claude.fields import mapping, text
from harness.errors import UserError
from harness.gateway.conversation import AGENT_HEADER, first_user_text, is_subagent
from harness.gateway.exchange import Request
from harness.gateway.wire import Recorded
from harness.repro.answers import answer_of
from harness.repro.past import Past
from harness.repro.proposal import kept_proposal

MATCH = 80
"""Characters of a subagent's prompt that tell it from others, where they suffice."""
_UUID = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b")
_TIME = re.compile(r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?")
_NO_UUID, _NO_TIME = "00000000-0000-0000-0000-000000000000", "2000-01-01T00:00:00Z"
Item = dict[str, object]


class _Dumper(yaml.SafeDumper):
    pass


def _text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style="|" if "\n" in value else None)


_Dumper.add_representer(str, _text)


def playbook_text(past: Past, kind: str) -> str:
    """The playbook as YAML. Raises UserError where there is no recording to make it of."""
    exchanges = [e for e in past.exchanges() if _request(e).asks_for_message]
    neutral = _Neutral(past)
    main = [e for e in exchanges if not is_subagent(_request(e))]
    if not main:
        raise UserError(f"there is no recording of {past.run_id} to make a playbook of")
    made: Item = {"kind": kind, "note": f"what {past.invocation.model} did in {past.run_id}"}
    made |= _expected(past)
    made["turns"] = list(_turns(main, neutral))
    subplays = list(_subplays(exchanges, neutral))
    if subplays:
        made["subagents"] = subplays
    proposal = kept_proposal(past)
    if proposal is not None and proposal.proposed is not None:
        made["judge"] = [{"proposed": proposal.proposed, "quote": neutral.text(proposal.quote)}]
    return yaml.dump(made, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=110)


def _request(exchange: Recorded) -> Request:
    return Request(
        method=exchange.method, path=exchange.path, headers=exchange.headers, body=orjson.dumps(exchange.body)
    )


def _expected(past: Past) -> Item:
    row, invocation = past.row, past.invocation
    if row is None:
        raise UserError(f"{past.run_id} has no row, so there is no verdict to expect")
    axes = {"true": True, "false": False}
    expect: Item = {"status": row.status, "verdict": row.pass_}
    made: Item = {"expect": expect | {"axis_a": axes.get(row.axis_a), "axis_b": axes.get(row.axis_b)}}
    if row.status == "limit_reached" and invocation.limits.get("max_turns"):
        made["max_turns"] = invocation.limits["max_turns"]
    flag = "--disallowedTools="
    deny = [word.removeprefix(flag).split(",") for word in invocation.argv if word.startswith(flag)]
    return made | ({"deny": deny[0]} if deny else {})


def _turns(exchanges: Sequence[Recorded], neutral: "_Neutral") -> Iterator[Item]:
    """One turn an answer; equal failures beside each other are one turn that is met so often."""
    turns = [_turn(e, neutral) for e in exchanges]
    for place, (turn, same) in enumerate(grouped := [(t, len(list(g))) for t, g in groupby(turns)]):
        last = place == len(grouped) - 1
        if "error" in turn:
            yield {"error": dict(mapping(turn["error"])) | ({} if last else {"times": same})}
        elif "fault" in turn:
            yield turn | ({} if last else {"times": same})
        else:
            yield from [turn] * same


def _turn(exchange: Recorded, neutral: "_Neutral") -> Item:
    answer = answer_of(exchange)
    if answer is not None:
        made: Item = {"text": neutral.text(answer.text)} if answer.text else {}
        if answer.calls:
            made["tools"] = [{name: neutral.all(dict(given))} for name, given in answer.calls]
        return made or {"text": " "}  # a playbook's turn says or does something
    if exchange.status >= 400:
        error = mapping(mapping(_json(exchange.text)).get("error"))
        kind, message = text(error.get("type")) or "api_error", text(error.get("message"))
        return {"error": {"status": exchange.status, "type": kind, "message": neutral.text(message)}}
    if exchange.ended in ("cut", "reset"):
        return {"fault": exchange.ended}
    return {"fault": "malformed" if exchange.ended == "complete" else "hang"}


def _subplays(exchanges: Iterable[Recorded], neutral: "_Neutral") -> Iterator[Item]:
    """One for each prompt that a subagent began with: those that began alike are played alike."""
    found: dict[str, list[Recorded]] = {}
    owner: dict[str, str] = {}
    for exchange in exchanges:
        request = _request(exchange)
        if is_subagent(request):
            began = first_user_text(request.json)
            agent = exchange.headers.get(AGENT_HEADER, began)
            if owner.setdefault(began, agent) == agent:
                found.setdefault(began, []).append(exchange)
    for began, own in found.items():
        match = _telling(began, [other for other in found if other != began])
        yield {"match": neutral.text(match), "turns": list(_turns(own, neutral))}


def _telling(began: str, others: Sequence[str]) -> str:
    """As much of a prompt's beginning as no other one holds."""
    length = MATCH
    while length < len(began) and any(began[:length] in other for other in others):
        length *= 2
    return began[:length]


class _Neutral:
    """Takes out of texts what would be another one in the next run."""

    def __init__(self, past: Past) -> None:
        then = past.invocation
        places = {then.world: "world", then.env.get("HOME", ""): "home", then.plugin_root or "": "plugin"}
        self._names = {path: "{{" + name + "}}" for path, name in places.items() if path}
        longest_first = sorted(self._names, key=len, reverse=True)
        paths = "|".join(re.escape(path) for path in longest_first)
        self._paths = re.compile(rf"(?<![A-Za-z0-9_./-])(?:{paths})(?![A-Za-z0-9_-])")

    def text(self, given: str) -> str:
        made = _TIME.sub(_NO_TIME, _UUID.sub(_NO_UUID, given))
        # What reads as a variable of a playbook is none yet.
        made = made.replace("{{", "{{braces}}")
        return self._paths.sub(lambda found: self._names[found[0]], made)

    def all(self, value: object) -> object:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {self.text(k): self.all(v) for k, v in value.items()}
        return [self.all(v) for v in value] if isinstance(value, list) else value


def _json(given: str) -> object:
    try:
        return orjson.loads(given)
    except orjson.JSONDecodeError:
        return None
