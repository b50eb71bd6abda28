"""From the finished runs of a case's arms to its verdict: gates first, then sealed pairs, then the pass rule.

Nothing here starts a run, so a saved evaluation can be judged again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.judges.comparator import Comparator, Comparison, NoComparison, Question, compare
from harness.judges.material import given_files
from harness.judges.neutral import ARM_WORDS, TELLING_WORDS, Secrets
from harness.judges.seal import seal
from harness.model.case import ArmName, Case, Skill
from harness.model.event import Usage
from harness.model.judge import Output
from harness.model.outcome import Verdict
from harness.skills.gate import GateResult, Wrap, run_gate
from harness.skills.verdict import ArmCost, CaseVerdict, PassRule, Trial, cost_footnote, decide


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmRun:
    """What one arm's run left behind."""

    arm: ArmName
    trial: int
    invalid: str
    """Why the run says nothing about the arm, or ''."""
    world: Path
    output_file: Path
    """The final message; what ``$OUTPUT`` names."""
    output: Output
    """The final message and the files that the run left new or changed."""
    usage: Usage
    tells: tuple[str, ...] = ()
    """What would name this run to a judge: its id, digests, refs."""
    roots: tuple[str, ...] = ()
    """Absolute folders as the arm saw them, and as they stand on this machine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseOutcome:
    case: str
    verdict: CaseVerdict
    gates: Mapping[tuple[ArmName, int], GateResult]
    """Of every arm that ran; only those of new decide."""
    comparisons: Mapping[str, Comparison | NoComparison]
    """By ``ARM/TRIAL`` of the arm that new was compared with."""
    guesses: tuple[int, int]
    """Blindness audit: right ones, of how many; half of them is blind."""
    costs: tuple[ArmCost, ...]

    @property
    def authoring_errors(self) -> tuple[str, ...]:
        """Assertions that could not be run as they are written, so that the case is a usage error."""
        found = {f"line {r.line}: {r.reason}" for g in self.gates.values() for r in g.authoring_errors}
        return tuple(sorted(found))


def _gates(
    case: Case, runs: Sequence[ArmRun], wrap: Wrap | None, timeout_s: float
) -> dict[tuple[ArmName, int], GateResult]:
    return {
        (r.arm, r.trial): run_gate(case.assertions, r.world, r.output_file, wrap=wrap, timeout_s=timeout_s)
        for r in runs
        if not r.invalid
    }


def _question(case: Case) -> Question:
    before = "".join(f"[{turn.role}, earlier]\n{turn.text}\n\n" for turn in case.seed)
    task = f"{before}[user]\n{case.prompt}" if before else case.prompt
    criteria = tuple(c.text for c in case.criteria)
    return Question(task=task, criteria=criteria, given=given_files(case.fixture))


def _secrets(skill: Skill, runs: Sequence[ArmRun], words: Sequence[str]) -> Secrets:
    return Secrets(
        roots=tuple(root for r in runs for root in (*r.roots, str(r.world))),
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
    skill: Skill,
    case: Case,
    runs: Sequence[ArmRun],
    *,
    by: Comparator,
    rule: PassRule,
    wrap: Wrap | None = None,
    timeout_s: float = 30.0,
    words: Sequence[str] = ARM_WORDS + TELLING_WORDS,
) -> CaseOutcome:
    """Judge the runs of one case; the same trial of each arm is a pair."""
    gates = _gates(case, runs, wrap, timeout_s)
    at = {(r.arm, r.trial): r for r in runs}
    numbers = sorted({r.trial for r in runs})
    others: list[ArmName] = [a for a in ("baseline", "old") if any(r.arm == a for r in runs)]
    question = _question(case)
    secrets = _secrets(skill, runs, words)
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
            gate=gates[("new", n)].verdict if ("new", n) in gates else Verdict.INVALID,
            vs_baseline=opened.get(f"baseline/{n}", "invalid"),
            vs_old=opened.get(f"old/{n}"),
        )
        for n in numbers
    ]
    usages: dict[ArmName, list[Usage]] = {"baseline": [], "old": [], "new": []}
    for run in runs:
        if not run.invalid:
            usages[run.arm].append(run.usage)
    return CaseOutcome(
        case=case.id,
        verdict=decide(trials, rule),
        gates=gates,
        comparisons=verdicts,
        guesses=sealed.guesses(verdicts, newer="new"),
        costs=cost_footnote(usages),
    )
