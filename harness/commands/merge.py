"""``harness merge``: the results of several shards or machines as one."""

import sys
from pathlib import Path
from typing import Annotated

import typer


def command(
    sources: Annotated[list[Path], typer.Argument(metavar="SOURCE...", help="Results folders or tables.")],
    into: Annotated[Path, typer.Option("--into", metavar="DIR", help="The results folder to add them to.")],
) -> None:
    """Add rows and run folders of the sources; merging again changes nothing.

    Refused, with nothing written, where a cell would count twice. Exit code: 0, or 2 for a mistake to mend.
    """
    from harness.results.merge import merge

    done = merge(sources, into)
    if done.repair is not None:
        print(done.repair.text, file=sys.stderr)
    for table, fault in done.faults:
        print(f"{table}:{fault.line}: left behind: {fault.why}", file=sys.stderr)
    print(f"{done.added} rows and {done.folders} run folders added to {into}; {done.known} were known")
    sys.exit(0)
