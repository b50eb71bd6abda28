"""``harness diff``: two runs side by side."""

from pathlib import Path
from typing import Annotated

import typer

from harness.commands import add_examples
from harness.commands.options import DEFAULT_RESULTS, Json, Results

EXAMPLES = """
Examples:

  harness diff PASSING FAILING                where did the failing run go another way?
  harness diff OLD NEW --html diff.html       the same as a page
"""


def command(
    one: Annotated[str, typer.Argument(metavar="RUN_ID", help="A run, or the beginning or end of its id.")],
    other: Annotated[str, typer.Argument(metavar="RUN_ID", help="The run to hold against it.")],
    results: Results = DEFAULT_RESULTS,
    html: Annotated[Path | None, typer.Option("--html", metavar="FILE", help="Write a page instead.")] = None,
    json: Json = False,
) -> None:
    """Align two runs turn by turn and mark the first place where the model does something else.

    Exit code: 0, or 2 for a mistake to mend.
    """
    from harness.report.align import align
    from harness.report.diffpage import diff_fields, diff_page, diff_text
    from harness.report.kept import find_run, read_kept

    left, right = (read_kept(results, find_run(results, name).name) for name in (one, other))
    found = align(left, right)
    if html is not None:
        html.parent.mkdir(parents=True, exist_ok=True)
        html.write_text(diff_page(left, right, found, results.absolute()), encoding="utf-8", errors="replace")
        print(html)
    elif json:
        from harness.report.document import as_json

        print(as_json(diff_fields(left, right, found)))
    else:
        print(diff_text(left, right, found))


add_examples(command, EXAMPLES)
