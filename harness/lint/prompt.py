"""Whether a prompt gives the answer away."""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache

from harness.lint.adr_files import AdrFile
from harness.model.problem import Problem
from harness.model.scenario import Scenario, Suite

RUN_WORDS = 5
_WORD = re.compile(r"[\w'-]+")
_ADR_ID = re.compile(r"\bADR[-_ ]?\d+\b|\b\d{4}-[a-z][\w-]*\.md\b", re.I)


def _words(text: str) -> list[tuple[str, int]]:
    """Lower-case words with the line (from 0) each stands in."""
    return [(m.group().lower(), text.count("\n", 0, m.start())) for m in _WORD.finditer(text)]


@lru_cache(maxsize=1024)
def _runs(text: str) -> frozenset[tuple[str, ...]]:
    words = [m.group().lower() for m in _WORD.finditer(text)]
    return frozenset(zip(*(words[start:] for start in range(RUN_WORDS)), strict=False))


def plugin_names(suite: Suite) -> tuple[str, ...]:
    """Names that exist only because the plugin does: its own, its skills', its commands'."""
    skills = [p.parent.name for p in suite.plugin.glob("skills/*/SKILL.md")]
    commands = [p.name for p in suite.plugin.glob("bin/*")] + [
        p.stem for p in suite.plugin.glob("commands/*.md")
    ]
    return tuple(sorted({suite.plugin.name, *skills, *commands}))


def _terms(text: str, terms: Iterable[str]) -> Iterator[tuple[int, str]]:
    folded = text.casefold()
    for term in terms:
        if term.casefold() not in folded:
            continue
        pattern = rf"(?<!\w){re.escape(term)}(?!\w)"
        for found in re.finditer(pattern, text, re.I):
            yield text.count("\n", 0, found.start()), found.group()


def prompt_problems(
    scenario: Scenario, plugin_parts: Iterable[str], adrs: Iterable[AdrFile]
) -> Iterator[Problem]:
    """``plugin_parts``: see ``plugin_names``."""
    path = scenario.folder / "scenario.yaml"
    first = scenario.lines.get("prompt", 1)
    text = scenario.prompt
    block = 1 if "\n" in text else 0  # a block scalar's text starts on the line after its key

    def problem(line: int, what: str) -> Problem:
        return Problem(path=path, line=first + block + line, text=f"the prompt {what}")

    for line, word in _terms(text, scenario.never_say):
        yield problem(line, f"says {word!r}, which never_say forbids; reword it")
    for line, word in _terms(text, plugin_parts):
        yield problem(line, f"names {word!r}, a part of the plugin; reword it")
    for found in _ADR_ID.finditer(text):
        yield problem(text.count("\n", 0, found.start()), f"holds the id {found.group()!r}; take it out")
    yield from _shared_runs(text, adrs, problem_at=problem)


def _shared_runs(
    text: str, adrs: Iterable[AdrFile], problem_at: Callable[[int, str], Problem]
) -> Iterator[Problem]:
    words = _words(text)
    for adr in adrs:
        told = _runs(adr.decision) & _runs(text)
        for i in range(len(words) - RUN_WORDS + 1) if told else ():
            run = tuple(w for w, _ in words[i : i + RUN_WORDS])
            if run in told:
                yield problem_at(
                    words[i][1],
                    f"shares the words {' '.join(run)!r} with the Decision of {adr.id}; reword it",
                )
                break
