"""The one page of all runs: grid, comparisons, nights, reasons, and the rows for its script."""

import os
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import orjson

from harness import __version__
from harness.model.row import Row
from harness.report import charts
from harness.report.fields import row_fields
from harness.report.inert import inert
from harness.report.kept import is_safe_name
from harness.report.overview import GridCell, Overview, Paired, SuiteGrid
from harness.report.page import asset, environment, policy
from harness.report.skill_verdicts import read_skills
from harness.results.record import TABLE
from harness.stats import Interval, wilson

if TYPE_CHECKING:
    from markupsafe import Markup

_WORDS = ("suite", "scenario", "arm", "model", "verdict", "status", "axis_a", "axis_b", "reason")
_PLAIN = ("trial", "run", "counts", "page", "seconds", "usd")


def index_page(
    rows: Sequence[Row], view: Overview, results: Path, out: Path, faults: Iterable[str] = ()
) -> str:
    from markupsafe import Markup

    script = asset("index.js")
    return (
        environment()
        .get_template("index.html")
        .render(
            version=__version__,
            policy=policy(script),
            style=Markup(asset("style.css")),
            script=Markup(script),
            suites=[grid.suite for grid in view.grids] or ["no suite"],
            whole=view.whole,
            whole_span=_span(wilson(view.whole.passed, view.whole.valid)),
            stale=view.stale,
            made_at=f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
            source=f"{results.name}/{TABLE}, {len(rows)} rows",
            faults=tuple(faults),
            choices=_choices(rows),
            grids=[_grid(grid) for grid in view.grids],
            pairs=[_paired(pair) for pair in view.pairs],
            charts={
                "pairs": Markup(charts.differences(view.pairs)),
                "trend": Markup(charts.trend(view.nights)),
                "cost": Markup(charts.cost_against_rate(view.grids)),
            },
            flaky=[
                (g.suite, x.scenario, _cell(c))
                for g in view.grids
                for x in g.lines
                for c in x.cells
                if c and c.flaky
            ],
            invalid=view.invalid,
            skills=read_skills(results),
            link=lambda **names: urlencode({k: inert(v) for k, v in names.items() if v}),
            rows=_rows(rows, view, results, out),
        )
    )


def _choices(rows: Sequence[Row]) -> list[tuple[str, list[str]]]:
    names = {
        "suite": "suite",
        "scenario": "scenario",
        "arm": "arm",
        "model": "model",
        "verdict": "pass_",
        "status": "status",
    }
    return [(shown, sorted({getattr(row, field) for row in rows})) for shown, field in names.items()]


def _grid(grid: SuiteGrid) -> dict[str, object]:
    return {
        "suite": grid.suite,
        "sides": grid.sides,
        "lines": [
            {"scenario": line.scenario, "cells": [_cell(c) if c is not None else None for c in line.cells]}
            for line in grid.lines
        ],
        "totals": [_cell(cell) for cell in grid.totals],
    }


def _cell(cell: GridCell) -> dict[str, object]:
    made = cell.tally
    look = (
        "invalid" if not made.valid else "pass" if not made.failed else "fail" if not made.passed else "mixed"
    )
    told = f"{made.passed} of {made.valid} pass" + (f", {made.invalid} invalid" if made.invalid else "")
    return {
        "side": cell.side,
        "look": look,
        "told": told,
        "passed": made.passed,
        "valid": made.valid,
        "invalid": made.invalid,
        "flaky": cell.flaky,
        "span": _span(cell.interval),
        "axis_a": f"{made.axis_a}/{made.axis_a_of}",
        "axis_b": f"{made.axis_b}/{made.axis_b_of}",
        "cost_usd": made.cost_usd,
    }


def _span(interval: Interval | None) -> str:
    return "" if interval is None else f"{interval.low:.2f} to {interval.high:.2f}"


def _paired(pair: Paired) -> dict[str, object]:
    found = pair.found
    difference = "" if found.difference is None else f"{found.difference:+.2f}"
    if found.difference_interval is not None:
        difference += f" ({found.difference_interval.low:+.2f} to {found.difference_interval.high:+.2f})"
    said = {"b-better": f"{found.b.name} passes more often", "a-better": f"{found.a.name} passes more often"}
    more = (
        f"not enough data: about {found.needed_trials} more trials of each scenario"
        if found.needed_trials
        else "not enough data"
    )
    return {
        "suite": pair.suite,
        "model": pair.model,
        "arms": f"{found.a.name}, {found.b.name}",
        "pairs": found.pairs,
        "only_a": found.only_a,
        "only_b": found.only_b,
        "difference": difference,
        "p": "" if found.p is None else f"{found.p:.3f}",
        "verdict": said.get(found.verdict, more),
    }


def _rows(rows: Sequence[Row], view: Overview, results: Path, out: Path) -> "Markup":
    """All rows as JSON for the page's script: texts that repeat are stored once."""
    from markupsafe import Markup

    words: dict[str, dict[str, int]] = {name: {} for name in _WORDS}
    lines = []
    for row in reversed(rows):
        values = row_fields(row)
        told = {"verdict": row.pass_, "axis_a": row.axis_a, "axis_b": row.axis_b}
        line: list[object] = [
            words[name].setdefault(inert(told.get(name, str(values.get(name)))), len(words[name]))
            for name in _WORDS
        ]
        line += [row.trial, row.run_id, int(row.run_id in view.counted), _page_of(row, results, out)]
        line += [values["duration_s"], values["cost_usd"]]
        lines.append(line)
    document = {
        "places": {name: place for place, name in enumerate((*_WORDS, *_PLAIN))},
        "words": {name: list(known) for name, known in words.items()},
        "raw": os.path.relpath(results / "runs", out) + "/",
        "rows": lines,
    }
    text = orjson.dumps(document).decode()
    # Inside a script element only "<" can end it or open a comment.
    return Markup(text.replace("<", "\\u003c"))


def _page_of(row: Row, results: Path, out: Path) -> int:
    """1: it has a page, 2: only a folder, 0: nothing."""
    if not is_safe_name(row.run_id):
        return 0
    if (out / "runs" / f"{row.run_id}.html").exists():
        return 1
    return 2 if (results / "runs" / row.run_id).is_dir() else 0
