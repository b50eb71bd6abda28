"""Two runs side by side: their turns aligned, and the first place where they part."""

from collections.abc import Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Literal

from msgspec import Struct, field

from harness.claude.fields import text
from harness.report.kept import Kept
from harness.report.story import Step

_TOLD = frozenset({"said", "call", "result"})


class TurnOf(Struct, frozen=True, kw_only=True):
    """One turn of a run, with what happened in its subagents."""

    number: int
    steps: tuple[Step, ...]


class Pairing(Struct, frozen=True, kw_only=True):
    left: TurnOf | None
    right: TurnOf | None
    difference: Literal["", "results", "other"]
    """Nothing, only what the tools answered, or what the model did."""


class Alignment(Struct, frozen=True, kw_only=True):
    pairs: tuple[Pairing, ...]
    first: int | None
    """The pair in which the model first does something else; None: it never does."""
    setting: tuple[tuple[str, str, str], ...] = field(default=())
    """What differs before the first turn: name, left, right."""


def align(left: Kept, right: Kept) -> Alignment:
    """Turns are the same where the model said and called the same, each in its own world and home."""
    a, b = turns_of(left), turns_of(right)
    mine, theirs = _places(left), _places(right)
    done_a = [_deeds(turn.steps, mine) for turn in a]
    done_b = [_deeds(turn.steps, theirs) for turn in b]
    pairs: list[Pairing] = []
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, done_a, done_b, autojunk=False).get_opcodes():
        for n in range(max(i2 - i1, j2 - j1)):
            one = a[i1 + n] if i1 + n < i2 else None
            other = b[j1 + n] if j1 + n < j2 else None
            pairs.append(
                Pairing(left=one, right=other, difference=_difference(tag, one, other, mine, theirs))
            )
    first = next((n for n, pair in enumerate(pairs) if pair.difference == "other"), None)
    return Alignment(pairs=tuple(pairs), first=first, setting=tuple(_setting(left, right, mine, theirs)))


def turns_of(kept: Kept) -> tuple[TurnOf, ...]:
    groups: dict[int, list[Step]] = {}
    for step in kept.story.steps:
        if step.kind in _TOLD and step.turn:
            groups.setdefault(step.turn, []).append(step)
    return tuple(TurnOf(number=number, steps=tuple(steps)) for number, steps in sorted(groups.items()))


def _places(kept: Kept) -> Mapping[str, str]:
    """The paths that differ between runs of one cell, longest first, and what stands for each."""
    env = kept.invocation.get("env")
    found = {
        text(kept.invocation.get("world")): "{world}",
        text(kept.invocation.get("plugin_root")): "{plugin}",
        text(env.get("HOME")) if isinstance(env, dict) else "": "{home}",
    }
    return {path: found[path] for path in sorted(found, key=len, reverse=True) if path}


def neutral(words: str, places: Mapping[str, str]) -> str:
    for path, name in places.items():
        words = words.replace(path, name)
    return words


def _deeds(steps: Iterable[Step], places: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple((step.title, neutral(step.body, places).strip()) for step in steps if step.kind != "result")


def _difference(
    tag: str, left: TurnOf | None, right: TurnOf | None, mine: Mapping[str, str], theirs: Mapping[str, str]
) -> Literal["", "results", "other"]:
    if tag != "equal" or left is None or right is None:
        return "other"
    answers = [neutral(step.answer or "", mine) for step in left.steps]
    same = answers == [neutral(step.answer or "", theirs) for step in right.steps]
    return "" if same else "results"


def _setting(
    left: Kept, right: Kept, mine: Mapping[str, str], theirs: Mapping[str, str]
) -> Iterable[tuple[str, str, str]]:
    names = (
        "suite",
        "scenario",
        "arm",
        "model",
        "claude_version",
        "sandbox",
        "scenario_digest",
        "plugin_digest",
        "prompt",
    )
    told: Sequence[tuple[str, str, str]] = [
        *((name, str(left.invocation.get(name, "")), str(right.invocation.get(name, ""))) for name in names),
        ("hook context", _context(left, mine), _context(right, theirs)),
    ]
    return [(name, a, b) for name, a, b in told if a != b]


def _context(kept: Kept, places: Mapping[str, str]) -> str:
    return neutral("\n".join(context.text for context in kept.contexts), places)
