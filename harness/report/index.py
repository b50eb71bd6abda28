"""The report of a results folder: one page of all runs, and a page beside it for each."""

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlencode

import orjson

from harness import __version__
from harness.model.outcome import Verdict
from harness.model.row import Row
from harness.report import charts
from harness.report.fields import row_fields
from harness.report.inert import inert
from harness.report.kept import is_safe_name, origin_of, read_kept
from harness.report.overview import GridCell, Overview, Paired, SuiteGrid, overview
from harness.report.page import asset, environment, policy, run_page
from harness.results.record import TABLE
from harness.results.row_codec import read_rows
from harness.stats import Interval, wilson

if TYPE_CHECKING:
    from markupsafe import Markup

Which = Literal["all", "failing", "none"]
WHICH: tuple[Which, ...] = ("all", "failing", "none")
_WORDS = ("suite", "scenario", "arm", "model", "verdict", "status", "axis_a", "axis_b", "reason")
_PLAIN = ("trial", "run", "counts", "page", "seconds", "usd")


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    index: Path
    rows: int
    pages: int
    """Run pages written now."""
    kept: int
    """Run pages that were up to date."""
    size_bytes: int
    faults: tuple[str, ...]


def write_report(
    results: Path, out: Path, *, which: Which = "all", say: Callable[[str], None] = lambda _: None
) -> Written:
    """Write ``out/index.html`` and ``out/runs/*.html``. Run pages that are newer than their run stay as they are."""
    read = read_rows(results / TABLE)
    view = overview(read.rows)
    faults = tuple(
        f"{TABLE}:{fault.line} {fault.why}; the line is not in this report" for fault in read.faults
    )
    (out / "runs").mkdir(parents=True, exist_ok=True)
    chosen = [row for row in read.rows if _is_chosen(row, which)]
    written, kept = _write_pages(chosen, results, out, say)
    html = index_page(read.rows, view, results, out, faults)
    index = out / "index.html"
    _replace(index, html)
    return Written(
        index=index,
        rows=len(read.rows),
        pages=written,
        kept=kept,
        size_bytes=index.stat().st_size,
        faults=faults,
    )


def _is_chosen(row: Row, which: Which) -> bool:
    return which == "all" or (which == "failing" and row.pass_ != Verdict.PASS)


def _replace(path: Path, html: str) -> None:
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    part.write_text(html, encoding="utf-8", errors="replace")
    part.replace(path)


def _write_pages(
    rows: Sequence[Row], results: Path, out: Path, say: Callable[[str], None]
) -> tuple[int, int]:
    written = kept = 0
    generator = f'content="harness {__version__}"'.encode()
    for row in rows:
        folder = results / "runs" / row.run_id
        if not is_safe_name(row.run_id) or not folder.is_dir():
            continue
        page = out / "runs" / f"{row.run_id}.html"
        if _is_fresh(page, folder, generator):
            kept += 1
            continue
        raw = os.path.relpath(results / "runs" / origin_of(row), page.parent) + "/"
        _replace(page, run_page(read_kept(results, row.run_id), results, raw=raw, index="../index.html"))
        written += 1
        if written % 200 == 0:
            say(f"{written} run pages written, {len(rows) - written - kept} left")
    return written, kept


def _is_fresh(page: Path, folder: Path, generator: bytes) -> bool:
    try:
        made = page.stat().st_mtime
        newest = max(
            (p.stat().st_mtime for p in (folder / "checks.json", folder / "row.tsv") if p.exists()),
            default=made,
        )
        if newest >= made:
            return False
        with page.open("rb") as file:
            return generator in file.read(1500)
    except OSError:
        return False


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
