"""What the checkers found, put where it stands in a run's story."""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from harness.model.check import Finding, Signal
from harness.report.story import Mark, Step, Story


def mark(story: Story, signals: Sequence[Signal], findings: Sequence[Finding]) -> Story:
    """The story with each signal and each piece of evidence at its step."""
    return replace(story, steps=tuple(_marked(story.steps, signals, findings)))


def _marked(steps: Sequence[Step], signals: Sequence[Signal], findings: Sequence[Finding]) -> Iterator[Step]:
    final = _final_index(steps)
    for number, step in enumerate(steps):
        marks = [
            _signal_mark(s)
            for s in signals
            if s.index == step.index and s.tool == step.title and step.kind == "call"
        ]
        for finding in findings:
            marks += _finding_marks(finding, step, is_final=number == final)
        yield replace(step, marks=tuple(marks)) if marks else step


def _final_index(steps: Sequence[Step]) -> int:
    spoken = [n for n, s in enumerate(steps) if s.kind == "said" and not s.subagent and s.body.strip()]
    return spoken[-1] if spoken else -1


def _signal_mark(signal: Signal) -> Mark:
    notes = [
        word
        for word, on in (("denied", signal.denied), ("failed", signal.failed), ("subagent", signal.subagent))
        if on
    ]
    if not signal.decides:
        notes.append("does not decide")
    reason = signal.detail + (f" ({', '.join(notes)})" if notes else "")
    return Mark(label=f"signal: {signal.kind}", reason=reason, good=True if signal.decides else None)


def _finding_marks(finding: Finding, step: Step, *, is_final: bool) -> list[Mark]:
    made = []
    for evidence in finding.evidence:
        here = evidence.where == f"stream:{step.index}" and step.kind in ("call", "said", "hook")
        if here and finding.name == "axis_a" and step.kind == "call":
            continue  # the signal itself is marked
        if here or (is_final and evidence.where == "final message"):
            made.append(
                Mark(
                    label=finding.name.replace("_", " "),
                    reason=finding.reason,
                    good=finding.value,
                    words=evidence.text,
                )
            )
    return made
