"""The blind comparator: which of two outputs is better, told apart by nothing but what they hold."""

import hashlib
import json
from collections.abc import Mapping, Sequence

import orjson
from msgspec import Struct, field
from msgspec.structs import replace

from harness.judges.consult import consult
from harness.judges.neutral import LeakError, Secrets, check_leaks, neutral, same
from harness.judges.preference import (
    ALL_EQUAL,
    DEGREES,
    DIMENSIONS,
    INCONSISTENT_TIE,
    Preferred,
    contradicts,
    derive,
    findings_of,
)
from harness.judges.prompt import with_material
from harness.judges.schema import TEXT, record
from harness.judges.store import Store
from harness.model.judge import Ask, Document, JudgeRequest, Output

_FINDING = record(
    {
        "better": {"type": "string", "enum": ["A", "B", "EQUAL"]},
        "degree": {"type": "string", "enum": list(DEGREES)},
        "basis": TEXT,
    }
)
DIMENSIONS_SCHEMA = record({"dimensions": record(dict.fromkeys(DIMENSIONS, _FINDING)), "reasoning": TEXT})
COMPARISON_SCHEMA = record(
    {
        "preferred": {"type": "string", "enum": ["A", "B", "TIE"]},
        "confidence": {"type": "number", "minimum": 0, "maximum": 1},
        "reasoning": TEXT,
    }
)
GUESS_SCHEMA = record({"newer": {"type": "string", "enum": ["A", "B", "UNSURE"]}})

_QUESTION = """\
Two outputs, A and B, answer the same task. Which letter is which was drawn by lot and means nothing. Do not ask
or guess where they come from. A longer output is not a better one. Equal is a full answer: never force a winner.

First read each output by itself. Then compare them in five dimensions, and for each say which is better (A, B
or EQUAL), how much (none, trivial, slight, clear; none exactly when EQUAL) and on what basis, quoting file
names, lines or words of both:
correctness: does it meet what the task and the criteria ask, without error?
completeness: is every part there?
process: did the work go the way that the criteria describe?
quality: is it well made and easy to read?
efficiency: is it free of needless steps and needless text?
Files marked as given were there before; an output changed, added or deleted what is shown under its letter.
Judge by the criteria below. Draw no overall verdict; it follows from the dimensions. In reasoning, sum up the
dimensions, quote the differences that decide, and where nothing decides say why.

The task, as it was given:
{task}

The criteria:
{criteria}"""

_GUESS = """\
You judged two outputs, A and B. That verdict is given and cannot change any more. One of them was made with
newer instructions than the other. Which one, would you guess? Say UNSURE if nothing tells you."""


class Question(Struct, frozen=True, kw_only=True):
    """What both outputs answer, and what they are measured by."""

    task: str
    """The prompt, with the conversation that went before it."""
    criteria: tuple[str, ...]
    given: Mapping[str, str] = field(default_factory=dict)
    """Files that both had to work with, without which nobody could tell right from wrong."""


class Comparison(Struct, frozen=True, kw_only=True):
    """The verdict in exactly three fields, and beside it how it came about."""

    preferred: Preferred
    confidence: float
    reasoning: str
    swapped: bool
    """A is the second of the two outputs that were given."""
    inconsistent: bool = False
    """The judge changed its mind with the positions, so it is a TIE."""
    calls: int = 0
    cost_usd: float = 0.0
    guess: str = ""
    """Blindness audit: A, B or UNSURE; '' where not asked or not answered."""
    raws: tuple[str, ...] = ()

    @property
    def winner(self) -> int | None:
        """0: the first output given, 1: the second, None: a tie."""
        if self.preferred == "TIE":
            return None
        return int((self.preferred == "B") != self.swapped)

    @property
    def json(self) -> bytes:
        """``comparison.json``: exactly the three fields, confidence with two decimals."""
        said = json.dumps(self.reasoning, ensure_ascii=False)
        line = (
            f'{{"preferred": "{self.preferred}", "confidence": {self.confidence:.2f}, "reasoning": {said}}}\n'
        )
        return line.encode("utf-8", "surrogatepass")


class NoComparison(Struct, frozen=True, kw_only=True):
    """No judgement could be made; it counts for neither side."""

    reason: str
    cost_usd: float = 0.0
    raws: tuple[str, ...] = ()


class Comparator(Struct, frozen=True, kw_only=True):
    """How comparisons are made; ``audit`` asks after each verdict which output the judge takes for the newer."""

    ask: Ask
    model: str
    store: Store | None = None
    audit: bool = False
    timeout_s: float = 120.0


def _digest(output: Output) -> str:
    return hashlib.sha256(orjson.dumps([output.message, dict(output.files)])).hexdigest()


def _documents(label: str, output: Output) -> list[Document]:
    message = Document(label=f"{label}: final message", text=output.message or "(empty)")
    return [message, *(Document(label=f"{label}: file {p}", text=t) for p, t in output.files.items())]


