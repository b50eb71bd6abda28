"""``harness eval``: run scenarios and append a row for each."""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from harness.commands import add_examples
from harness.commands.options import (
    DEFAULT_RESULTS,
    ClaudePath,
    Engine,
    Fresh,
    Jobs,
    Json,
    Keep,
    Lint,
    Old,
    Results,
    Retries,
    Sandbox,
    Scenarios,
    Scheduler,
    Seed,
    Wire,
    Workers,
    records,
)

EXAMPLES = """
Examples:

  harness eval                                  every scenario of os-adr on the scripted stand-in
  harness eval os-adr --scenario 'R*' --model haiku --trials 3 --jobs 4
  harness eval --model scripted:silent          prove that a model that never looks fails
  harness eval --skills . --old main --model haiku     is each skill better than none, and than it was?
"""


def command(
    suites: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[SUITE]...", help="Suites; if none, os-adr, the only one there is, or the skills here."
        ),
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
    scenario: Scenarios = None,
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
    jobs: Jobs = 1,
    tag: Annotated[
        list[str] | None, typer.Option("--tag", metavar="TAG", help="Only scenarios with it; repeatable.")
    ] = None,
    old: Old = None,
    seed: Seed = None,
    retries: Retries = None,
    engine: Engine = "local",
    workers: Workers = None,
    scheduler: Scheduler = None,
    results: Results = DEFAULT_RESULTS,
    sandbox: Sandbox = "auto",
    claude: ClaudePath = None,
    fresh: Fresh = False,
    keep: Keep = False,
    lint: Lint = True,
    wire: Wire = "record",
    json: Json = False,
) -> None:
    """Run scenarios through the real claude and append one row a run to results.tsv.

    Exit code: 0 all pass, 1 a run failed, 2 a mistake to mend, 3 a run could not be judged, 130 interrupted.
    """
    from harness.engine.session import Options, run_grid
    from harness.errors import UserError
    from harness.loaders.grid import chosen
    from harness.loaders.suite import default_suites
    from harness.model.grid import Grid

    if skills is None and not suites:
        from harness.loaders.case.tree import only_tree

        skills = only_tree(Path.cwd())
    if skills is None and not suites:
        suites = [*default_suites(Path.cwd())]
    asked = Grid(
        suites=tuple(suites or ()),
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
