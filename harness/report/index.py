"""The report of a results folder: one page of all runs, and a page beside it for each."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal

from msgspec import Struct

from harness import __version__
from harness.model.outcome import Verdict
from harness.model.row import Row
from harness.report.index_page import index_page
from harness.report.kept import is_safe_name, origin_of, read_kept
from harness.report.overview import overview
from harness.report.page import run_page
from harness.report.skill_verdicts import read_skills
from harness.results.folder import VERDICTS
from harness.results.record import TABLE
from harness.results.row_codec import read_rows

Which = Literal["all", "failing", "none"]
WHICH: tuple[Which, ...] = ("all", "failing", "none")


class Written(Struct, frozen=True, kw_only=True):
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
    skills = read_skills(results)
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
        _replace(
            page, run_page(read_kept(results, row.run_id, skills), results, raw=raw, index="../index.html")
        )
        written += 1
        if written % 200 == 0:
            say(f"{written} run pages written, {len(rows) - written - kept} left")
    return written, kept


def _is_fresh(page: Path, folder: Path, generator: bytes) -> bool:
    try:
        made = page.stat().st_mtime
        told = (folder / "checks.json", folder / "row.tsv", folder.parents[1] / VERDICTS)
        newest = max((p.stat().st_mtime for p in told if p.exists()), default=made)
        if newest >= made:
            return False
        with page.open("rb") as file:
            return generator in file.read(1500)
    except OSError:
        return False
