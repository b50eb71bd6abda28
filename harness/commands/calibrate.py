"""``harness calibrate``: proof that the checkers can tell right from wrong."""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from harness.commands.options import ClaudePath, Jobs, Json, ResultsToKeep, Sandbox, Scenarios


def command(
    suites: Annotated[
        list[str] | None,
        typer.Argument(metavar="[SUITE]...", help="Suites; if none, os-adr or the only one."),
    ] = None,
    scenario: Scenarios = None,
    jobs: Jobs = 2,
    results: ResultsToKeep = None,
    sandbox: Sandbox = "auto",
    claude: ClaudePath = None,
    json: Json = False,
) -> None:
    """Play every playbook of every scenario through the real claude and compare with the outcome it declares.

    Exit code: 0 all as declared, 1 a mismatch, 2 a mistake to mend.
    """
    from harness.engine.calibrate import Request, calibrate
    from harness.loaders.suite import default_suites
    from harness.report.calibration import as_json, as_text

    request = Request(
        suites=tuple(suites or default_suites(Path.cwd())),
        scenarios=tuple(scenario or ()),
        jobs=jobs,
        results=results.absolute() if results is not None else None,
        sandbox=sandbox,
        claude=claude,
    )
    found = calibrate(request, root=Path.cwd(), environ=os.environ)
    print(as_json(found) if json else as_text(found))
    sys.exit(1 if any(r.mismatch for r in found) else 0)
