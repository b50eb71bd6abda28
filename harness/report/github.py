"""What GitHub Actions shows of an evaluation: annotations at the scenarios, and the summary of a job."""

import re
from collections.abc import Iterable, Iterator, Sequence

from harness.model.outcome import Verdict
from harness.model.row import Row
from harness.report.inert import inert, one_line
from harness.report.overview import GridCell, Overview, SuiteGrid
from harness.scoring.current import current

MOST_SHOWN = 10
"""Annotations of one kind that GitHub shows of one step."""
_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>()#+!|~@&-])")


def annotations(rows: Iterable[Row]) -> Iterator[str]:
    """A workflow command a line: an error for a fail, a warning for an invalid cell, at the scenario's file."""
    counted = current(rows).rows
    for verdict, command in ((Verdict.FAIL, "error"), (Verdict.INVALID, "warning")):
        found = [row for row in counted if row.pass_ == verdict]
        yield from (_annotation(row, command) for row in found[:MOST_SHOWN])
        if len(found) > MOST_SHOWN:
            yield f"::notice title=harness::{len(found) - MOST_SHOWN} more cells are {verdict.value}; the job summary has all"


def _annotation(row: Row, command: str) -> str:
    file = f"scenarios/{row.suite}/{row.scenario}/scenario.yaml"
    title = f"{row.scenario} {row.arm} {row.model} #{row.trial}: {row.pass_}"
    return f"::{command} file={_property(file)},line=1,title={_property(title)}::{_data(row.reason)} (run {_data(row.run_id)})"


def _data(text: str) -> str:
    return inert(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def summary_markdown(view: Overview) -> str:
    """The grid of each suite, what is invalid and why, and how arms compare."""
    whole = view.whole
    lines = [
        f"### harness: {whole.passed} of {whole.valid} valid cells pass, {whole.invalid} of {whole.cells} invalid",
        "",
    ]
    for grid in view.grids:
        lines += _grid(grid)
    if view.invalid:
        lines += ["", "| cells | status | why invalid |", "| ---: | --- | --- |"]
        lines += [f"| {r.count} | {_md(r.status)} | {_md(r.reason)} |" for r in view.invalid]
    told = [pair for pair in view.pairs if pair.found.difference is not None]
    if told:
        lines += ["", "| arms | pairs | difference | says |", "| --- | ---: | ---: | --- |"]
    for pair in told:
        found = pair.found
        name = f"{pair.suite} {pair.model}: {found.b.name} against {found.a.name}"
        lines.append(f"| {_md(name)} | {found.pairs} | {found.difference:+.2f} | {_md(found.verdict)} |")
    return "\n".join(lines) + "\n"


def _grid(grid: SuiteGrid) -> Sequence[str]:
    heads = [f"{_md(side.arm)}<br>{_md(side.model)}" for side in grid.sides]
    return [
        "",
        f"| {_md(grid.suite)} | {' | '.join(heads)} |",
        f"| --- |{' ---: |' * len(heads)}",
        *(f"| {_md(line.scenario)} | {' | '.join(map(_cell, line.cells))} |" for line in grid.lines),
        f"| **all** | {' | '.join(map(_cell, grid.totals))} |",
    ]


def _cell(cell: GridCell | None) -> str:
    if cell is None:
        return ""
    tally = cell.tally
    sign = "⚠️" if not tally.valid else "✅" if not tally.failed else "❌"
    invalid = f" ({tally.invalid} invalid)" if tally.invalid else ""
    return f"{sign} {tally.passed}/{tally.valid}{invalid}"


def _md(text: str) -> str:
    return _MARKDOWN.sub(r"\\\1", one_line(text, 300))
