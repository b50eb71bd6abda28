"""``harness report``: all runs as pages that open anywhere."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from harness.commands import add_examples
from harness.commands.options import DEFAULT_RESULTS, Json, Results

EXAMPLES = """
Examples:

  harness report                              results/report/index.html, and a page for each run
  harness report --transcripts failing        pages only for runs that did not pass
  harness report --out public                 where a web server or a CI artifact wants it
"""


def command(
    results: Results = DEFAULT_RESULTS,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="Where to write; else report/ in the results.")
    ] = None,
    transcripts: Annotated[
        str,
        typer.Option("--transcripts", metavar="WHICH", help="Runs that get a page: all, failing or none."),
    ] = "all",
    json: Json = False,
) -> None:
    """Write index.html over all rows, with a page for each run beside it.

    It needs no network and no server: open it from the disk. Exit code: 0, or 2 for a mistake to mend.
    """
    from harness.errors import UserError
    from harness.report.index import WHICH, write_report
    from harness.results.record import TABLE

    which = next((w for w in WHICH if w == transcripts), None)
    if which is None:
        raise UserError(f"--transcripts is {transcripts!r}; give {', '.join(WHICH)}")
    if not (results / TABLE).is_file():
        raise UserError(f"there is no {results / TABLE}; run `harness eval` first or give --results DIR")
    made = write_report(
        results.absolute(),
        (out or results / "report").absolute(),
        which=which,
        say=lambda text: print(text, file=sys.stderr),
    )
    if json:
        from harness.report.document import as_json

        told = {"index": str(made.index), "rows": made.rows, "pages": made.pages, "kept": made.kept,
                "size_bytes": made.size_bytes, "faults": made.faults}  # fmt: skip
        print(as_json(told))
        return
    for fault in made.faults:
        print(fault, file=sys.stderr)
    print(f"{made.index}: {made.rows} rows, {made.pages} run pages written, {made.kept} kept")


add_examples(command, EXAMPLES)
