"""Verdicts on skills as text for a terminal."""

from collections.abc import Iterable, Sequence

from harness.model.outcome import Verdict
from harness.report.columns import in_columns
from harness.skills.evaluate import CaseOutcome, costs_of
from harness.skills.outcome import SkillOutcome
from harness.skills.trigger import TriggerScore
from harness.stats import Interval

HEAD = ("case", "gate of new", "against no skill", "against old", "verdict")


def skills_text(outcomes: Sequence[SkillOutcome]) -> str:
    parts = [_skill_text(outcome) for outcome in outcomes]
    right, made = (sum(o.guesses[n] for o in outcomes) for n in (0, 1))
    if made:
        parts.append(
            f"blindness: the judge guessed the newer one in {right} of {made} pairs"
            f" ({right / made:.2f}; 0.50 is blind)"
        )
    return "\n\n".join(parts)


def _skill_text(outcome: SkillOutcome) -> str:
    old = f", old is {outcome.old}" if outcome.old is not None else ""
    lines = [f"{outcome.skill.path} ({outcome.model}, judged by {outcome.judge_model}{old})"]
    if outcome.cases:
        lines += [f"  {line}" for line in in_columns([HEAD, *(_cells(case) for case in outcome.cases)])]
    verdict = outcome.verdict
    if verdict is not None:
        lines.append(f"  {verdict.recommendation}: {verdict.reason}")
    lines += [f"  {text}" for case in outcome.cases for text in _remarks(outcome, case)]
    score = outcome.trigger_score
    if score is not None:
        lines.append(f"  {_trigger_text(score)}")
    runs = [run for case in outcome.cases for run in case.runs]
    lines += [f"  cost, in no verdict: {cost}" for cost in costs_of(runs)]
    return "\n".join(lines)


def _cells(case: CaseOutcome) -> tuple[str, ...]:
    found = case.verdict
    gate = f"{found.valid_trials - found.gate_red}/{found.valid_trials} green"
    return (
        case.case.rpartition("/")[2],
        gate,
        str(found.vs_baseline),
        str(found.vs_old) if found.vs_old is not None else "-",
        found.verdict.value,
    )


def _remarks(outcome: SkillOutcome, case: CaseOutcome) -> Iterable[str]:
    name = case.case.rpartition("/")[2]
    for error in case.authoring_errors:
        yield f"{name}: case.md {error}"
    for run in case.runs:
        if run.invalid:
            yield f"{name}: {run.arm} #{run.trial} is invalid: {run.invalid}"
        elif run.arm == "new" and run.verdict is Verdict.FAIL:
            yield f"{name}: {run.arm} #{run.trial}: {run.gate.reason or 'cut by a limit'} ({run.run_id})"
    for criterion, why in outcome.untelling(case.case):
        yield f"{name}: tells the arms apart in nothing: {criterion!r} {why}"


def _trigger_text(score: TriggerScore) -> str:
    rates = ", ".join(
        f"{name} {_rate(rate, interval)}"
        for name, rate, interval in (
            ("precision", score.precision, score.precision_interval),
            ("recall", score.recall, score.recall_interval),
        )
    )
    aside = f"{score.invalid} invalid, {score.by_slash} by slash command, {score.by_read} by reading its file"
    return f"comes in by itself: {rates}, n {score.n} ({aside})"


def _rate(rate: float | None, interval: Interval | None) -> str:
    if rate is None or interval is None:
        return "not known"
    return f"{rate:.2f} [{interval.low:.2f}, {interval.high:.2f}]"
