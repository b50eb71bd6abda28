"""The ``harness`` command: names to commands, and errors to exit codes."""

import gc
import os
import sys
import tempfile
import traceback
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
    "repro",
    "bundle",
    "playbook",
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
    "judge",
    "grade",
    "import",
    "init",
    "schema",
    "doctor",
    "selftest",
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
    # What imports make lives for ever; looking for rubbish in it is a fifth of the start-up's time.
    gc.set_threshold(50_000, 20, 20)
    try:
        app(prog_name="harness")
    except UserError as error:
        print(f"harness: {error}" if "\n" not in str(error) else str(error), file=sys.stderr)
        sys.exit(ExitCode.USAGE)
    except KeyboardInterrupt:
        print("harness: interrupted", file=sys.stderr)
        sys.exit(ExitCode.INTERRUPTED)
    except BrokenPipeError:
        # The reader of our output has gone, as `head` does; closing stdout again would complain once more.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(ExitCode.NOT_EVALUATED)
    except Exception as error:  # noqa: BLE001  (the one place: what comes here is our own mistake)
        print(f"harness: {_report(error)}", file=sys.stderr)
        sys.exit(ExitCode.NOT_EVALUATED)


def _report(error: Exception) -> str:
    """Where the details of our own mistake are, in one sentence."""
    from harness.redact import Redactor, secrets_of

    redactor = Redactor(secrets_of(os.environ))
    with tempfile.NamedTemporaryFile("w", prefix="harness-error-", suffix=".txt", delete=False) as file:
        file.write(redactor.text("".join(traceback.format_exception(error))))
    what = redactor.text(f"{type(error).__name__}: {error}").split("\n")[0][:200]
    return f"stopped by a mistake of its own ({what}); finished rows are kept, please report {file.name}"
