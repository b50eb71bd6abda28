"""``harness playbook``: what the model did in a run, as a playbook."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from harness.commands.options import DEFAULT_RESULTS, Results


def command(
    target: Annotated[str, typer.Argument(metavar="RUN_ID|FILE", help="A run, or the file of a bundle.")],
    out: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Else it is printed.")
    ] = None,
    kind: Annotated[
        str, typer.Option("--kind", metavar="NAME", help="The playbook's kind, as the suite names them.")
    ] = "recorded",
    results: Results = DEFAULT_RESULTS,
) -> None:
    """Turn a recorded run into a scripted playbook that makes the same tool calls, with ids, times and paths neutral.

    Put it into the scenario's playbooks/ folder. Exit code: 0, or 2 for a mistake to mend.
    """
    from tempfile import TemporaryDirectory

    from harness.repro.past import open_past
    from harness.repro.playbook import playbook_text

    with TemporaryDirectory(prefix="harness-") as scratch:
        text = playbook_text(open_past(target, results.absolute(), Path(scratch)), kind)
    if out is None:
        print(text, end="")
    else:
        out.write_text(text)
        print(f"wrote {out}", file=sys.stderr)
    sys.exit(0)
