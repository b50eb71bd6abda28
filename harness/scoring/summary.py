"""The table at the end of an evaluation, always made from the whole file, so that a resumed grid is told whole."""

from collections.abc import Collection, Iterable

from msgspec import Struct

from harness.model.row import Row
from harness.scoring.current import current, has_passed, is_valid, number
from harness.scoring.words import plural
from harness.stats import Interval, wilson


class Tally(Struct, frozen=True, kw_only=True):
    passed: int
    failed: int
    invalid: int
    axis_a: int
    axis_a_of: int
    """Valid rows to which axis a applies."""
    axis_b: int
    axis_b_of: int
    cost_usd: float

    @property
    def cells(self) -> int:
        return self.passed + self.failed + self.invalid

    @property
    def valid(self) -> int:
        return self.passed + self.failed

    @property
    def pass_rate(self) -> float | None:
        return self.passed / self.valid if self.valid else None

    @property
    def interval(self) -> Interval | None:
        return wilson(self.passed, self.valid)


class ArmTally(Struct, frozen=True, kw_only=True):
    suite: str
    arm: str
    model: str
    tally: Tally


class Summary(Struct, frozen=True, kw_only=True):
    whole: Tally
    here: Tally
    """The runs of this invocation alone."""
    arms: tuple[ArmTally, ...]
    stale: int


def summary(rows: Iterable[Row], here: Collection[str] = ()) -> Summary:
    """``here``: the run ids of this invocation."""
    everything = list(rows)
    counted = current(everything)
    groups: dict[tuple[str, str, str], list[Row]] = {}
    for row in counted.rows:
        groups.setdefault((row.suite, row.arm, row.model), []).append(row)
    return Summary(
        whole=tally(counted.rows),
        here=tally([row for row in everything if row.run_id in here]),
        arms=tuple(
            ArmTally(suite=s, arm=a, model=m, tally=tally(group)) for (s, a, m), group in groups.items()
        ),
        stale=counted.stale,
    )


def tally(rows: Collection[Row]) -> Tally:
    valid = [row for row in rows if is_valid(row)]
    passed = sum(map(has_passed, valid))
    return Tally(
        passed=passed,
        failed=len(valid) - passed,
        invalid=len(rows) - len(valid),
        axis_a=sum(row.axis_a == "true" for row in valid),
        axis_a_of=sum(row.axis_a != "n/a" for row in valid),
        axis_b=sum(row.axis_b == "true" for row in valid),
        axis_b_of=sum(row.axis_b != "n/a" for row in valid),
        cost_usd=sum(number(row.cost_usd) for row in rows),
    )


def render_summary(found: Summary) -> str:
    lines = [
        f"{one.suite} {one.arm} {one.model}: {_counts(one.tally)}, "
        f"axis a {one.tally.axis_a}/{one.tally.axis_a_of}, axis b {one.tally.axis_b}/{one.tally.axis_b_of}, "
        f"${one.tally.cost_usd:.4f}"
        for one in found.arms
    ]
    if found.here.cells:
        lines.append(f"this time: {_counts(found.here)}, ${found.here.cost_usd:.4f}")
    lines.append(f"in all: {_counts(found.whole)}, ${found.whole.cost_usd:.4f}")
    if found.stale:
        lines.append(f"not counted, of older inputs: {plural(found.stale, 'row')}")
    return "\n".join(lines) + "\n"


def _counts(one: Tally) -> str:
    return f"{one.passed}/{one.valid} pass, {one.invalid}/{one.cells} invalid"
