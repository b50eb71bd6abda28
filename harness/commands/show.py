"""``harness show``: one run on the terminal."""

import sys
from typing import Annotated

import typer

from harness.commands import add_examples
from harness.commands.options import DEFAULT_RESULTS, Json, Results

EXAMPLES = """
Examples:

  harness show c6592a                         the end of a run id is enough
  harness show c6592a --full | less -R        every result in full
  harness show c6592a --json | jq .signals
"""


def command(
    run_id: Annotated[
        str, typer.Argument(metavar="RUN_ID", help="A run, or the beginning or end of its id.")
    ],
    results: Results = DEFAULT_RESULTS,
    full: Annotated[bool, typer.Option("--full", help="Do not fold or cut.")] = False,
    json: Json = False,
) -> None:
    """Show a run as it went: prompt, hook context, each step with what the checkers say of it, world changes.

    Exit code: 0, or 2 for a mistake to mend.
    """
    from harness.report.kept import find_run, read_kept
    from harness.report.show import run_fields, run_lines
    from harness.report.skill_verdicts import read_skills

    kept = read_kept(results, find_run(results, run_id).name, read_skills(results))
    if json:
        import orjson

        print(orjson.dumps(run_fields(kept), option=orjson.OPT_INDENT_2, default=str).decode())
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False, soft_wrap=True, file=sys.stdout)
    for style, line in run_lines(kept, results.absolute(), full=full):
        console.print(Text(line, style=style))


add_examples(command, EXAMPLES)
