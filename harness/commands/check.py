"""``harness check``: the checkers alone, on a recorded stream."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from harness.commands.options import Json


def command(
    scenario_dir: Annotated[Path, typer.Argument(metavar="SCENARIO_DIR", help="Folder of a scenario.yaml.")],
    stream: Annotated[
        Path, typer.Option("--stream", metavar="FILE", help="What claude printed (stream-json).")
    ],
    session: Annotated[
        Path | None,
        typer.Option("--session", metavar="FILE", help="The session's .jsonl: proves the hook's context."),
    ] = None,
    world: Annotated[
        Path | None, typer.Option("--world", metavar="DIR", help="The world as the run left it.")
    ] = None,
    json: Json = False,
) -> None:
    """Judge a recorded stream as a run of the scenario would be judged; no claude is started.

    Exit code: 0 pass, 1 fail, 3 invalid, 2 a mistake to mend.
    """
    from harness.engine.recheck import check_stream
    from harness.report.judgement import as_json, as_text, code_of

    judged = check_stream(scenario_dir, stream=stream, session=session, world=world)
    print(as_json(judged) if json else as_text(judged))
    sys.exit(code_of(judged.verdict))
