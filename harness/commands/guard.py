"""``harness guard``: whether a change lost something that was sure."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from harness.commands.choosing import Arm, Model, Scenario, Suite, Unlock
from harness.commands.options import DEFAULT_RESULTS, Json, Results


def command(
    baseline: Annotated[
        Path,
        typer.Option(
            "--baseline", metavar="FILE", help="A results.tsv (or its folder) from before the change."
        ),
    ],
    suite: Suite = None,
    scenario: Scenario = None,
    arm: Arm = None,
    model: Model = None,
    results: Results = DEFAULT_RESULTS,
    unlock_held_out: Unlock = False,
    json: Json = False,
) -> None:
    """Compare scenario by scenario with a baseline. Only all green before and all red now is a regression.

    Exit code: 0 none, 1 a regression, 3 a scenario that was green cannot be told now, 2 a mistake to mend.
    """
    from harness.engine.selecting import Choice, guard_held_out, rows_of
    from harness.report.document import as_json
    from harness.scoring.guard import guard, render_guard

    choice = Choice(
        suites=tuple(suite or ()),
        scenarios=tuple(scenario or ()),
        arms=tuple(arm or ("new",)),
        models=tuple(model or ()),
    )
    before, now = rows_of(baseline, choice), rows_of(results, choice)
    guard_held_out((*before, *now), results, root=Path.cwd(), unlock=unlock_held_out, command="guard")
    found = guard(before, now)
    if json:
        print(as_json(found))
    else:
        print(render_guard(found), end="")
    sys.exit(found.exit_code)
