"""``harness rescore``: judge saved runs again with today's checkers and scenarios."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from harness.commands.options import DEFAULT_RESULTS, Json, Results


def command(
    run_ids: Annotated[
        list[str] | None, typer.Argument(metavar="[RUN_ID]...", help="Runs; all if none.")
    ] = None,
    results: Results = DEFAULT_RESULTS,
    literal: Annotated[
        bool, typer.Option("--literal", help="Axis a as the spec is written: Skill, CLI, Read and Glob only.")
    ] = False,
    json: Json = False,
) -> None:
    """Judge saved run folders again; a new row, marked, only where the verdict or an axis changed.

    No claude is started and no judge is asked again. Exit code: 0, or 2 for a mistake to mend.
    """
    from harness.engine.rescore import rescore

    changed = rescore(results.absolute(), tuple(run_ids or ()), root=Path.cwd(), literal=literal)
    if json:
        from harness.report.document import as_json

        print(as_json([c.as_dict() for c in changed.changes]))
    else:
        for change in changed.changes:
            print(change)
        print(
            f"{changed.judged} runs judged again, {len(changed.changes)} changed, {len(changed.skipped)} skipped"
        )
        for reason in changed.skipped:
            print(f"  skipped {reason}")
    sys.exit(0)
