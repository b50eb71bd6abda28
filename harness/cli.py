"""The ``harness`` command: names to commands, and errors to exit codes."""

import sys
from importlib import import_module

import typer

from harness import __version__
from harness.commands import new
from harness.errors import UserError
from harness.model.outcome import ExitCode

COMMANDS = (
    "eval",
    "grid",
    "lint",
    "calibrate",
    "check",
    "rescore",
    "score",
    "guard",
    "compare",
    "merge",
    "report",
    "show",
    "diff",
    "ls",
    "tail",
    "export",
    "init",
    "schema",
    "doctor",
)
"""Each is a module of ``harness.commands`` with a ``command``; this is the order of ``--help``."""

app = typer.Typer(
    name="harness",
    help="Does a change to a Claude Code plugin or skill make the model do the right thing more often?",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for _name in COMMANDS:
    app.command(_name)(import_module(f"harness.commands.{_name}").command)
app.add_typer(new.app, name="new")


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"harness {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(
        False, "--version", help="Print the version.", callback=_version, is_eager=True
    ),
) -> None:
    pass


def main() -> None:
    """Run the command line; the only place that turns errors into exit codes."""
    try:
        app(prog_name="harness")
    except UserError as error:
        print(f"harness: {error}" if "\n" not in str(error) else str(error), file=sys.stderr)
        sys.exit(ExitCode.USAGE)
    except KeyboardInterrupt:
        print("harness: interrupted", file=sys.stderr)
        sys.exit(ExitCode.INTERRUPTED)
