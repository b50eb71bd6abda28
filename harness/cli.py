"""The ``harness`` command: names to commands, and errors to exit codes."""

import os
import sys
import tempfile
import traceback
from collections import UserDict
from collections.abc import Callable
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from harness import __version__
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
GROUPS = ("new",)
"""The same, with an ``app`` of several commands."""


class OnDemand(UserDict[str, Any]):
    """The commands by their names, each imported when it is asked for: a call asks for one of them."""

    def __init__(self) -> None:
        super().__init__(dict.fromkeys((*COMMANDS, *GROUPS)))

    def __getitem__(self, name: str) -> Any:
        if self.data[name] is None:
            module = import_module(f"harness.commands.{name}")
            self.data[name] = get_command(module.app if name in GROUPS else _only(name, module.command))
        return self.data[name]


def _only(name: str, command: Callable[..., object]) -> typer.Typer:
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command(name)(command)
    return app


class Commands(TyperGroup):
    def __init__(self, *words: Any, **options: Any) -> None:
        super().__init__(*words, **options)
        self.commands = OnDemand()


app = typer.Typer(
    name="harness",
    cls=Commands,
    help="Does a change to a Claude Code plugin or skill make the model do the right thing more often?",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


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
