"""``harness new``: one more scenario of a suite, or case of a skill."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from harness.commands.options import Json

if TYPE_CHECKING:
    from harness.authoring.new import Made

app = typer.Typer(
    help="Write a new scenario of a suite, or a new case of a skill, to fill in.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)


@app.command("scenario")
def scenario(
    suite: Annotated[str, typer.Argument(metavar="SUITE", help="The suite that gets it.")],
    name: Annotated[str, typer.Argument(metavar="ID", help="Its id, and its folder's name.")],
    fixture: Annotated[
        str, typer.Option("--fixture", metavar="WORLD", help="A folder under fixtures/, e.g. os-adr/shop.")
    ],
    kind: Annotated[
        str, typer.Option("--kind", metavar="KIND", help="retrieval or write-trigger.")
    ] = "retrieval",
    json: Json = False,
) -> None:
    """Write scenarios/SUITE/ID with two playbooks. Then edit it until `harness lint` and `harness calibrate` are content.

    Exit code: 0, or 2 for a mistake to mend.
    """
    from harness.authoring.new import new_scenario

    _tell(new_scenario(Path.cwd(), suite, name, kind=kind, fixture=fixture), json=json)


@app.command("case")
def case(
    skill: Annotated[
        str, typer.Argument(metavar="SKILL", help="The skill's path below skills/, or its name.")
    ],
    name: Annotated[str, typer.Argument(metavar="CASE", help="The case's folder.")],
    description: Annotated[str, typer.Option("--description", metavar="TEXT", help="One line on it.")] = "",
    json: Json = False,
) -> None:
    """Write tests/skills/SKILL/CASE/case.md with a playbook for each arm.

    Exit code: 0, or 2 for a mistake to mend.
    """
    from harness.authoring.new import new_case

    _tell(new_case(Path.cwd(), skill, name, description), json=json)


def _tell(made: "Made", *, json: bool) -> None:
    if json:
        from harness.report.document import as_json

        told = {"folder": str(made.folder), "written": list(map(str, made.written))}
        print(as_json(told))
        return
    for path in made.written:
        print(f"wrote {path}")
