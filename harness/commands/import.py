"""``harness import``: other tools' evaluations as cases of a skill."""

from pathlib import Path
from typing import Annotated

import typer

from harness.commands import add_examples
from harness.commands.options import Json

EXAMPLES = """
Examples:

  harness import ~/plugin/evals --skill review/change-review          suites of `claude plugin eval`
  harness import skills/x/evals/evals.json --skill x --root .         skill-creator's evals
"""


def command(
    source: Annotated[
        Path, typer.Argument(metavar="SOURCE", help="A folder with case.yaml or prompt.md, or an evals.json.")
    ],
    skill: Annotated[str, typer.Option("--skill", metavar="PATH", help="The skill's path below skills/.")],
    root: Annotated[
        Path, typer.Option("--root", metavar="DIR", help="The folder that holds skills/.")
    ] = Path(),
    scaffold: Annotated[
        bool,
        typer.Option(
            "--scaffold", help="Run scaffold scripts of the suites to make fixtures. They are code."
        ),
    ] = False,
    json: Json = False,
) -> None:
    """Write a case for each evaluation below ROOT/tests/skills, and list everything that no case can say.

    Exit code: 0, or 2 for a mistake to mend.
    """
    from tempfile import TemporaryDirectory

    from harness.errors import UserError
    from harness.interop.imported import write_cases
    from harness.interop.plugin_eval import import_plugin_eval
    from harness.interop.skill_creator import import_evals
    from harness.loaders.case.tree import discover

    if skill not in {known.path for known in discover(root.absolute()).skills}:
        raise UserError(f"there is no skill {skill!r} in {root}; give --skill PATH and --root DIR")
    with TemporaryDirectory(prefix="harness-import-") as made:
        if source.is_file():
            found = import_evals(source)
        else:
            into = Path(made) / "scaffold" if scaffold else None
            found = import_plugin_eval(source, scaffold_into=into)
        written, problems = write_cases(found, root, skill)
    if json:
        from harness.report.document import as_json

        document = {
            "written": [str(path) for path in written],
            "left_out": [str(problem) for problem in found.left_out],
            "to_mend": [str(problem) for problem in problems],
        }
        print(as_json(document))
        return
    for path in written:
        print(f"written: {path}")
    for problem in found.left_out:
        print(problem)
    for problem in problems:
        print(f"to mend: {problem}")


add_examples(command, EXAMPLES)
