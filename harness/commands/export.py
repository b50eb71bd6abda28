"""``harness export``: the rows in the formats of other tools."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from harness.commands import add_examples
from harness.commands.options import DEFAULT_RESULTS, Json, Results

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.model.row import Row

FORMATS = ("junit", "github", "inspect", "loop", "skill-creator")
EXAMPLES = """
Examples:

  harness export junit --arm new --out junit.xml      a baseline that fails is no failure of yours
  harness export github --arm new                     in a workflow step: annotations, and the job's summary
  harness export inspect --out logs                   then: inspect view --log-dir logs
  harness export loop --out os-adr-results.tsv
  harness export skill-creator --out workspace        the last evaluation of each skill, for its viewer
"""


def command(
    form: Annotated[
        str, typer.Argument(metavar="FORMAT", help="junit, github, inspect, loop or skill-creator.")
    ],
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="PATH", help="File; for inspect and skill-creator a folder."),
    ] = None,
    suite: Annotated[
        list[str] | None, typer.Option("--suite", metavar="GLOB", help="Only these suites; repeatable.")
    ] = None,
    arm: Annotated[
        list[str] | None, typer.Option("--arm", metavar="GLOB", help="Only these arms; repeatable.")
    ] = None,
    results: Results = DEFAULT_RESULTS,
    json: Json = False,
) -> None:
    """Write the rows that count as JUnit XML, GitHub annotations and summary, Inspect logs, or a loop's TSV;
    or the evaluations of skills as a workspace of skill-creator.

    An invalid cell is an error, never a fail. Exit code: 0, or 2 for a mistake to mend.
    """
    from harness.errors import UserError
    from harness.report.listing import Wanted, chosen_rows
    from harness.results.record import TABLE
    from harness.results.row_codec import read_rows

    if form not in FORMATS:
        raise UserError(f"there is no format {form!r}; there are {', '.join(FORMATS)}")
    if not (results / TABLE).is_file():
        raise UserError(f"there is no {results / TABLE}; run `harness eval` first or give --results DIR")
    results = results.absolute()
    if form == "skill-creator":
        from harness.engine.skill_export import export_evaluation, latest_evaluations

        if arm:
            raise UserError("a workspace holds all arms; leave --arm out")
        named = [e for e in latest_evaluations(results) if _is_wanted(e, suite or [])]
        made = [p for e in named for p in export_evaluation(e, results, out or results / "skill-creator")]
        if json:
            from harness.report.document import as_json

            document = {"format": form, "written": [str(path) for path in made]}
            print(as_json(document))
        else:
            print("\n".join(map(str, made)))
        return
    wanted = Wanted(suites=tuple(suite or ()), arms=tuple(arm or ()))
    rows = chosen_rows(read_rows(results / TABLE).rows, wanted)
    if form == "inspect":
        from harness.report.inspect_log import write_logs

        written = write_logs(rows, results, out or results / "inspect")
    else:
        target = out or _summary_file(form, os.environ)
        if json and target is None:
            raise UserError("--json tells what was written where; give --out PATH with it")
        written = _write(form, rows, results, target, quiet=json)
    if json:
        from harness.report.document import as_json

        told: dict[str, object] = {
            "format": form,
            "rows": len(rows),
            "written": [str(path) for path in written],
        }
        print(as_json(told))
    elif form == "inspect":
        print("\n".join(map(str, written)))


def _is_wanted(evaluation: Mapping[str, object], suites: list[str]) -> bool:
    from fnmatch import fnmatchcase

    return not suites or any(fnmatchcase(f"skills:{evaluation.get('skill')}", glob) for glob in suites)


def _summary_file(form: str, environ: Mapping[str, str]) -> Path | None:
    name = environ.get("GITHUB_STEP_SUMMARY") if form == "github" else None
    return Path(name) if name else None


def _write(form: str, rows: "Sequence[Row]", results: Path, out: Path | None, *, quiet: bool) -> list[Path]:
    if form == "github":
        from harness.report.github import annotations, summary_markdown
        from harness.report.overview import overview

        if not quiet:
            for line in annotations(rows):
                print(line)
        text = summary_markdown(overview(rows))
    elif form == "junit":
        from harness.report.junit import junit_xml

        text = junit_xml(rows, results)
    else:
        from harness.scoring.loop import loop_tsv

        text = loop_tsv(rows)
    if out is None:
        print(text, end="")
        return []
    out.parent.mkdir(parents=True, exist_ok=True)
    # GitHub's summary file is shared by the steps of a job.
    with out.open("a" if form == "github" else "w", encoding="utf-8", errors="replace") as file:
        file.write(text)
    return [out]


add_examples(command, EXAMPLES)
