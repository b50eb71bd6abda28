"""``harness grid``: a file's worth of cells, resumable and within a budget."""

import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from harness.commands.options import DEFAULT_RESULTS, ClaudePath, Json, Wire, records


def command(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A grid's YAML file, or its name in grids/.")],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the plan and its highest cost; start nothing.")
    ] = False,
    results: Annotated[
        Path | None,
        typer.Option("--results", metavar="DIR", help="Folder of results.tsv and runs/; else the file's."),
    ] = None,
    jobs: Annotated[
        int | None, typer.Option("--jobs", metavar="N", min=1, max=64, help="Runs at once; else the file's.")
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option("--seed", metavar="N", min=0, help="Order the cells from it; else the file's."),
    ] = None,
    shard: Annotated[
        str | None, typer.Option("--shard", metavar="I/N", help="Only the i-th of n parts, e.g. 2/4.")
    ] = None,
    old: Annotated[
        str | None, typer.Option("--old", metavar="REF", help="The git ref of the arm old; else the file's.")
    ] = None,
    sandbox: Annotated[
        str | None, typer.Option("--sandbox", metavar="KIND", help="auto, tempdir or jail; else the file's.")
    ] = None,
    engine: Annotated[
        str | None, typer.Option("--engine", metavar="NAME", help="local or dask; else the file's.")
    ] = None,
    workers: Annotated[
        int | None, typer.Option("--workers", metavar="N", min=1, help="With dask: workers on this machine.")
    ] = None,
    scheduler: Annotated[
        str | None,
        typer.Option("--scheduler", metavar="URL", help="With dask: the cluster, tcp://HOST:PORT."),
    ] = None,
    budget: Annotated[
        float | None, typer.Option("--budget", metavar="USD", min=0.0, help="The most that all may cost.")
    ] = None,
    max_wait: Annotated[
        float | None,
        typer.Option(
            "--max-wait", metavar="S", min=0.0, help="The longest to wait for an API that turns runs away."
        ),
    ] = None,
    retries: Annotated[
        int | None, typer.Option("--retries", metavar="N", min=0, help="More tries for an invalid cell.")
    ] = None,
    claude: ClaudePath = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Run cells again that have a valid row.")] = False,
    keep: Annotated[bool, typer.Option("--keep", help="Leave each run's world and home to look at.")] = False,
    lint: Annotated[
        bool, typer.Option("--lint/--no-lint", help="Refuse to run on lint findings; each row says if not.")
    ] = True,
    wire: Wire = "record",
    json: Json = False,
) -> None:
    """Run every cell of a grid that has no valid row yet; the same command again goes on where it ended.

    Ctrl-C once lets what is running finish, twice ends it. Exit code: 0 all pass, 1 a cell failed, 2 a mistake
    to mend, 3 some could not be evaluated, 130 interrupted.
    """
    from harness.engine.session import Options, run_grid
    from harness.loaders.grid import chosen, find_grid, load_grid
    from harness.loaders.suite import project_root
    from harness.plan.shard import parse_shard

    path = find_grid(file, project_root(Path.cwd()))
    grid = chosen(
        load_grid(path),
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
    sys.exit(run_grid(grid, options, root=Path.cwd(), environ=os.environ))
