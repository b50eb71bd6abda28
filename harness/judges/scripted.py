"""Stand-ins for the models of judges that go by the text of the outputs, so positions cannot matter to them."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import orjson

from harness.errors import AuthoringError
from harness.judges.preference import DIMENSIONS
from harness.loaders.yamlfile import YamlFile
from harness.model.judge import Ask, JudgeReply, JudgeRequest
from harness.model.problem import Problem

Rules = Mapping[str, Sequence[str]]
"""Dimension -> patterns; the output in which more of them occur is clearly better in it."""


def load_rules(path: Path) -> Rules:
    """``judge.yaml``: dimension -> list of patterns. Raises AuthoringError."""
    problems: list[Problem] = []
    top = YamlFile(path, problems).top()
    rules: dict[str, tuple[str, ...]] = {}
    if top is not None:
        rules = {name: top.texts(name) or () for name in DIMENSIONS}
        top.done()
        for name, pattern in [(n, p) for n, many in rules.items() for p in many]:
            try:
                re.compile(pattern)
            except re.error as error:
                top.note(name, f"holds {pattern!r}, which is no pattern: {error}")
    if problems:
        raise AuthoringError(problems)
    return rules


def scripted_comparator(rules: Rules) -> Ask:
    def ask(request: JudgeRequest) -> JudgeReply:
        if request.kind == "audit":
            return JudgeReply(raw='{"newer": "UNSURE"}', model_id="scripted")
        sides = {s: "\n".join(d.text for d in request.documents if d.label.startswith(s)) for s in "AB"}
        found = {name: _dimension(rules.get(name, ()), sides) for name in DIMENSIONS}
        told = "; ".join(f"{n}: {f['basis']}" for n, f in found.items() if f["better"] != "EQUAL")
        reply = {"dimensions": found, "reasoning": told or "no pattern tells the outputs apart"}
        return JudgeReply(raw=orjson.dumps(reply).decode(), model_id="scripted")

    return ask


def _dimension(patterns: Sequence[str], sides: Mapping[str, str]) -> dict[str, str]:
    hits = {s: [p for p in patterns if re.search(p, text, re.M | re.I)] for s, text in sides.items()}
    if len(hits["A"]) == len(hits["B"]):
        return {"better": "EQUAL", "degree": "none", "basis": "as many patterns occur in both"}
    better, other = ("A", "B") if len(hits["A"]) > len(hits["B"]) else ("B", "A")
    only = [p for p in hits[better] if p not in hits[other]]
    return {"better": better, "degree": "clear", "basis": f"only {better} has {', '.join(only)}"}


def load_patterns(path: Path) -> tuple[str, ...]:
    """``grader.yaml``: ``expectations``, one pattern for each assertion, in order. Raises AuthoringError."""
    problems: list[Problem] = []
    top = YamlFile(path, problems).top()
    patterns = (top.texts("expectations") or ()) if top is not None else ()
    if top is not None:
        top.done()
        for pattern in patterns:
            try:
                re.compile(pattern)
            except re.error as error:
                top.note("expectations", f"holds {pattern!r}, which is no pattern: {error}")
    if problems:
        raise AuthoringError(problems)
    return patterns


def scripted_grader(patterns: Sequence[str]) -> Ask:
    """Passes the n-th assertion where the n-th pattern occurs, and quotes what it found."""

    def ask(request: JudgeRequest) -> JudgeReply:
        listed = request.prompt.partition("letter by letter:\n")[2]
        texts = [t for t in orjson.loads(listed[: listed.index("\n]") + 2]) if isinstance(t, str)]
        reply = {"expectations": [_expectation(text, n, patterns, request) for n, text in enumerate(texts)]}
        return JudgeReply(raw=orjson.dumps(reply).decode(), model_id="scripted")

    return ask


def _expectation(text: str, place: int, patterns: Sequence[str], request: JudgeRequest) -> dict[str, object]:
    pattern = patterns[place] if place < len(patterns) else "(?!)"
    hits = ((d.label, re.search(pattern, d.text, re.M | re.I)) for d in request.documents)
    found = next(((label, hit[0]) for label, hit in hits if hit), None)
    if found is None:
        return {"text": text, "passed": False, "evidence": "no evidence found"}
    return {"text": text, "passed": True, "evidence": f'{found[0]}: "{found[1]}"'}
