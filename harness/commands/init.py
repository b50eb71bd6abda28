"""``harness init``: a first suite for the plugin of this repository."""

from pathlib import Path
from typing import Annotated

import typer

from harness.commands import add_examples
from harness.commands.options import Json

EXAMPLES = """
Examples:

  cd my-plugin && harness init                then: harness calibrate my-plugin
  cd my-skills && harness init                then: harness eval --skills .
  harness init --plugin plugins/reviewer      where a repository holds several
  harness init --skill 'review/*'             a case for that skill; else for the first
"""


def command(
    plugin: Annotated[
        Path | None,
        typer.Option("--plugin", metavar="DIR", help="The plugin's folder; else the one there is."),
    ] = None,
    skill: Annotated[
        str | None, typer.Option("--skill", metavar="GLOB", help="Write a case for this skill, not a suite.")
    ] = None,
    json: Json = False,
) -> None:
    """Write a suite for the plugin of this repository, or a case where it holds skills only; with it a fixture,
    stand-ins for the model, a grid, and a workflow.

    Nothing that is there is written over. What is written runs at once, without a key and without a network.
    Exit code: 0, or 2 for a mistake to mend.
    """
    from harness.authoring.init import holds_skills_only, init_plugin
    from harness.authoring.init_skills import init_skills
    from harness.errors import UserError

    root = Path.cwd()
    if skill is not None and plugin is not None:
        raise UserError("--plugin asks for a suite and --skill for a case; give one of them")
    by_skill = skill is not None or (plugin is None and holds_skills_only(root))
    made = init_skills(root, skill) if by_skill else init_plugin(root, plugin)
    if json:
        from harness.report.document import as_json

        told = {**made.names, "written": list(map(str, made.written)), "kept": list(map(str, made.kept)),
                "problems": list(map(str, made.problems))}  # fmt: skip
        print(as_json(told))
        return
    print(f"found {made.found}")
    for path in made.written:
        print(f"  wrote {path.relative_to(root)}")
    for path in made.kept:
        print(f"  kept  {path.relative_to(root)}, which was there")
    for line in (*made.notes, *map(str, made.problems)):
        print(line)
    print(f"\nNext:\n{made.next}")


add_examples(command, EXAMPLES)
