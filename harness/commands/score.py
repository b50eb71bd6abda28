"""``harness score``: one number for an optimising loop."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from harness.commands.choosing import Arm, Model, Scenario, Suite, Unlock
from harness.commands.options import DEFAULT_RESULTS, Json, Results


def command(
    metric: Annotated[
        str, typer.Option("--metric", metavar="NAME", help="pass-rate, axis-a-rate, axis-b-rate or win-rate.")
    ] = "pass-rate",
    min_valid: Annotated[
        int, typer.Option("--min-valid", metavar="N", help="No number from fewer valid cells.")
    ] = 1,
    suite: Suite = None,
    scenario: Scenario = None,
    arm: Arm = None,
    model: Model = None,
    results: Results = DEFAULT_RESULTS,
    loop_file: Annotated[
        Path | None,
        typer.Option(
            "--loop-file", metavar="FILE", help="Also write the cells as a NAME-results.tsv for a loop."
        ),
    ] = None,
    unlock_held_out: Unlock = False,
    json: Json = False,
) -> None:
    """Print the share of cells that do right; the last line is the number alone. The arm is new unless said.

    win-rate is the share of judged pairs that new wins against --arm (baseline unless said), of those with a winner.
    Exit code: 0 with a number, 3 without one (too few valid cells, or an invalid cell not yet run again), 2 a
    mistake to mend.
    """
    from harness.engine.selecting import Choice, guard_held_out, rows_of
    from harness.report.document import as_json
    from harness.report.skill_verdicts import read_pairs
    from harness.scoring.loop import loop_tsv
    from harness.scoring.score import render_score, score
    from harness.scoring.win_rate import METRIC, one_arm, pairs_tsv, render_win_rate, win_rate

    paired = metric == METRIC
    choice = Choice(
        suites=tuple(suite or ()),
        scenarios=tuple(scenario or ()),
        arms=("new", one_arm(arm)) if paired else tuple(arm or ("new",)),
        models=tuple(model or ()),
    )
    rows = rows_of(results, choice)
    guard_held_out(rows, results, root=Path.cwd(), unlock=unlock_held_out, command=f"score {metric}")
    if paired:
        judged = read_pairs(results if results.is_dir() else results.parent)
        pairs = win_rate(rows, judged, against=one_arm(arm), min_valid=min_valid)
        text, loop, document, code = render_win_rate(pairs), pairs_tsv(pairs), as_json(pairs), pairs.exit_code
    else:
        found = score(rows, metric, min_valid)
        text, loop, document, code = render_score(found), loop_tsv(rows), as_json(found), found.exit_code
    if loop_file is not None:
        loop_file.write_text(loop, encoding="utf-8")
    print(document if json else text, end="\n" if json else "")
    sys.exit(code)
