"""``harness lint``: whether a suite asks an honest question."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from harness.commands.options import Json


def command(
    suites: Annotated[
        list[str] | None, typer.Argument(metavar="[SUITE]...", help="Suites; all if none.")
    ] = None,
    json: Json = False,
) -> None:
    """Check scenarios: no prompt gives the answer away, decisions and graphs are as claimed, playbooks are complete.

    Each finding is FILE:LINE: what is wrong and what to do. Exit code: 0 none, 2 some.
    """
    from harness.lint.rules import lint_suites
    from harness.loaders.suite import load_suites, project_root, suite_names

    root = project_root(Path.cwd())
    found = lint_suites(load_suites(root, suites or suite_names(root)))
    if json:
        from harness.report.document import as_json

        rows = [{"path": str(p.path), "line": p.line, "text": p.text} for p in found]
        print(as_json(rows))
    else:
        for problem in found:
            print(problem)
        print(f"{len(found)} problems" if found else "no problems")
    sys.exit(2 if found else 0)
