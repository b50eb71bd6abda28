"""``harness grade``: the evidence grader over an iteration folder of skill-creator."""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from harness.commands import add_examples
from harness.commands.options import DEFAULT_RESULTS, ClaudePath, Results

EXAMPLES = """
Examples:

  harness grade my-skill-workspace/iteration-1            writes grading.json beside every outputs/
  harness grade my-skill-workspace/iteration-1 --model sonnet
"""


def command(
    iteration: Annotated[
        Path, typer.Argument(metavar="ITERATION", help="A folder iteration-N with eval-M/CONFIGURATION/.")
    ],
    model: Annotated[
        str, typer.Option("--model", metavar="NAME", help="The grader; scripted:FILE goes by a grader.yaml.")
    ] = "haiku",
    results: Results = DEFAULT_RESULTS,
    claude: ClaudePath = None,
) -> None:
    """Grade every run by the assertions of its eval_metadata.json, on evidence that is there, and nothing else.

    Exit code: 0 all graded, 2 a mistake to mend, 3 some could not be graded.
    """
    from harness.claude.binary import find_claude
    from harness.engine.grade_iteration import Graded, grade_iteration
    from harness.engine.judging import grader_for, open_bench, rules_of

    def told(one: Graded) -> None:
        made, run = one.grading.expectations, one.run
        said = one.grading.reason if made is None else f"{sum(e.passed for e in made)} of {len(made)} passed"
        print(f"eval-{run.eval_id} {run.configuration} run {run.run}: {said}")

    rules = rules_of(model)
    program = find_claude(claude, os.environ)
    with open_bench(program, real=rules is None, results=results.absolute(), environ=os.environ) as bench:
        ask, name = grader_for(bench, model=model, rules=rules)
        done = grade_iteration(iteration, ask=ask, model=name, store=bench.store, told=told)
    for text, why in done.untelling:
        print(f"tells nothing apart: {text!r} {why}")
    for problem in done.left_out:
        print(problem)
    sys.exit(3 if any(one.grading.expectations is None for one in done.graded) else 0)


add_examples(command, EXAMPLES)
