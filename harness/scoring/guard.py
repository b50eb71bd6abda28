"""Whether something that was sure before is lost now: scenario by scenario, only green to red."""

from collections.abc import Iterable
from typing import Literal, NamedTuple

from msgspec import Struct

from harness.model.outcome import ExitCode
from harness.model.row import Row
from harness.scoring.current import current, has_passed, is_valid
from harness.scoring.words import plural

Colour = Literal["green", "red", "flaky", "unknown"]


class ScenarioKey(NamedTuple):
    suite: str
    scenario: str
    arm: str
    model: str


class Trials(Struct, frozen=True, kw_only=True):
    passed: int = 0
    failed: int = 0
    invalid: int = 0

    @property
    def colour(self) -> Colour:
        """Trials that disagree are flaky; without a valid one nobody can tell."""
        if self.passed and self.failed:
            return "flaky"
        if self.passed or self.failed:
            return "green" if self.passed else "red"
        return "unknown"


class Change(Struct, frozen=True, kw_only=True):
    key: ScenarioKey
    before: Trials
    now: Trials

    @property
    def regressed(self) -> bool:
        return self.before.colour == "green" and self.now.colour == "red"

    @property
    def lost_from_view(self) -> bool:
        """Sure before, and nothing valid to say of it now."""
        return self.before.colour == "green" and self.now.colour == "unknown"

    @property
    def shaken(self) -> bool:
        return self.before.colour == "green" and self.now.colour == "flaky"


class Guard(Struct, frozen=True, kw_only=True):
    changes: tuple[Change, ...]
    """Every scenario of the baseline, in its order."""

    @property
    def regressions(self) -> tuple[Change, ...]:
        return tuple(change for change in self.changes if change.regressed)

    @property
    def exit_code(self) -> int:
        """1 for a regression; 3 where nothing was green before, or something green cannot be told now."""
        if self.regressions:
            return ExitCode.FAIL
        nothing_to_guard = not any(change.before.colour == "green" for change in self.changes)
        if nothing_to_guard or any(change.lost_from_view for change in self.changes):
            return ExitCode.NOT_EVALUATED
        return ExitCode.PASS


def guard(baseline_rows: Iterable[Row], rows: Iterable[Row]) -> Guard:
    """Compare per suite, scenario, arm and model, over the trials that count."""
    before, now = _trials(baseline_rows), _trials(rows)
    return Guard(
        changes=tuple(
            Change(key=key, before=trials, now=now.get(key, Trials())) for key, trials in before.items()
        )
    )


def _trials(rows: Iterable[Row]) -> dict[ScenarioKey, Trials]:
    found: dict[ScenarioKey, Trials] = {}
    for row in current(rows).rows:
        key = ScenarioKey(row.suite, row.scenario, row.arm, row.model)
        old = found.get(key, Trials())
        found[key] = Trials(
            passed=old.passed + has_passed(row),
            failed=old.failed + (is_valid(row) and not has_passed(row)),
            invalid=old.invalid + (not is_valid(row)),
        )
    return found


def render_guard(found: Guard) -> str:
    """A line for each scenario that is not what it was, and one for the whole."""
    lines = []
    for change in found.changes:
        word = _word(change)
        if word:
            before, now = change.before, change.now
            lines.append(
                f"{word}: {change.key.suite}/{change.key.scenario} {change.key.arm} {change.key.model}: "
                f"passed {before.passed} of {before.passed + before.failed} before, "
                f"{now.passed} of {now.passed + now.failed} now"
                + (f", {now.invalid} invalid" if now.invalid else "")
            )
    green = sum(change.before.colour == "green" for change in found.changes)
    lines.append(f"{plural(len(found.regressions), 'regression')} in {plural(green, 'green scenario')}")
    return "\n".join(lines) + "\n"


def _word(change: Change) -> str:
    if change.regressed:
        return "regression"
    if change.lost_from_view:
        return "cannot tell"
    return "flaky now" if change.shaken else ""
