"""``harness schema``: JSON Schemas of the files that authors write."""

from pathlib import Path
from typing import Annotated

import typer

from harness.commands import add_examples
from harness.commands.options import Json

EXAMPLES = """
Examples:

  harness schema scenario > scenario.schema.json
  harness schema --out scenarios/.schema      all of them, where the files that init writes look for them
"""


def command(
    kind: Annotated[
        str | None,
        typer.Argument(
            metavar="[KIND]", help="suite, scenario, playbook, turns, skills or grid; all if none."
        ),
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", metavar="DIR", help="Write KIND.json there.")] = None,
    json: Json = False,
) -> None:
    """Print or write the schemas that make an editor complete and check YAML files; they are JSON in any case.

    Exit code: 0, or 2 for a mistake to mend.
    """
    from harness.authoring.schemas import SCHEMAS, schema_text
    from harness.errors import UserError

    if kind is not None and kind not in SCHEMAS:
        raise UserError(f"there is no schema {kind!r}; there are {', '.join(SCHEMAS)}")
    kinds = [kind] if kind is not None else list(SCHEMAS)
    if out is None and len(kinds) > 1:
        raise UserError(f"give one of {', '.join(SCHEMAS)}, or --out DIR for all")
    if out is None:
        print(schema_text(kinds[0]), end="")
        return
    out.mkdir(parents=True, exist_ok=True)
    written = []
    for name in kinds:
        path = out / f"{name}.json"
        path.write_text(schema_text(name), encoding="utf-8")
        written.append(str(path))
    if json:
        from harness.report.document import as_json

        print(as_json({"written": written}))
    else:
        print("\n".join(written))


add_examples(command, EXAMPLES)
