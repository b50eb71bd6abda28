"""Options that several commands share, each defined once."""

from pathlib import Path
from typing import Annotated

import typer

Results = Annotated[
    Path, typer.Option("--results", metavar="DIR", help="Folder of results.tsv and runs/.", show_default=True)
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout instead of text.")]
ClaudePath = Annotated[
    str | None,
    typer.Option(
        "--claude",
        metavar="PATH",
        help="The claude to run. Else $HARNESS_CLAUDE, then the one on PATH, then the bundled one.",
    ),
]
Sandbox = Annotated[
    str,
    typer.Option(
        "--sandbox", metavar="KIND", help="auto, tempdir or jail; auto takes the strongest that works."
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
DEFAULT_RESULTS = Path("results")


def records(wire: str) -> bool:
    """Raises UserError for a word that ``--wire`` does not know."""
    from harness.errors import UserError

    if wire not in ("record", "none"):
        raise UserError(f"--wire is record or none, not {wire!r}")
    return wire == "record"
