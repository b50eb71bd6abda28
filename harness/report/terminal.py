"""An evaluation as it goes and as it ended, on a terminal or in plain lines."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress

from harness.model.row import Row
from harness.report.columns import in_columns
from harness.report.progress import NAME, ProgressFile

COLUMNS = ("scenario", "arm", "model", "trial", "axis a", "axis b", "result", "status", "s", "usd")


class Terminal:
    """Progress on stderr: a bar on a terminal, a line a run elsewhere; the table on stdout at the end."""

    def __init__(
        self,
        *,
        total: int,
        out: IO[str] | None = None,
        progress: IO[str] | None = None,
        results: Path | None = None,
    ) -> None:
        """``results``: where ``progress.json`` is kept for ``harness tail``; None: nowhere."""
        self.total = total
        self.done = 0
        self.out = out or sys.stdout
        self.progress = progress or sys.stderr
        self._kept = ProgressFile(path=results / NAME, total=total) if results is not None and total else None
        self._bar = _bar(total) if self.progress.isatty() and total else None

    def say(self, text: str) -> None:
        if self._kept is not None:
            self._kept.told(text)
        self._print(text)

    def _print(self, text: str) -> None:
        if self._bar is not None:
            self._bar.console.print(text, highlight=False, markup=False)
        else:
            print(text, file=self.progress, flush=True)

    def started(self, name: str) -> None:
        if self._kept is not None:
            self._kept.started(name)
        if self._bar is not None:
            self._bar.update(self._bar.task_ids[0], running=name)

    def finished(self, row: Row) -> None:
        self.done += 1
        if self._kept is not None:
            self._kept.finished(row)
        place = f"{self.done}/{self.total}"
        axes = f"a={row.axis_a} b={row.axis_b}"
        self._print(
            f"[{place}] {row.pass_:7} {row.scenario} {row.arm} {row.model} #{row.trial}  {axes}  {row.reason}"
        )
        if self._bar is not None:
            self._bar.advance(self._bar.task_ids[0])

    def close(self) -> None:
        if self._kept is not None:
            self._kept.ended()
        if self._bar is not None:
            self._bar.stop()

    def table(self, rows: Sequence[Row]) -> None:
        if not self.out.isatty():
            print("\n".join(in_columns([COLUMNS, *map(cells, rows)])), file=self.out)
            return
        from rich.console import Console
        from rich.table import Table

        table = Table(box=None, pad_edge=False)
        for column in COLUMNS:
            table.add_column(column, no_wrap=True)
        for row in rows:
            table.add_row(*cells(row), style=_STYLE.get(row.pass_, ""))
        Console(file=self.out, highlight=False).print(table)

    def failing(self, rows: Sequence[Row], results: Path) -> None:
        for row in rows:
            if row.pass_ != "pass":
                print(
                    f"\n{row.pass_}: {row.scenario} {row.arm} {row.model} #{row.trial}: {row.reason}",
                    file=self.out,
                )
                print(f"  run:   {results / 'runs' / row.run_id}", file=self.out)
                print(f"  again: {again(row, results)}", file=self.out)


_STYLE = {"pass": "green", "fail": "red", "invalid": "yellow"}


def cells(row: Row) -> tuple[str, ...]:
    name = (row.scenario, row.arm, row.model, row.trial)
    return (*name, row.axis_a, row.axis_b, row.pass_, row.status, row.duration_s, row.cost_usd)


def again(row: Row, results: Path) -> str:
    """The command that has the row's run once more."""
    where = "" if results.name == "results" and results.parent == Path.cwd() else f" --results {results}"
    return f"harness repro {row.run_id}{where}"


def _bar(total: int) -> "Progress":
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (MofNCompleteColumn(), BarColumn(), TimeElapsedColumn(), TextColumn("{task.fields[running]}"))
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    bar.add_task("runs", total=total, running="")
    bar.start()
    return bar
