"""``harness compare``: whether one side does right more often than the other, and whether that is more than luck."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from harness.commands.choosing import Arm, Model, Scenario, Suite
from harness.commands.options import DEFAULT_RESULTS, Json, Results


def command(
    a: Annotated[
        str, typer.Argument(metavar="A", help="An arm, a model, a commit, or a results folder or file.")
    ],
    b: Annotated[str, typer.Argument(metavar="B", help="The same for the other side.")],
    suite: Suite = None,
    scenario: Scenario = None,
    arm: Arm = None,
    model: Model = None,
    results: Results = DEFAULT_RESULTS,
    json: Json = False,
) -> None:
    """Compare two sides on the scenarios and trials that both have. Exit code: 0, or 2 for a mistake to mend."""
    from harness.engine.selecting import Choice, side
    from harness.report.document import as_json
    from harness.scoring.compare import compare
    from harness.scoring.compare_text import render_comparison

    choice = Choice(
        suites=tuple(suite or ()),
        scenarios=tuple(scenario or ()),
        arms=tuple(arm or ()),
        models=tuple(model or ()),
    )
    here = Path.cwd()
    found = compare(
        side(a, results, choice, root=here), side(b, results, choice, root=here), name_a=a, name_b=b
    )
    if json:
        print(as_json(found))
    else:
        print(render_comparison(found), end="")
    sys.exit(0)
