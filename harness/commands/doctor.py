"""``harness doctor``: whether an evaluation can run here, and what to do where it cannot."""

import os
import sys
from pathlib import Path

from harness.commands import add_examples
from harness.commands.options import DEFAULT_RESULTS, ClaudePath, JobsOfEval, Json, Results

EXAMPLES = """
Examples:

  harness doctor --jobs 8                     is there memory for eight runs at once?
"""
_SIGNS = {"ok": "ok  ", "note": "note", "bad": "BAD "}


def command(
    jobs: JobsOfEval = 1,
    results: Results = DEFAULT_RESULTS,
    claude: ClaudePath = None,
    json: Json = False,
) -> None:
    """Look at claude, login, sandbox, memory, disk, project and fixtures; nothing is run and nothing is spent.

    Exit code: 0 fit (notes are no hindrance), 2 something to mend first.
    """
    from harness.engine.doctor import Patient, examine

    found = examine(
        Patient(
            root=Path.cwd(),
            results=results.absolute(),
            jobs=jobs,
            claude=claude,
            environ=os.environ,
            home=Path.home(),
        )
    )
    if json:
        from harness.report.document import as_json

        print(as_json(found))
    else:
        for one in found:
            print(f"{_SIGNS[one.state]}  {one.name:9} {one.found}")
            if one.todo:
                print(f"{'':16}{one.todo}")
    sys.exit(2 if any(one.state == "bad" for one in found) else 0)


add_examples(command, EXAMPLES)
