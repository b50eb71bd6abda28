"""``harness tail``: a running evaluation, followed from another terminal."""

import sys
import time
from typing import Annotated

import typer
from msgspec import to_builtins

from harness.commands import add_examples
from harness.commands.options import DEFAULT_RESULTS, Json, Results

EXAMPLES = """
Examples:

  harness tail                                until the grid that writes to results/ has ended
  harness tail --once --json                  how it stands now, for a script
"""


def command(
    results: Results = DEFAULT_RESULTS,
    once: Annotated[bool, typer.Option("--once", help="Say how it stands and leave.")] = False,
    interval: Annotated[
        float, typer.Option("--interval", metavar="S", min=0.2, help="Seconds between looks.")
    ] = 2.0,
    json: Json = False,
) -> None:
    """Follow a running evaluation: done, running, waiting and why, spent, and an estimate to its end.

    Exit code: 0 when it has ended, 2 where none has begun, 3 where its process is gone before its end.
    """
    from harness.errors import UserError
    from harness.model.outcome import ExitCode
    from harness.report.progress import NAME, read_standing, standing_text

    shown = ""
    while True:
        standing = read_standing(results)
        if standing is None:
            raise UserError(f"there is no {results / NAME}; no evaluation has begun there (see --results)")
        if json:
            import orjson

            text = orjson.dumps({**to_builtins(standing), "left_s": standing.left_s}).decode()
        else:
            text = standing_text(standing)
        if text != shown:
            print(text, flush=True)
            shown = text
        if once or not standing.alive:
            sys.exit(ExitCode.PASS if once or standing.ended else ExitCode.NOT_EVALUATED)
        time.sleep(interval)


add_examples(command, EXAMPLES)
