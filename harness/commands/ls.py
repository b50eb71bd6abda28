"""``harness ls``: the runs, filtered."""

from typing import Annotated

import typer

from harness.commands import add_examples
from harness.commands.options import DEFAULT_RESULTS, Json, Results

EXAMPLES = """
Examples:

  harness ls --verdict fail                   what failed
  harness ls --scenario 'R*' --arm new --since 2026-11-30
  harness ls --verdict invalid --grep overloaded --ids | xargs -n1 harness show
"""
Globs = list[str] | None


def command(
    suite: Annotated[
        Globs, typer.Option("--suite", metavar="GLOB", help="Repeatable, as all filters.")
    ] = None,
    scenario: Annotated[Globs, typer.Option("--scenario", metavar="GLOB")] = None,
    arm: Annotated[Globs, typer.Option("--arm", metavar="GLOB")] = None,
    model: Annotated[Globs, typer.Option("--model", metavar="GLOB")] = None,
    verdict: Annotated[
        Globs, typer.Option("--verdict", metavar="GLOB", help="pass, fail or invalid.")
    ] = None,
    status: Annotated[Globs, typer.Option("--status", metavar="GLOB", help="completed, timed_out, …")] = None,
    since: Annotated[
        str, typer.Option("--since", metavar="TIME", help="Not before this time, e.g. 2026-11-30.")
    ] = "",
    grep: Annotated[str, typer.Option("--grep", metavar="WORDS", help="Only reasons that hold them.")] = "",
    last: Annotated[int | None, typer.Option("--last", metavar="N", min=1, help="Only the latest N.")] = None,
    every: Annotated[bool, typer.Option("--all", help="Also rows that no longer count.")] = False,
    ids: Annotated[bool, typer.Option("--ids", help="Print run ids alone.")] = False,
    results: Results = DEFAULT_RESULTS,
    json: Json = False,
) -> None:
    """List the rows that count, the latest last. Exit code: 0, or 2 for a mistake to mend."""
    from harness.errors import UserError
    from harness.report.listing import Wanted, chosen_rows, listing
    from harness.results.latest import iterate
    from harness.results.record import TABLE

    if not (results / TABLE).is_file():
        raise UserError(f"there is no {results / TABLE}; run `harness eval` first or give --results DIR")
    wanted = Wanted(
        suites=tuple(suite or ()),
        scenarios=tuple(scenario or ()),
        arms=tuple(arm or ()),
        models=tuple(model or ()),
        verdicts=tuple(verdict or ()),
        statuses=tuple(status or ()),
        since=since,
        grep=grep,
    )
    rows = chosen_rows(iterate(results / TABLE), wanted, every=every)[-(last or 0) :]
    if json:
        from harness.report.document import as_json
        from harness.report.fields import row_fields

        print(as_json([row_fields(row) for row in rows]))
    elif ids:
        print("".join(f"{row.run_id}\n" for row in rows), end="")
    else:
        print(listing(rows))


add_examples(command, EXAMPLES)
