"""``harness judge``: which of two runs is better, asked blindly and in both orders."""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from harness.commands import add_examples
from harness.commands.options import DEFAULT_RESULTS, ClaudePath, Json, Results

EXAMPLES = """
Examples:

  harness judge c6592a 91bd04                       two runs of one case, by the case's soft criteria
  harness judge out-1 out-2 --case tests/skills/review/small/case.md
  harness judge c6592a 91bd04 --criterion 'It names the line that is wrong.' --json
"""


def command(
    run_a: Annotated[str, typer.Argument(metavar="RUN_A", help="A run id, or a folder of outputs.")],
    run_b: Annotated[str, typer.Argument(metavar="RUN_B", help="Another one.")],
    case: Annotated[
        Path | None, typer.Option("--case", metavar="FILE", help="The case.md with task and soft criteria.")
    ] = None,
    criterion: Annotated[
        list[str] | None, typer.Option("--criterion", metavar="TEXT", help="What is good; repeatable.")
    ] = None,
    task: Annotated[str, typer.Option("--task", metavar="TEXT", help="What both were asked.")] = "",
    model: Annotated[
        str, typer.Option("--model", metavar="NAME", help="The judge; scripted:FILE goes by a judge.yaml.")
    ] = "haiku",
    results: Results = DEFAULT_RESULTS,
    claude: ClaudePath = None,
    json: Json = False,
) -> None:
    """Compare two outputs by content alone; a judge that changes its mind with the positions makes it a tie.

    Exit code: 0 there is a verdict, 2 a mistake to mend, 3 there is none.
    """
    from harness.claude.binary import find_claude
    from harness.engine.judge_pair import judge_pair, question_for, side
    from harness.engine.judging import open_bench, rules_of
    from harness.judges.comparator import Comparison
    from harness.report.judged import judged_fields, judged_text

    results = results.absolute()
    sides = side(run_a, results), side(run_b, results)
    question = question_for(sides, case, tuple(criterion or ()), task)
    rules = rules_of(model)
    program = find_claude(claude, os.environ)
    with open_bench(program, real=rules is None, results=results, environ=os.environ) as bench:
        judged = judge_pair(sides, question, bench, model=model, rules=rules)
    found, winner, letters = judged.found, judged.winner, judged.letters
    if json:
        from harness.report.document import as_json

        fields = judged_fields(found, winner, letters)
        print(as_json(fields))
    else:
        print(judged_text(found, winner, letters))
    sys.exit(0 if isinstance(found, Comparison) else 3)


add_examples(command, EXAMPLES)
