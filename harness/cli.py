"""The ``harness`` command: names to commands, and errors to exit codes."""

import sys

import typer

from harness import __version__
from harness.commands import calibrate, check, eval, grid, lint, report, rescore, selftest
from harness.errors import UserError
from harness.model.outcome import ExitCode

app = typer.Typer(
    name="harness",
    help="Does a change to a Claude Code plugin or skill make the model do the right thing more often?",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("eval")(eval.command)
app.command("grid")(grid.command)
app.command("lint")(lint.command)
app.command("calibrate")(calibrate.command)
app.command("check")(check.command)
app.command("rescore")(rescore.command)
app.command("selftest")(selftest.command)
app.command("report")(report.command)


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
