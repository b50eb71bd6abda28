"""The grader: each assertion passed or not, on evidence that a machine has checked."""

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

import orjson
from msgspec import Struct

from harness.judges.consult import consult
from harness.judges.evidence import refuted
from harness.judges.neutral import LeakError, Secrets, check_leaks, neutral
from harness.judges.prompt import with_material
from harness.judges.schema import FLAG, TEXT, record
from harness.judges.store import Store
from harness.model.judge import Ask, Document, JudgeRequest, Output

_EXPECTATION = record({"text": {"type": "string"}, "passed": FLAG, "evidence": TEXT})
GRADING_SCHEMA = record({"expectations": {"type": "array", "items": _EXPECTATION}})
NO_OUTPUT = "no evidence found: there is no output at all"

_QUESTION = """\
Grade the outputs below against each assertion, by evidence only. For each assertion by itself: find the words
or files that show it, and pass it only if they show all of it, exactly as it is asked. No evidence, partial
evidence, doubt, another way to the goal, good intentions or a matter of taste: passed is false. An overall
impression counts for nothing.

evidence cites what you found: the file as path or path:line, and words of the output in double quotes, copied
letter by letter. The final message is cited as output.md. Where nothing is found, say: no evidence found.

Reply with one item for each assertion, in the same order, its text copied letter by letter:
{assertions}"""


class Expectation(Struct, frozen=True, kw_only=True):
    text: str
    passed: bool
    evidence: str


class Grading(Struct, frozen=True, kw_only=True):
    """``expectations`` None: nobody could grade, for ``reason``."""

    expectations: tuple[Expectation, ...] | None
    reason: str = ""
    overruled: tuple[int, ...] = ()
    """Places of the expectations that the grader passed and the machine failed."""
    cost_usd: float = 0.0
    calls: int = 0
    raws: tuple[str, ...] = ()

    @property
    def json(self) -> bytes:
        """``grading.json``: exactly text, passed and evidence."""
        assert self.expectations is not None, "an invalid grading has no grading.json"
        items = [{"text": e.text, "passed": e.passed, "evidence": e.evidence} for e in self.expectations]
        return orjson.dumps({"expectations": items}, option=orjson.OPT_INDENT_2) + b"\n"


def _misfit(assertions: Sequence[str], reply: Mapping[str, object]) -> str:
    """Where the reply does not stand one to one with the assertions, or ''."""
    items = cast("list[Mapping[str, object]]", reply["expectations"])
    if len(items) != len(assertions):
        return f"there are {len(assertions)} assertions, so that many expectations are due, not {len(items)}"
    for place, (item, text) in enumerate(zip(items, assertions, strict=True)):
        if item["text"] != text:
            return f"expectations[{place}].text must be {text!r}, letter by letter"
    return ""


def _request(assertions: Sequence[str], output: Output, model: str, timeout_s: float) -> JudgeRequest:
    listed = orjson.dumps(list(assertions), option=orjson.OPT_INDENT_2).decode()
    message = Document(label="output.md", text=output.message or "(empty)")
    files = [Document(label=path, text=text) for path, text in output.files.items()]
    prompt, documents = with_material(_QUESTION.format(assertions=listed), [message, *files])
    return JudgeRequest(
        kind="grader",
        prompt=prompt,
        schema=GRADING_SCHEMA,
        model=model,
        documents=documents,
        timeout_s=timeout_s,
    )


def _checked(item: Mapping[str, object], output: Output) -> tuple[Expectation, bool]:
    """The expectation as it stands after the machine's check, and whether that overruled the grader."""
    text, evidence, passed = str(item["text"]), str(item["evidence"]), item["passed"] is True
    wrong = refuted(evidence, output) if passed else ""
    if wrong:
        return Expectation(text=text, passed=False, evidence=f"{evidence} [not accepted: {wrong}]"), True
    return Expectation(text=text, passed=passed, evidence=evidence), False


def grade(
    assertions: Sequence[str],
    output: Output,
    secrets: Secrets,
    *,
    ask: Ask,
    model: str,
    store: Store | None = None,
    timeout_s: float = 120.0,
) -> Grading:
    """Grade one run's output; nothing that the grader sees names the arm."""
    seen = neutral(output, secrets)
    if not assertions:
        return Grading(expectations=(), reason="there are no assertions")
    if seen.empty:
        failed = tuple(Expectation(text=a, passed=False, evidence=NO_OUTPUT) for a in assertions)
        return Grading(expectations=failed)
    request = _request(assertions, seen, model, timeout_s)
    try:
        for document in request.documents:
            check_leaks(f"{document.label}\n{document.text}", secrets)
    except LeakError as leak:
        return Grading(expectations=None, reason=f"leak: {leak}")
    answer = consult(request, ask, store, check=lambda reply: _misfit(assertions, reply))
    calls = 0 if answer.cached else len(answer.raws)
    if answer.value is None:
        return Grading(
            expectations=None, reason=answer.reason, cost_usd=answer.cost_usd, calls=calls, raws=answer.raws
        )
    items = cast("list[Mapping[str, object]]", answer.value["expectations"])
    made = [_checked(item, seen) for item in items]
    return Grading(
        expectations=tuple(e for e, _ in made),
        overruled=tuple(n for n, (_, over) in enumerate(made) if over),
        cost_usd=answer.cost_usd,
        calls=calls,
        raws=answer.raws,
    )


def write_grading(grading: Grading, path: Path) -> None:
    """Write ``grading.json`` whole or not at all."""
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".", delete=False) as file:
        file.write(grading.json)
    Path(file.name).chmod(0o644)
    Path(file.name).replace(path)


def never_telling(gradings: Mapping[str, Sequence[Grading]]) -> tuple[tuple[str, str], ...]:
    """(assertion, why) for assertions that never told the arms apart; ``gradings`` by arm.

    From the results alone: an assertion with the same outcome in every run of every arm says nothing about
    the skill. Nothing is said of fewer than two arms.
    """
    seen: dict[str, list[bool]] = {}
    arms = {arm: [g for g in many if g.expectations is not None] for arm, many in gradings.items()}
    if sum(bool(many) for many in arms.values()) < 2:
        return ()
    for many in arms.values():
        for grading in many:
            for expectation in grading.expectations or ():
                seen.setdefault(expectation.text, []).append(expectation.passed)
    return tuple(
        (text, f"{'passed' if all(results) else 'failed'} in all {len(results)} runs of all arms")
        for text, results in seen.items()
        if all(results) or not any(results)
    )
