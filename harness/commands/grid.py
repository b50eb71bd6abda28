"""``harness grid``: a file's worth of cells, resumable and within a budget."""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer
from msgspec.structs import replace

from harness.commands.options import (
    DEFAULT_RESULTS,
    ClaudePath,
    Fresh,
    GridEngine,
    GridJobs,
    GridOld,
    GridResults,
    GridRetries,
    GridSandbox,
    GridSeed,
    Json,
    Keep,
    Lint,
    Scheduler,
    Wire,
    Workers,
    records,
)


def command(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A grid's YAML file, or its name in grids/.")],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the plan and its highest cost; start nothing.")
    ] = False,
    results: GridResults = None,
    jobs: GridJobs = None,
    seed: GridSeed = None,
    shard: Annotated[
        str | None, typer.Option("--shard", metavar="I/N", help="Only the i-th of n parts, e.g. 2/4.")
    ] = None,
    old: GridOld = None,
    sandbox: GridSandbox = None,
    engine: GridEngine = None,
    workers: Workers = None,
    scheduler: Scheduler = None,
    budget: Annotated[
        float | None, typer.Option("--budget", metavar="USD", min=0.0, help="The most that all may cost.")
    ] = None,
    max_wait: Annotated[
        float | None,
        typer.Option(
            "--max-wait", metavar="S", min=0.0, help="The longest to wait for an API that turns runs away."
        ),
    ] = None,
    retries: GridRetries = None,
    claude: ClaudePath = None,
    fresh: Fresh = False,
    keep: Keep = False,
    lint: Lint = True,
    wire: Wire = "record",
    json: Json = False,
) -> None:
    """Run every cell of a grid that has no valid row yet; the same command again goes on where it ended.

    Ctrl-C once lets what is running finish, twice ends it. Exit code: 0 all pass, 1 a cell failed, 2 a mistake
    to mend, 3 some could not be evaluated, 130 interrupted.
    """
    from harness.engine.session import Options, run_grid
    from harness.loaders.grid import chosen, find_grid, grids_root, load_grid
    from harness.plan.shard import parse_shard

    root = grids_root(Path.cwd())
    grid = chosen(
        load_grid(find_grid(file, root)),
        jobs=jobs,
        seed=seed,
        old=old,
        sandbox=sandbox,
        engine=engine,
        workers=workers,
        scheduler=scheduler,
        retries=retries,
        max_wait_s=max_wait,
    )
    if budget is not None:
        grid = replace(grid, budget=replace(grid.budget, usd=budget))
    options = Options(
        results=(results or grid.results or DEFAULT_RESULTS).absolute(),
        claude=claude,
        fresh=fresh,
        keep=keep,
        json=json,
        lint=lint,
        record=records(wire),
        dry_run=dry_run,
        shard=parse_shard(shard) if shard is not None else None,
    )
    if grid.skills is None:
        sys.exit(run_grid(grid, options, root=Path.cwd(), environ=os.environ))
    from harness.engine.skill_session import SkillRequest, run_skills

    tree = grid.skills
    request = SkillRequest(
        root=root / tree.root, skill=tree.skill, trials=tree.trials, judge_model=tree.judge_model
    )
    sys.exit(run_skills(request, grid, options, environ=os.environ))
