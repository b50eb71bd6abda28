"""``harness bundle``: one run as one file for another machine."""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from harness.commands.options import DEFAULT_RESULTS, Results


def command(
    run_id: Annotated[str, typer.Argument(metavar="RUN_ID", help="A run of the results folder.")],
    out: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Else RUN_ID.bundle.tar.zst, here.")
    ] = None,
    results: Results = DEFAULT_RESULTS,
) -> None:
    """Pack a run with its scenario, fixture, plugin or skill, and recording; `harness repro FILE` has it again anywhere.

    Refused where something in it looks like a secret. Exit code: 0, or 2 for a mistake to mend.
    """
    from tempfile import TemporaryDirectory

    from harness.repro.bundle import default_name, make_bundle
    from harness.repro.past import open_past

    with TemporaryDirectory(prefix="harness-") as scratch:
        past = open_past(run_id, results.absolute(), Path(scratch))
        made = make_bundle(past, out or default_name(past.run_id), root=Path.cwd(), environ=os.environ)
    print(f"{made.path}: {made.size_bytes / 1024:.0f} KiB; `harness repro {made.path}` has the run again")
    sys.exit(0)
