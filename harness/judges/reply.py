"""Which JSON object, if any, a judge's reply states as its answer.

One rule for every judge: the reply must hold exactly one JSON object (or the same one again), whatever prose
or fence stands around it, and that object must fit the schema to the letter. Nothing is guessed, rounded,
defaulted or picked out of several.
"""

import json
from collections.abc import Iterable, Mapping

from msgspec import Struct

from harness.judges.schema import breaches
from harness.model.judge import JudgeReply, Refusal


class _Found(Struct, frozen=True):
    value: Mapping[str, object]
    source: str


class _NotPlainError(ValueError):
    """JSON that Python reads but the standard does not know, or that says one thing twice."""


def _constant(name: str) -> object:
    raise _NotPlainError(f"it holds {name}, which is not JSON")


def _pairs(pairs: list[tuple[str, object]]) -> dict[str, object]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise _NotPlainError("it holds a field twice")
    return made


_DECODER = json.JSONDecoder(parse_constant=_constant, object_pairs_hook=_pairs)


def _objects(text: str) -> list[_Found] | Refusal:
    """Every top-level object; a brace that begins none makes the whole reply ambiguous."""
    found: list[_Found] = []
    at = text.find("{")
    while at >= 0:
        try:
            value, end = _DECODER.raw_decode(text, at)
        except _NotPlainError as error:
            return Refusal(reason=f"the reply is not valid JSON: {error}")
        except RecursionError:
            return Refusal(reason="the reply is nested too deeply")
        except json.JSONDecodeError as error:
            cut = not text[error.pos :].strip(" \n\t`")
            why = "is cut off" if cut or "Unterminated" in error.msg else f"is not valid JSON ({error.msg})"
            return Refusal(reason=f"the object in the reply {why}")
        found.append(_Found(value, text[at:end]))
        at = text.find("{", end)
    return found


def _flat(text: str) -> str:
    return "".join(text.split())


def parse_reply(
    reply: JudgeReply | str, schema: Mapping[str, object], *, material: Iterable[str] = ()
) -> Mapping[str, object] | Refusal:
    """The object that counts, or why none does.

    ``material``: what the judge was shown. An object that stands in it is quoted, so it is no answer.
    """
    if isinstance(reply, JudgeReply) and reply.outage:
        return Refusal(reason=f"no judge answered: {reply.outage}", breach=False)
    if isinstance(reply, JudgeReply) and reply.structured is not None:
        return _fitting(reply.structured, schema)
    raw = reply.raw if isinstance(reply, JudgeReply) else reply
    if not raw.strip():
        return Refusal(reason="the reply is empty")
    found = _objects(raw)
    if isinstance(found, Refusal):
        return found
    if not found:
        return Refusal(reason="the reply holds no JSON object (a refusal, or prose only)")
    if any(other.value != found[0].value for other in found[1:]):
        return Refusal(
            reason=f"the reply holds {len(found)} different objects, so which one counts is unclear"
        )
    if any(_flat(found[0].source) in _flat(text) for text in material):
        return Refusal(reason="the only object in the reply is a quotation from the material")
    return _fitting(found[0].value, schema)


def _fitting(value: object, schema: Mapping[str, object]) -> Mapping[str, object] | Refusal:
    wrong = list(breaches(value, schema))
    if wrong or not isinstance(value, Mapping):
        return Refusal(reason="; ".join(wrong[:5]))
    return value
