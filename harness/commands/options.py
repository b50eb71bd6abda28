"""Options that several commands share, each declared once; a command adds its default and, where it must, words of its own."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

_jobs = partial(typer.Option, "--jobs", metavar="N", min=1, max=64)
_results = partial(typer.Option, "--results", metavar="DIR")
_sandbox = partial(typer.Option, "--sandbox", metavar="KIND")
_seed = partial(typer.Option, "--seed", metavar="N", min=0)
_old = partial(typer.Option, "--old", metavar="REF")
_retries = partial(typer.Option, "--retries", metavar="N", min=0)
_engine = partial(typer.Option, "--engine", metavar="NAME")

Jobs = Annotated[int, _jobs(help="Runs at once.")]
JobsOfEval = Annotated[int, _jobs(help="Runs at once, as for eval.")]
Results = Annotated[Path, _results(help="Folder of results.tsv and runs/.", show_default=True)]
ResultsToKeep = Annotated[Path | None, _results(help="Keep the runs here; else they are thrown away.")]
ResultsToLookAt = Annotated[Path | None, _results(help="Keep the runs here, to look at.")]
Sandbox = Annotated[str, _sandbox(help="auto, tempdir or jail; auto takes the strongest that works.")]
SandboxAsItWas = Annotated[str | None, _sandbox(help="auto, tempdir or jail; else as it was.")]
ClaudePath = Annotated[
    str | None,
    typer.Option(
        "--claude",
        metavar="PATH",
        help="The claude to run. Else $HARNESS_CLAUDE, then the one on PATH, then the bundled one.",
    ),
]
Wire = Annotated[
    str,
    typer.Option(
        "--wire",
        metavar="record|none",
        help="record keeps what passes between claude and the model: for harness repro.",
    ),
]
Seed = Annotated[int | None, _seed(help="Mix the order from it; else as planned.")]
Old = Annotated[str | None, _old(help="The git ref whose plugin is the arm old.")]
Retries = Annotated[
    int | None, _retries(help="More tries for an invalid cell, at once; else one try a call.")
]
Engine = Annotated[str, _engine(help="local, or dask for a cluster.")]
Workers = Annotated[
    int | None, typer.Option("--workers", metavar="N", min=1, help="With dask: workers on this machine.")
]
Scheduler = Annotated[
    str | None,
    typer.Option("--scheduler", metavar="URL", help="With dask: the cluster, tcp://HOST:PORT."),
]
Fresh = Annotated[bool, typer.Option("--fresh", help="Run cells again that have a valid row.")]
Keep = Annotated[bool, typer.Option("--keep", help="Leave each run's world and home to look at.")]
Lint = Annotated[
    bool, typer.Option("--lint/--no-lint", help="Refuse to run on lint findings; each row says if not.")
]
Scenarios = Annotated[
    list[str] | None, typer.Option("--scenario", metavar="GLOB", help="Only ids that match; repeatable.")
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout instead of text.")]

# The same, where a grid's file has an answer already.
GridJobs = Annotated[int | None, _jobs(help="Runs at once; else the file's.")]
GridResults = Annotated[Path | None, _results(help="Folder of results.tsv and runs/; else the file's.")]
GridSandbox = Annotated[str | None, _sandbox(help="auto, tempdir or jail; else the file's.")]
GridSeed = Annotated[int | None, _seed(help="Order the cells from it; else the file's.")]
GridOld = Annotated[str | None, _old(help="The git ref of the arm old; else the file's.")]
GridRetries = Annotated[int | None, _retries(help="More tries for an invalid cell.")]
GridEngine = Annotated[str | None, _engine(help="local or dask; else the file's.")]

DEFAULT_RESULTS = Path("results")


def records(wire: str) -> bool:
    """Raises UserError for a word that ``--wire`` does not know."""
    from harness.errors import UserError

    if wire not in ("record", "none"):
        raise UserError(f"--wire is record or none, not {wire!r}")
    return wire == "record"
