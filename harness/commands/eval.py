"""``harness eval``: run scenarios and append a row for each."""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from harness.commands import add_examples
from harness.commands.options import DEFAULT_RESULTS, ClaudePath, Json, Results, Sandbox, Wire, records

EXAMPLES = """
Examples:

  harness eval                                  every scenario of os-adr on the scripted stand-in
  harness eval os-adr --scenario 'R*' --model haiku --trials 3 --jobs 4
  harness eval --model scripted:silent          prove that a model that never looks fails
  harness eval --skills . --old main --model haiku     is each skill better than none, and than it was?
"""


def command(
    suites: Annotated[
        list[str] | None, typer.Argument(metavar="[SUITE]...", help="Suites; os-adr if none.")
    ] = None,
    skills: Annotated[
        Path | None,
        typer.Option("--skills", metavar="ROOT", help="Instead of suites: the cases of ROOT/skills."),
    ] = None,
    skill: Annotated[
        str | None, typer.Option("--skill", metavar="GLOB", help="Only skills whose path or name matches.")
    ] = None,
    judge_model: Annotated[
        str | None, typer.Option("--judge-model", metavar="NAME", help="Who compares the arms of a skill.")
    ] = None,
    audit: Annotated[
        bool,
        typer.Option("--audit/--no-audit", help="Ask the judge, after its verdict, which output is newer."),
    ] = True,
    grade: Annotated[
        bool, typer.Option("--grade", help="Grade every run of a skill by its soft criteria, too.")
    ] = False,
    scenario: Annotated[
        list[str] | None, typer.Option("--scenario", metavar="GLOB", help="Only ids that match; repeatable.")
    ] = None,
    arm: Annotated[
        list[str] | None, typer.Option("--arm", metavar="NAME", help="baseline, old or new; repeatable.")
    ] = None,
    model: Annotated[
        list[str] | None,
        typer.Option(
            "--model", metavar="NAME", help="haiku, sonnet, opus, a full id, or scripted:NAME; repeatable."
        ),
    ] = None,
    trials: Annotated[
        int | None,
        typer.Option(
            "--trials", metavar="N", help="Runs of each cell; else 1, for skills as suite.yaml says."
        ),
    ] = None,
    jobs: Annotated[int, typer.Option("--jobs", metavar="N", min=1, max=64, help="Runs at once.")] = 1,
    tag: Annotated[
        list[str] | None, typer.Option("--tag", metavar="TAG", help="Only scenarios with it; repeatable.")
    ] = None,
    old: Annotated[
        str | None, typer.Option("--old", metavar="REF", help="The git ref whose plugin is the arm old.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option("--seed", metavar="N", min=0, help="Mix the order from it; else as planned.")
    ] = None,
    retries: Annotated[
        int | None,
        typer.Option(
            "--retries",
            metavar="N",
            min=0,
            help="More tries for an invalid cell, at once; else one try a call.",
        ),
    ] = None,
    engine: Annotated[
        str, typer.Option("--engine", metavar="NAME", help="local, or dask for a cluster.")
    ] = "local",
    workers: Annotated[
        int | None, typer.Option("--workers", metavar="N", min=1, help="With dask: workers on this machine.")
    ] = None,
    scheduler: Annotated[
        str | None,
        typer.Option("--scheduler", metavar="URL", help="With dask: the cluster, tcp://HOST:PORT."),
    ] = None,
    results: Results = DEFAULT_RESULTS,
    sandbox: Sandbox = "auto",
    claude: ClaudePath = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Run cells again that have a valid row.")] = False,
    keep: Annotated[bool, typer.Option("--keep", help="Leave each run's world and home to look at.")] = False,
    lint: Annotated[
        bool, typer.Option("--lint/--no-lint", help="Refuse to run on lint findings; each row says if not.")
    ] = True,
    wire: Wire = "record",
    json: Json = False,
) -> None:
    """Run scenarios through the real claude and append one row a run to results.tsv.

    Exit code: 0 all pass, 1 a run failed, 2 a mistake to mend, 3 a run could not be judged, 130 interrupted.
    """
    from harness.engine.session import Options, run_grid
    from harness.errors import UserError
    from harness.loaders.grid import chosen
    from harness.model.grid import Grid

    asked = Grid(
        suites=tuple(suites or ("os-adr",)),
        scenarios=tuple(scenario or ()),
        tags=tuple(tag or ()),
        arms=tuple(arm or ()),
        models=tuple(model or ("scripted:ideal",)),
        trials=1 if trials is None else trials,
        mixed=skills is not None,
        sandbox=sandbox,
        retry_at_once=retries is not None,
    )
    grid = chosen(
        asked,
        jobs=jobs,
        seed=seed,
        old=old,
        engine=engine,
        workers=workers,
        scheduler=scheduler,
        retries=retries,
    )
    options = Options(
        results=results.absolute(),
        claude=claude,
        fresh=fresh,
        keep=keep,
        json=json,
        lint=lint,
        record=records(wire),
    )
    if skills is None:
        if skill is not None or grade or judge_model is not None:
            raise UserError("--skill, --grade and --judge-model go with --skills ROOT")
        sys.exit(run_grid(grid, options, root=Path.cwd(), environ=os.environ))
    if suites or arm or tag:
        raise UserError("a tree of skills has no suites, arms or tags to choose; use --skill and --scenario")
    from harness.engine.skill_session import SkillRequest, run_skills

    request = SkillRequest(
        root=skills, skill=skill, trials=trials, judge_model=judge_model, audit=audit, grade=grade
    )
    sys.exit(run_skills(request, grid, options, environ=os.environ))


add_examples(command, EXAMPLES)
