"""The outcome of the battery as a table, and what was wrong with it."""

from collections.abc import Sequence
from typing import Protocol


class Tried(Protocol):
    @property
    def case(self) -> str: ...
    @property
    def status(self) -> str: ...
    @property
    def verdict(self) -> str: ...
    @property
    def reason(self) -> str: ...
    @property
    def wrong(self) -> str: ...


def as_text(tried: Sequence[Tried]) -> str:
    width = max((len(t.case) for t in tried), default=4)
    lines = []
    for one in tried:
        lines.append(f"{one.case.ljust(width)}  {one.verdict.ljust(7)}  {one.status.ljust(13)}  {one.reason}")
        if one.wrong:
            lines.append(f"{' ' * width}  WRONG: {one.wrong}")
    counts = ", ".join(f"{sum(t.verdict == v for t in tried)} {v}" for v in ("pass", "fail", "invalid"))
    wrong = sum(bool(t.wrong) for t in tried)
    lines.append(f"{counts}: {'as it must be' if not wrong else f'{wrong} not as they must be'}")
    return "\n".join(lines)
