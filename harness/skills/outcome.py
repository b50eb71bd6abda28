"""All that an evaluation of one skill on one model came to, and how it is written down."""

from collections.abc import Mapping
from typing import cast

from msgspec import Struct, field, to_builtins

from harness.judges.comparator import Comparison, NoComparison
from harness.judges.grader import Grading, never_telling
from harness.model.case import Skill
from harness.model.outcome import ExitCode, Verdict
from harness.skills.evaluate import ArmRun, CaseOutcome
from harness.skills.trigger import TriggerScore, TriggerTrial, score_triggers
from harness.skills.verdict import PassRule, SkillVerdict, decide_skill
from harness.stats import Interval


class SkillOutcome(Struct, frozen=True, kw_only=True):
    skill: Skill
    model: str
    judge_model: str
    old: str | None
    seeds: tuple[str, ...]
    """Those that ordered the runs; more than one where an evaluation was gone on with."""
    rule: PassRule
    cases: tuple[CaseOutcome, ...]
    triggers: tuple[TriggerTrial, ...] = ()
    gradings: Mapping[str, Mapping[str, Grading]] = field(default_factory=dict)
    """By case and ``ARM/TRIAL``; empty where no grader was asked."""

    @property
    def verdict(self) -> SkillVerdict | None:
        """None where the skill has queries only."""
        return decide_skill({c.case: c.verdict for c in self.cases}) if self.cases else None

    @property
    def trigger_score(self) -> TriggerScore | None:
        return score_triggers(self.triggers) if self.triggers else None

    @property
    def guesses(self) -> tuple[int, int]:
        """Blindness audit over all cases: right, of how many."""
        return sum(c.guesses[0] for c in self.cases), sum(c.guesses[1] for c in self.cases)

    @property
    def exit_code(self) -> int:
        """2 where an assertion cannot be run as it is written. Queries are told as rates and fail nothing."""
        if any(c.authoring_errors for c in self.cases):
            return ExitCode.USAGE
        found = {self.verdict.verdict} if self.verdict is not None else set()
        score = self.trigger_score
        if Verdict.FAIL in found:
            return ExitCode.FAIL
        silent = score is not None and not score.n
        return ExitCode.NOT_EVALUATED if Verdict.INVALID in found or silent else ExitCode.PASS

    def untelling(self, case: str) -> tuple[tuple[str, str], ...]:
        """(soft criterion, why) for those that the grader's results never told the arms apart by."""
        arms: dict[str, list[Grading]] = {}
        for name, grading in self.gradings.get(case, {}).items():
            arms.setdefault(name.partition("/")[0], []).append(grading)
        return never_telling(arms)


def as_json(outcome: SkillOutcome) -> dict[str, object]:
    """The document that is kept; floats as they are, confidence with two decimals."""
    verdict, score = outcome.verdict, outcome.trigger_score
    right, made = outcome.guesses
    return {
        "skill": outcome.skill.path,
        "model": outcome.model,
        "judge_model": outcome.judge_model,
        "old": outcome.old,
        "order_seeds": list(outcome.seeds),
        "rule": to_builtins(outcome.rule),
        "verdict": verdict.verdict.value if verdict is not None else None,
        "recommendation": verdict.recommendation if verdict is not None else None,
        "reason": verdict.reason if verdict is not None else "",
        "blindness": {"right": right, "guesses": made, "rate": right / made if made else None},
        "cases": [_case(outcome, case) for case in outcome.cases],
        "triggers": _triggers(score, outcome.triggers) if score is not None else None,
    }


def _case(outcome: SkillOutcome, case: CaseOutcome) -> dict[str, object]:
    found = case.verdict
    return {
        "case": case.case,
        "verdict": found.verdict.value,
        "reason": found.reason,
        "authoring_errors": list(case.authoring_errors),
        "valid_trials": found.valid_trials,
        "gate_red": found.gate_red,
        "vs_baseline": to_builtins(found.vs_baseline),
        "vs_old": to_builtins(found.vs_old) if found.vs_old is not None else None,
        "points": [to_builtins(p) for p in found.points],
        "runs": [_run(run) for run in case.runs],
        "comparisons": {pair: _pair(case, pair) for pair in case.comparisons},
        "gradings": {n: _grading(g) for n, g in outcome.gradings.get(case.case, {}).items()},
        "never_telling": [list(pair) for pair in outcome.untelling(case.case)],
        "cost": [{**to_builtins(c), "equivalent_tokens": c.equivalent_tokens} for c in case.costs],
    }


def _run(run: ArmRun) -> dict[str, object]:
    return {
        "arm": run.arm,
        "trial": run.trial,
        "run_id": run.run_id,
        "verdict": run.verdict.value,
        "invalid": run.invalid,
        "decides": run.arm == "new",
        "gate": to_builtins(run.gate),
    }


def _pair(case: CaseOutcome, pair: str) -> dict[str, object]:
    made = case.comparisons[pair]
    if isinstance(made, NoComparison):
        return {"for_new": case.pairings[pair], "invalid": made.reason}
    return {"for_new": case.pairings[pair], "comparison": comparison_fields(made), "about": _about(made)}


def comparison_fields(made: Comparison) -> dict[str, object]:
    """Exactly the three fields."""
    return {
        "preferred": made.preferred,
        "confidence": round(made.confidence, 2),
        "reasoning": made.reasoning,
    }


def _about(made: Comparison) -> dict[str, object]:
    return {
        "inconsistent": made.inconsistent,
        "first_is": "B" if made.swapped else "A",
        "calls": made.calls,
        "cost_usd": made.cost_usd,
        "guess": made.guess,
    }


def _grading(grading: Grading) -> dict[str, object]:
    if grading.expectations is None:
        return {"invalid": grading.reason}
    return {
        "expectations": [to_builtins(e) for e in grading.expectations],
        "overruled": list(grading.overruled),
    }


def _pair_of(interval: Interval | None) -> list[float] | None:
    return list(interval) if interval is not None else None


def _triggers(score: TriggerScore, trials: tuple[TriggerTrial, ...]) -> dict[str, object]:
    return {
        **to_builtins(score),
        "n": score.n,
        "precision": score.precision,
        "precision_interval": _pair_of(score.precision_interval),
        "recall": score.recall,
        "recall_interval": _pair_of(score.recall_interval),
        "queries": [
            {"query": t.case.query, "should_trigger": t.case.should_trigger, "how": cast("str", t.how)}
            for t in trials
        ],
    }
