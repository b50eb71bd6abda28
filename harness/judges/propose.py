"""The proposal judge: does a final message propose the decision that a rubric asks for, in its own words?"""

from msgspec import Struct

from harness.judges.consult import consult
from harness.judges.prompt import with_material
from harness.judges.schema import FLAG, record
from harness.judges.store import Store
from harness.model.check import Evidence, Finding
from harness.model.judge import Ask, Document, JudgeRequest

PROPOSAL_SCHEMA = record({"proposed": FLAG, "quote": {"type": "string"}})
MESSAGE = "final message"

_QUESTION = """\
Read one message, in which someone ends a piece of work. Answer one question about it:
{rubric}

proposed: true only if the message itself does it, in words that can be quoted; false if it is silent on it,
merely mentions the subject, or you are in doubt.
quote: if true, the words that do it, copied letter by letter from the message in one piece; if false, empty."""


class Proposal(Struct, frozen=True, kw_only=True):
    """``proposed`` None: it could not be judged, for ``reason``."""

    proposed: bool | None
    quote: str = ""
    reason: str = ""
    cost_usd: float = 0.0
    model_id: str = ""
    cached: bool = False
    raws: tuple[str, ...] = ()


def _flat(text: str) -> str:
    return " ".join(text.split())


def _unquoted(reply: object, message: str) -> str:
    """Why the quote does not carry the answer, or ''. White space may differ; nothing else may."""
    assert isinstance(reply, dict)
    quote = _flat(str(reply["quote"]))
    if reply["proposed"] and not quote:
        return "proposed is true, so quote must hold the words that do it"
    if quote and quote not in _flat(message):
        return f"quote {quote[:60]!r} does not stand in the message"
    return ""


def judge_proposal(
    rubric: str,
    message: str,
    *,
    ask: Ask,
    model: str,
    store: Store | None = None,
    timeout_s: float = 120.0,
) -> Proposal:
    """Ask about the final message only; an empty one proposes nothing, without a call."""
    if not message.strip():
        return Proposal(proposed=False, reason="the final message is empty")
    question = _QUESTION.format(rubric=rubric.strip())
    prompt, documents = with_material(question, [Document(label=MESSAGE, text=message)])
    request = JudgeRequest(
        kind="proposal",
        prompt=prompt,
        schema=PROPOSAL_SCHEMA,
        model=model,
        documents=documents,
        timeout_s=timeout_s,
    )
    answer = consult(request, ask, store, check=lambda reply: _unquoted(reply, message))
    if answer.value is None:
        return Proposal(proposed=None, reason=answer.reason, cost_usd=answer.cost_usd, raws=answer.raws)
    return Proposal(
        proposed=answer.value["proposed"] is True,
        quote=str(answer.value["quote"]),
        cost_usd=answer.cost_usd,
        model_id=answer.model_id,
        cached=answer.cached,
        raws=answer.raws,
    )


def finding_of(proposal: Proposal) -> Finding:
    """The proposal as axis b of a write-trigger scenario that left no new decision file."""
    if proposal.proposed is None:
        return Finding(
            name="axis_b", value=None, reason=f"the proposal could not be judged: {proposal.reason}"
        )
    if not proposal.proposed:
        return Finding(
            name="axis_b", value=False, reason="no new decision file, and the message proposes none"
        )
    evidence = (Evidence(where=MESSAGE, text=proposal.quote),)
    reason = "no new decision file, but the final message proposes the decision"
    return Finding(name="axis_b", value=True, reason=reason, evidence=evidence)
