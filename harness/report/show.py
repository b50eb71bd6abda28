"""One run on a terminal, and its facts as JSON."""

from collections.abc import Iterator
from pathlib import Path

from msgspec import to_builtins

from harness.report.fields import row_fields
from harness.report.inert import inert, one_line, shown
from harness.report.kept import Kept
from harness.report.story import Step, headline
from harness.report.terminal import again

Line = tuple[str, str]
"""A style of rich, and plain text."""
_VERDICT = {"pass": "bold green", "fail": "bold red", "invalid": "bold yellow"}
_GOOD = {True: "green", False: "red", None: "cyan"}
_DIFF = {"+": "green", "-": "red", "@": "cyan"}
_FULL_CHARACTERS = 8_000
_FOLDED_LINES = 6


def run_lines(kept: Kept, results: Path, *, full: bool) -> Iterator[Line]:
    """The run as lines; folded, a step is one line and long texts are cut."""
    yield from _head(kept, results)
    yield "", ""
    yield "bold", "prompt"
    yield from _text(kept.prompt, full)
    for context in kept.contexts:
        yield "", ""
        yield "bold", f"hook context ({inert(context.hook_name)})"
        yield from _text(context.text, full)
    yield "", ""
    for finding in kept.findings:
        value = {True: "true", False: "false", None: "n/a"}[finding.value]
        yield _GOOD[finding.value], f"{finding.name}: {value}, {inert(finding.reason)}"
        yield from (("dim", f"    {e.where}: {one_line(_short(e.text, kept))}") for e in finding.evidence)
    yield from _proposal(kept)
    yield from _gate(kept)
    yield "", ""
    yield from _steps(kept, full)
    if kept.diff:
        yield "", ""
        yield "bold", "what changed in the world"
        for line in shown(kept.diff, 200_000 if full else 6_000).text.rstrip("\n").split("\n"):
            yield ("dim" if line.startswith(("+++", "---", "diff ")) else _DIFF.get(line[:1], "")), line
    yield from (("yellow", fault) for fault in kept.faults)


def _head(kept: Kept, results: Path) -> Iterator[Line]:
    row = kept.row
    yield "bold", kept.run_id
    if row is None:
        yield "bold yellow", "no row: the run was cut off, or is still going"
        return
    yield _VERDICT.get(row.pass_, ""), f"{row.pass_} ({row.status})  axis a {row.axis_a}  axis b {row.axis_b}"
    yield "", inert(row.reason)
    yield (
        "dim",
        f"{row.started_at}  {row.duration_s} s  {row.turns} turns  ${row.cost_usd}  {row.model_id}  claude {row.cli_version}",
    )
    yield "dim", f"again: {again(row, results)}"


def _text(text: str, full: bool) -> Iterator[Line]:
    cut = shown(text, 200_000 if full else _FULL_CHARACTERS)
    lines = cut.text.rstrip("\n").split("\n")
    kept = lines if full else lines[:_FOLDED_LINES]
    yield from (("", f"    {line}") for line in kept)
    if len(kept) < len(lines) or cut.cut:
        yield "dim", "    … (--full shows the whole)"


def _proposal(kept: Kept) -> Iterator[Line]:
    if kept.proposal:
        told = f"proposal judge: proposed {kept.proposal.get('proposed')}, {kept.proposal.get('reason') or kept.proposal.get('quote')}"
        yield "cyan", one_line(told, 400)


def _gate(kept: Kept) -> Iterator[Line]:
    for line in kept.gate:
        style = {"pass": "green", "fail": "red"}.get(str(line.get("outcome")), "yellow")
        yield (
            style,
            f"assertion {line.get('outcome')}: line {line.get('line')}: {one_line(str(line.get('text')), 120)} {one_line(str(line.get('reason')))}",
        )
    for case, one in kept.compared:
        yield (
            "cyan",
            f"blind judge, {inert(case.case)}, new against {inert(one.pair)}: {inert(one.for_new)}: {one_line(one.reasoning, 400)}",
        )


def _steps(kept: Kept, full: bool) -> Iterator[Line]:
    turn = 0
    for step in kept.story.steps:
        if step.turn > turn:
            turn = step.turn
            yield "dim", f"turn {turn}"
        yield (
            _style(step),
            f"{step.index:5} {'    ' if step.subagent else ''}{headline(step, kept.world, 1000 if full else 150)}{_notes(step)}",
        )
        yield from (
            (_GOOD[mark.good], f"        ▸ {mark.label}: {one_line(_short(mark.reason, kept), 200)}")
            for mark in step.marks
        )
        if full and step.answer is not None:
            yield from (("dim", line) for _, line in _text(step.answer, full))


def _short(text: str, kept: Kept) -> str:
    return text.replace(f"{kept.world}/", "") if kept.world else text


def _style(step: Step) -> str:
    if step.failed or step.denied:
        return "red"
    return {"said": "bold", "hook": "blue", "note": "yellow", "result": "bold"}.get(step.kind, "")


def _notes(step: Step) -> str:
    notes = [word for word, on in (("denied", step.denied), ("failed", step.failed)) if on]
    return f"  [{', '.join(notes)}]" if notes else ""


def run_fields(kept: Kept) -> dict[str, object]:
    return {
        "run_id": kept.run_id,
        "row": row_fields(kept.row) if kept.row is not None else None,
        "prompt": kept.prompt,
        "hook_contexts": [to_builtins(context) for context in kept.contexts],
        "signals": [to_builtins(signal) for signal in kept.signals],
        "findings": [to_builtins(finding) for finding in kept.findings],
        "steps": [to_builtins(step) for step in kept.story.steps],
        "proposal": kept.proposal or None,
        "gate": kept.gate,
        "compared": [{"case": c.case, **to_builtins(one)} for c, one in kept.compared],
        "world_diff": kept.diff,
        "exit": kept.exit,
        "gateway": kept.gateway,
        "faults": kept.faults,
    }