def _request(question: Question, a: Output, b: Output, by: Comparator) -> JudgeRequest:
    criteria = "\n".join(f"- {c}" for c in question.criteria)
    asked = _QUESTION.format(task=question.task, criteria=criteria)
    given = [Document(label=f"given: file {path}", text=text) for path, text in question.given.items()]
    prompt, documents = with_material(asked, [*given, *_documents("A", a), *_documents("B", b)])
    return JudgeRequest(
        kind="comparator",
        prompt=prompt,
        schema=DIMENSIONS_SCHEMA,
        model=by.model,
        documents=documents,
        timeout_s=by.timeout_s,
    )


def _check_prompt(request: JudgeRequest, secrets: Secrets) -> None:
    """No material names an arm in any way; the author's own task and criteria hold no path or version of one."""
    for document in request.documents:
        check_leaks(f"{document.label}\n{document.text}", secrets)
    check_leaks(request.prompt, replace(secrets, words=()))


class _Side(Struct, frozen=True):
    """One order's verdict, in its own letters; None with a reason where there is none."""

    preferred: Preferred | None
    confidence: float
    reasoning: str
    cost_usd: float
    calls: int
    raws: tuple[str, ...]


def _ask_once(request: JudgeRequest, by: Comparator) -> _Side:
    answer = consult(request, by.ask, by.store, check=contradicts)
    calls = 0 if answer.cached else len(answer.raws)
    if answer.value is None:
        return _Side(None, 0.0, answer.reason, answer.cost_usd, calls, answer.raws)
    made = derive(findings_of(answer.value))
    reasoning = f"{answer.value['reasoning']} [{made.rule}]"
    return _Side(made.preferred, made.confidence, reasoning, answer.cost_usd, calls, answer.raws)


_MIRRORED: dict[Preferred, Preferred] = {"A": "B", "B": "A", "TIE": "TIE"}


def _agree(there: _Side, back: _Side, swapped: bool) -> Comparison | NoComparison:
    cost, raws = there.cost_usd + back.cost_usd, there.raws + back.raws
    if there.preferred is None or back.preferred is None:
        return NoComparison(
            reason=there.reasoning if there.preferred is None else back.reasoning, cost_usd=cost, raws=raws
        )
    stable = there.preferred == _MIRRORED[back.preferred]
    changed = f"said {there.preferred}, and {back.preferred} with the positions swapped"
    return Comparison(
        preferred=there.preferred if stable else "TIE",
        confidence=round(min(there.confidence, back.confidence) if stable else INCONSISTENT_TIE, 2),
        reasoning=there.reasoning if stable else f"Inconsistent: the judge {changed}. {there.reasoning}",
        swapped=swapped,
        inconsistent=not stable,
        calls=there.calls + back.calls,
        cost_usd=cost,
        raws=raws,
    )


def compare(
    question: Question, outputs: Sequence[Output], secrets: Secrets, by: Comparator
) -> Comparison | NoComparison:
    """Judge two outputs blindly, in both orders.

    Which is A follows from the hash of their contents: by lot as far as arms go, and the same whichever is
    given first. Whatever names an arm and survives the scrubbing ends the comparison, loudly.
    """
    first, second = (neutral(output, secrets) for output in outputs)
    if first.empty and second.empty:
        return NoComparison(reason="both outputs are empty, so there is nothing to judge")
    if same(first, second):
        return Comparison(
            preferred="TIE", confidence=ALL_EQUAL, reasoning="Both outputs are the same.", swapped=False
        )
    given = neutral(Output(message="", files=question.given), secrets).files
    question = replace(question, given=given)
    swapped = _digest(second) < _digest(first)
    a, b = (second, first) if swapped else (first, second)
    there, back = _request(question, a, b, by), _request(question, b, a, by)
    try:
        _check_prompt(there, secrets)
    except LeakError as leak:
        return NoComparison(reason=f"leak: {leak}")
    one = _ask_once(there, by)
    if one.preferred is None:
        return NoComparison(reason=one.reasoning, cost_usd=one.cost_usd, raws=one.raws)
    made = _agree(one, _ask_once(back, by), swapped)
    return _audited(made, there, by) if by.audit and isinstance(made, Comparison) else made


def _audited(made: Comparison, there: JudgeRequest, by: Comparator) -> Comparison:
    """Asked last, and of a judge of its own, so that no verdict can depend on it."""
    prompt, documents = with_material(_GUESS, there.documents)
    request = replace(there, kind="audit", prompt=prompt, documents=documents, schema=GUESS_SCHEMA)
    answer = consult(request, by.ask, by.store)
    guess = str(answer.value["newer"]) if answer.value is not None else ""
    calls = made.calls + (0 if answer.cached else len(answer.raws))
    return replace(made, guess=guess, calls=calls, cost_usd=made.cost_usd + answer.cost_usd)
