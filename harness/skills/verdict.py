"""What a skill's trials amount to: the pass rule, in this one place, with its numbers from configuration."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from msgspec import Struct

from harness.judges.seal import Pairing
from harness.loaders.yamlfile import MappingReader
from harness.model.case import ArmName
from harness.model.event import Usage
from harness.model.outcome import Verdict
from harness.stats import cost_equivalent_tokens

Severity = Literal["critical", "major", "minor"]
Recommendation = Literal["SHIP", "ITERATE", "REWRITE", "NOT EVALUATED"]


class PassRule(Struct, frozen=True, kw_only=True):
    """A case passes when the gate is green in every valid trial of new and the pairs speak for it."""

    min_valid_trials: int = 3
    """Of new, and of the pairs against each other arm."""
    lead_over_baseline: int = 1
    """Wins minus losses against baseline must be at least this: more wins than losses."""
    lead_over_old: int = 0
    """Wins minus losses against old must be at least this: no net loss."""
    rewrite_gate_share: float = 0.5
    """A gate that is red in this share of the valid trials is critical, a smaller one major."""


class Trial(Struct, frozen=True, kw_only=True):
    """One trial of a case, as far as it speaks about new."""

    number: int
    gate: Verdict
    """Of new; INVALID where the run or its gate could not be evaluated."""
    vs_baseline: Pairing = "invalid"
    vs_old: Pairing | None = None
    """None: there was no old arm."""


class Tally(Struct, frozen=True):
    wins: int
    losses: int
    ties: int
    invalid: int

    @property
    def valid(self) -> int:
        return self.wins + self.losses + self.ties

    @property
    def lead(self) -> int:
        return self.wins - self.losses

    def __str__(self) -> str:
        counts = f"{self.wins} won, {self.losses} lost, {self.ties} tied"
        return f"{counts}, {self.invalid} invalid" if self.invalid else counts


class Point(Struct, frozen=True, kw_only=True):
    """One thing that the data says against the skill."""

    severity: Severity
    text: str


class CaseVerdict(Struct, frozen=True, kw_only=True):
    verdict: Verdict
    reason: str
    valid_trials: int
    gate_red: int
    vs_baseline: Tally
    vs_old: Tally | None
    points: tuple[Point, ...]


class SkillVerdict(Struct, frozen=True, kw_only=True):
    verdict: Verdict
    recommendation: Recommendation
    reason: str
    cases: Mapping[str, CaseVerdict]


def tally(pairs: Iterable[Pairing]) -> Tally:
    seen = list(pairs)
    return Tally(*(seen.count(p) for p in ("win", "loss", "tie", "invalid")))


def _pair_points(rule: PassRule, base: Tally, old: Tally | None) -> list[Point]:
    points: list[Point] = []
    if base.lead < rule.lead_over_baseline and base.valid:
        severity: Severity = "critical" if base.lead < 0 else "major"
        points.append(Point(severity=severity, text=f"not enough better than no skill: {base}"))
    if old is not None and old.valid and old.lead < rule.lead_over_old:
        points.append(Point(severity="major", text=f"worse than the old version: {old}"))
    return points


def _missing(rule: PassRule, valid: int, base: Tally, old: Tally | None) -> list[str]:
    """What is too little to conclude from."""
    counts = [("trials of new", valid), ("pairs with baseline", base.valid)]
    counts += [("pairs with old", old.valid)] if old is not None else []
    return [
        f"{n} valid {what}, {rule.min_valid_trials} are due"
        for what, n in counts
        if n < rule.min_valid_trials
    ]


def decide(trials: Sequence[Trial], rule: PassRule) -> CaseVerdict:
    """The verdict on one case. A red gate fails it outright; too little data is invalid, never a pass."""
    valid = [t for t in trials if t.gate is not Verdict.INVALID]
    red = sum(t.gate is Verdict.FAIL for t in valid)
    base = tally(t.vs_baseline for t in trials)
    with_old = [t.vs_old for t in trials if t.vs_old is not None]
    old = tally(with_old) if with_old else None
    points: list[Point] = []
    if red:
        critical = red / len(valid) >= rule.rewrite_gate_share
        text = f"the gate is red in {red} of {len(valid)} valid trials"
        points.append(Point(severity="critical" if critical else "major", text=text))
    points += _pair_points(rule, base, old)
    missing = _missing(rule, len(valid), base, old)
    if red or (points and not missing):
        verdict, reason = Verdict.FAIL, "; ".join(p.text for p in points)
    elif missing:
        verdict, reason = Verdict.INVALID, "; ".join(missing)
    else:
        verdict, reason = Verdict.PASS, f"gate green in {len(valid)} trials; against baseline {base}"
    lost = len(trials) - len(valid)
    if lost:
        points.append(Point(severity="minor", text=f"{lost} of {len(trials)} trials could not be evaluated"))
    return CaseVerdict(
        verdict=verdict,
        reason=reason,
        valid_trials=len(valid),
        gate_red=red,
        vs_baseline=base,
        vs_old=old,
        points=tuple(points),
    )


def decide_skill(cases: Mapping[str, CaseVerdict]) -> SkillVerdict:
    """All cases together: any fail fails; what could not be evaluated is never called a pass."""
    verdicts = [c.verdict for c in cases.values()]
    severities = {p.severity for c in cases.values() if c.verdict is Verdict.FAIL for p in c.points}
    recommendation: Recommendation = "SHIP"
    if "critical" in severities:
        verdict, recommendation = Verdict.FAIL, "REWRITE"
    elif Verdict.FAIL in verdicts:
        verdict, recommendation = Verdict.FAIL, "ITERATE"
    elif not verdicts or Verdict.INVALID in verdicts:
        verdict, recommendation = Verdict.INVALID, "NOT EVALUATED"
    else:
        verdict = Verdict.PASS
    bad = [f"{name}: {c.reason}" for name, c in cases.items() if c.verdict is not Verdict.PASS]
    passed = f"all {len(cases)} cases pass" if len(cases) > 1 else "its case passes"
    reason = "; ".join(bad) or (passed if cases else "there are no cases")
    return SkillVerdict(verdict=verdict, recommendation=recommendation, reason=reason, cases=dict(cases))


def read_rule(reader: MappingReader | None) -> PassRule:
    """The rule of a ``rule:`` mapping; what it leaves out is as by default."""
    default = PassRule()
    if reader is None:
        return default
    base, old = reader.whole("lead_over_baseline", least=-1000), reader.whole("lead_over_old", least=-1000)
    made = PassRule(
        min_valid_trials=reader.whole("min_valid_trials") or default.min_valid_trials,
        lead_over_baseline=default.lead_over_baseline if base is None else base,
        lead_over_old=default.lead_over_old if old is None else old,
        rewrite_gate_share=reader.number("rewrite_gate_share") or default.rewrite_gate_share,
    )
    reader.done()
    return made


class ArmCost(Struct, frozen=True, kw_only=True):
    """Mean of one run of an arm. A footnote: nothing above reads it."""

    arm: ArmName
    runs: int
    input_tokens: float
    output_tokens: float
    cache_read_tokens: float
    cache_write_tokens: float
    cost_usd: float

    @property
    def equivalent_tokens(self) -> float:
        return cost_equivalent_tokens(
            input=self.input_tokens,
            cache_write=self.cache_write_tokens,
            cache_read=self.cache_read_tokens,
            output=self.output_tokens,
        )

    def __str__(self) -> str:
        parts = f"input {self.input_tokens:.0f}, output {self.output_tokens:.0f}"
        cache = f"cache read {self.cache_read_tokens:.0f}, cache write {self.cache_write_tokens:.0f}"
        mean = f"{self.equivalent_tokens:.0f} cost-equivalent tokens ({parts}, {cache}), ${self.cost_usd:.4f}"
        return f"{self.arm}: {mean} a run, over {self.runs} runs"


def cost_footnote(usages: Mapping[ArmName, Sequence[Usage]]) -> tuple[ArmCost, ...]:
    """One line an arm that has runs, in the order given."""

    def mean(runs: Sequence[Usage], field: str) -> float:
        return sum(float(getattr(u, field)) for u in runs) / len(runs)

    return tuple(
        ArmCost(
            arm=arm,
            runs=len(runs),
            input_tokens=mean(runs, "input_tokens"),
            output_tokens=mean(runs, "output_tokens"),
            cache_read_tokens=mean(runs, "cache_read_tokens"),
            cache_write_tokens=mean(runs, "cache_write_tokens"),
            cost_usd=mean(runs, "cost_usd"),
        )
        for arm, runs in usages.items()
        if runs
    )
