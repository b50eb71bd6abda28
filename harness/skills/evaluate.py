"""From the finished runs of a case's arms to its verdict: gates first, then sealed pairs, then the pass rule.

Nothing here starts a run, so a saved evaluation can be judged again.
"""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from harness.judges.comparator import Comparator, Comparison, NoComparison, Question, compare
from harness.judges.material import given_files
from harness.judges.neutral import ARM_WORDS, TELLING_WORDS, Secrets
from harness.judges.seal import Pairing, seal
from harness.model.case import ArmName, Case, Skill
from harness.model.event import Usage
from harness.model.judge import Output
from harness.model.outcome import Verdict
from harness.skills.gate import GateResult
from harness.skills.verdict import ArmCost, CaseVerdict, PassRule, Trial, cost_footnote, decide


class ArmRun(Struct, frozen=True, kw_only=True):
    """What one arm's run left behind."""

    arm: ArmName
    trial: int
    invalid: str
    """Why the run says nothing about the arm, or ''."""
    gate: GateResult
    passed: bool
    """The gate is green, and no limit cut the run."""
    output: Output
    """The final message and the files that the run left new or changed."""
    usage: Usage
    run_id: str = ""
    duration_s: float | None = None
    tells: tuple[str, ...] = ()
    """What would name this run to a judge: its id, digests, refs."""
    roots: tuple[str, ...] = ()
    """Absolute folders as the arm saw them, and as they stand on this machine."""

    @property
    def verdict(self) -> Verdict:
        if self.invalid:
            return Verdict.INVALID
        return Verdict.PASS if self.passed else Verdict.FAIL


class CaseOutcome(Struct, frozen=True, kw_only=True):
    case: str
    verdict: CaseVerdict
    runs: tuple[ArmRun, ...]
    """Of every arm; only the gates of new decide."""
    comparisons: Mapping[str, Comparison | NoComparison]
    """By ``ARM/TRIAL`` of the arm that new was compared with."""
    pairings: Mapping[str, Pairing]
    """By the same: what it means for new."""
    guesses: tuple[int, int]
    """Blindness audit: right ones, of how many; half of them is blind."""
    costs: tuple[ArmCost, ...]

    @property
    def authoring_errors(self) -> tuple[str, ...]:
        """Assertions that could not be run as they are written, so that the case is a usage error."""
        found = {f"line {r.line}: {r.reason}" for run in self.runs for r in run.gate.authoring_errors}
        return tuple(sorted(found))


def question_of(case: Case) -> Question:
    before = "".join(f"[{turn.role}, earlier]\n{turn.text}\n\n" for turn in case.seed)
    task = f"{before}[user]\n{case.prompt}" if before else case.prompt
    criteria = tuple(c.text for c in case.criteria)
    return Question(task=task, criteria=criteria, given=given_files(case.fixture))


def secrets_for(
    skill: Skill, runs: Sequence[ArmRun], words: Sequence[str] = ARM_WORDS + TELLING_WORDS
) -> Secrets:
    """What no judge of these runs may read."""
    return Secrets(
        roots=tuple(root for r in runs for root in r.roots),
        names=tuple({skill.name, skill.title} - {""}),
        versions=tuple(t for r in runs for t in r.tells),
        words=tuple(words),
    )


def _compare(
    question: Question, new: ArmRun | None, other: ArmRun | None, secrets: Secrets, by: Comparator
) -> Comparison | NoComparison:
    for run, name in ((new, "new"), (other, "the other arm")):
        if run is None or run.invalid:
            return NoComparison(reason=f"the run of {name} is {run.invalid if run else 'missing'}")
    assert new is not None, "checked above"
    assert other is not None, "checked above"
    return compare(question, (new.output, other.output), secrets, by)


def evaluate_case(
    skill: Skill, case: Case, runs: Sequence[ArmRun], *, by: Comparator, rule: PassRule
) -> CaseOutcome:
    """Judge the runs of one case; the same trial of each arm is a pair."""
    at = {(r.arm, r.trial): r for r in runs}
    numbers = sorted({r.trial for r in runs})
    others: list[ArmName] = [a for a in ("baseline", "old") if any(r.arm == a for r in runs)]
    question, secrets = question_of(case), secrets_for(skill, runs)
    pairs: dict[str, tuple[ArmName, ArmName]] = {f"{o}/{n}": ("new", o) for o in others for n in numbers}
    sealed = seal(pairs)
    verdicts: dict[str, Comparison | NoComparison] = {}
    for pair, (_, other) in pairs.items():
        number = int(pair.rpartition("/")[2])
        new, against = at.get(("new", number)), at.get((other, number))
        verdicts[pair] = _compare(question, new, against, secrets, by)
    opened = sealed.open(verdicts, of="new")
    trials = [
        Trial(
            number=n,
            gate=run.verdict if (run := at.get(("new", n))) is not None else Verdict.INVALID,
            vs_baseline=opened.get(f"baseline/{n}", "invalid"),
            vs_old=opened.get(f"old/{n}"),
        )
        for n in numbers
    ]
    return CaseOutcome(
        case=case.id,
        verdict=decide(trials, rule),
        runs=tuple(runs),
        comparisons=verdicts,
        pairings=opened,
        guesses=sealed.guesses(verdicts, newer="new"),
        costs=costs_of(runs),
    )


def costs_of(runs: Sequence[ArmRun]) -> tuple[ArmCost, ...]:
    usages: dict[ArmName, list[Usage]] = {"baseline": [], "old": [], "new": []}
    for run in runs:
        if not run.invalid:
            usages[run.arm].append(run.usage)
    return cost_footnote(usages)
