"""Many cells in few lines: counts by scenario, arm and model."""

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from harness.model.outcome import Verdict
from harness.report.columns import in_columns


class Group(NamedTuple):
    suite: str
    scenario: str
    arm: str
    model: str


HEADINGS = ("suite", "scenario", "arm", "model", "pass", "fail", "invalid")


def groups_text(cells: Iterable[tuple[Group, str]]) -> str:
    """A table in plain text; each cell is its group and its verdict."""
    counts: dict[Group, Counter[str]] = {}
    for group, verdict in cells:
        counts.setdefault(group, Counter())[verdict] += 1
    lines = [HEADINGS, *((*group, *_numbers(counts[group])) for group in sorted(counts))]
    return "\n".join(in_columns(lines))


def _numbers(counter: Counter[str]) -> tuple[str, str, str]:
    return (str(counter[Verdict.PASS]), str(counter[Verdict.FAIL]), str(counter[Verdict.INVALID]))
