"""``harness init``: a first suite for the plugin of this repository."""

from pathlib import Path
from typing import Annotated

import typer

from harness.commands import add_examples
from harness.commands.options import Json

EXAMPLES = """
Examples:

  cd my-plugin && harness init                then: harness calibrate my-plugin
  harness init --plugin plugins/reviewer      where a repository holds several
"""


def command(
    plugin: Annotated[
        Path | None,
        typer.Option("--plugin", metavar="DIR", help="The plugin's folder; else the one there is."),
    ] = None,
    json: Json = False,
) -> None:
    """Write a suite with one scenario, its fixture and two stand-ins for the model, a grid, and a workflow.

    Nothing that is there is written over. What is written runs at once, without a key and without a network.
    Exit code: 0, or 2 for a mistake to mend.
    """
    from harness.authoring.init import init
    from harness.lint.rules import lint_suites
    from harness.loaders.suite import load_suites

    root = Path.cwd()
    made = init(root, plugin)
    found = lint_suites(load_suites(root, [made.suite]))
    if json:
        import orjson

        told = {"suite": made.suite, "plugin": str(made.plugin.folder), "written": list(map(str, made.written)),
                "kept": list(map(str, made.kept)), "problems": list(map(str, found))}  # fmt: skip
        print(orjson.dumps(told, option=orjson.OPT_INDENT_2).decode())
        return
    print(f"found the plugin {made.plugin.name}: {made.plugin.parts()}")
    for path in made.written:
        print(f"  wrote {path.relative_to(root)}")
    for path in made.kept:
        print(f"  kept  {path.relative_to(root)}, which was there")
    for line in (*made.notes, *map(str, found)):
        print(line)
    print(NEXT.format(suite=made.suite), end="")


NEXT = """
Next:
  harness eval {suite}                                    a stand-in that does right: passes
  harness eval {suite} --model scripted:silent            one that never looks: fails
  harness eval {suite} --model haiku --arm baseline --arm new --trials 3
  harness report
"""
add_examples(command, EXAMPLES)
