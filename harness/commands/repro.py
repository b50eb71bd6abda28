"""``harness repro``: one run again, from its recording."""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from harness.commands.options import DEFAULT_RESULTS, ClaudePath, Json, Results, SandboxAsItWas


def command(
    target: Annotated[str, typer.Argument(metavar="RUN_ID|FILE", help="A run, or the file of a bundle.")],
    results: Results = DEFAULT_RESULTS,
    replay: Annotated[
        bool, typer.Option("--replay", help="Serve the recorded answers: the default.")
    ] = False,
    live: Annotated[bool, typer.Option("--live", help="Ask the model again, with the same cell.")] = False,
    keep: Annotated[bool, typer.Option("--keep", help="Leave world and home to look at.")] = False,
    shell: Annotated[
        bool, typer.Option("--shell", help="Open a shell in the sandbox when the replay is over.")
    ] = False,
    upto: Annotated[
        int | None,
        typer.Option("--upto", metavar="N", min=1, help="Stop before tool call N (from 1); keep the world."),
    ] = None,
    plugin: Annotated[
        Path | None,
        typer.Option(
            "--plugin",
            metavar="PATH",
            help="Replay with this plugin (of a skill's run: this skill), up to where the model would see a difference.",
        ),
    ] = None,
    strict: Annotated[
        bool,
        typer.Option("--strict", help="Stop at the first difference, and count dates, ids and order too."),
    ] = False,
    sandbox: SandboxAsItWas = None,
    trust: Annotated[
        bool, typer.Option("--trust", help="Run a bundle without a jail, or with what its suite opens in it.")
    ] = False,
    claude: ClaudePath = None,
    json: Json = False,
) -> None:
    """Run one scenario again as it was: real claude, real hooks and tools, the recorded answers of the model.

    Prints the first place where it differs, and whether the verdict is the same. With --plugin and --live the model
    goes on from there. Exit code: 0 the same in everything (with --live: the same verdict), 1 something differs, 2 a
    mistake to mend, 3 it could not be replayed.
    """
    from harness.errors import UserError
    from harness.model.outcome import ExitCode
    from harness.repro.again import reproduce
    from harness.repro.outcome import CannotReplayError, Request
    from harness.repro.shell import open_shell
    from harness.repro.telling import as_json, as_text

    if replay and live:
        raise UserError("--replay and --live exclude each other; with --plugin, --live alone replays first")
    if upto is not None and (live or plugin is not None):
        raise UserError("--upto stops a replay of the run as it was; leave out --live and --plugin")
    if strict and live:
        raise UserError("--strict is about a replay; leave out --live")
    request = Request(
        target=target,
        results=results.absolute(),
        live=live,
        strict=strict,
        keep=keep,
        upto=upto,
        plugin=plugin,
        sandbox=sandbox,
        claude=claude,
        trust=trust,
        shell=open_shell if shell else None,
    )
    try:
        done = reproduce(request, root=Path.cwd(), environ=os.environ)
    except CannotReplayError as error:
        print(f"harness: {error}", file=sys.stderr)
        sys.exit(ExitCode.NOT_EVALUATED)
    print(as_json(done) if json else as_text(done))
    sys.exit(done.code)
