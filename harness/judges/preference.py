"""From five judged dimensions to a preference and a confidence, by one stated precedence.

docs/judging.md tells which rule of the comparator's specification each step settles.
"""

from collections.abc import Mapping
from typing import Literal, cast

from msgspec import Struct

Preferred = Literal["A", "B", "TIE"]
Degree = Literal["none", "trivial", "slight", "clear"]

DIMENSIONS = ("correctness", "completeness", "process", "quality", "efficiency")
DEGREES: tuple[Degree, ...] = ("none", "trivial", "slight", "clear")
ALL_EQUAL = 0.95
ALL_BETTER = 0.95
TRIVIAL_TIE = 0.7
SINGLE_SLIGHT_TIE = 0.6
BALANCED_TIE = 0.4
INCONSISTENT_TIE = 0.3
BY_MARGIN = {1: 0.5, 2: 0.6, 3: 0.7, 4: 0.85}
AGAINST_COUNT = 0.5
"""Correctness decides although more dimensions speak for the other side."""


class Finding(Struct, frozen=True):
    better: Literal["A", "B", "EQUAL"]
    degree: Degree


class Preference(Struct, frozen=True):
    preferred: Preferred
    confidence: float
    rule: str


def _said(reply: Mapping[str, object], name: str) -> Mapping[str, str]:
    return cast("Mapping[str, Mapping[str, str]]", reply["dimensions"])[name]


def findings_of(reply: Mapping[str, object]) -> dict[str, Finding]:
    """From a reply that was checked against the schema."""
    made = {}
    for name in DIMENSIONS:
        said = _said(reply, name)
        better = cast("Literal['A', 'B', 'EQUAL']", said["better"])
        degree = cast("Degree", said["degree"])
        made[name] = (
            Finding("EQUAL", "none") if better == "EQUAL" or degree == "none" else Finding(better, degree)
        )
    return made


def derive(findings: Mapping[str, Finding]) -> Preference:
    """First rule that applies: all equal; only trivial; a single slight one; clear correctness; count; balance."""
    differing = {n: f for n, f in findings.items() if f.better != "EQUAL"}
    counted = {n: f for n, f in differing.items() if f.degree != "trivial"}
    if not differing:
        return Preference("TIE", ALL_EQUAL, "all five dimensions are equal")
    if not counted:
        return Preference("TIE", TRIVIAL_TIE, "all differences are trivial")
    if len(counted) == 1 and next(iter(counted.values())).degree == "slight":
        return Preference("TIE", SINGLE_SLIGHT_TIE, "only a slight difference in a single dimension")
    votes = [f.better for f in counted.values()]
    margin = votes.count("A") - votes.count("B")
    ahead: Preferred = "A" if margin > 0 else "B" if margin < 0 else "TIE"
    right = counted.get("correctness")
    if right is not None and right.degree == "clear" and right.better != ahead:
        side = cast("Preferred", right.better)
        return Preference(side, AGAINST_COUNT, "a clear difference in correctness decides over the count")
    if ahead == "TIE":
        return Preference("TIE", BALANCED_TIE, "as many dimensions speak for A as for B")
    if len(counted) == abs(margin) == len(DIMENSIONS):
        return Preference(ahead, ALL_BETTER, f"{ahead} is better in all five dimensions")
    confidence = BY_MARGIN[min(abs(margin), 4)]
    return Preference(
        ahead, confidence, f"{votes.count(ahead)} of {len(counted)} differing dimensions speak for {ahead}"
    )


def contradicts(reply: Mapping[str, object]) -> str:
    """Why a reply says two things at once, or ''."""
    for name in DIMENSIONS:
        said = _said(reply, name)
        if (said["better"] == "EQUAL") != (said["degree"] == "none"):
            return (
                f"the reply contradicts itself: {name} is {said['better']} with the degree {said['degree']}"
            )
    return ""
