"""One ``harness eval``: everything checked first, then run, then told."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import orjson

from harness.claude.binary import Claude, find_claude
from harness.claude.launch import is_scripted
from harness.engine.evaluate import Job, Outcome, evaluate
from harness.engine.setting import PUBLIC_UPSTREAM, Setting
from harness.engine.stopping import stopping
from harness.errors import UserError
from harness.gateway.credential import Credential, LoginOnly, find_credential
from harness.gateway.exchange import Responder
from harness.gateway.server import Gateway
from harness.loaders.suite import load_suites, project_root
from harness.model.cell import Cell
from harness.model.outcome import ExitCode, Verdict
from harness.model.row import Row
from harness.plan.digest import cell_digest
from harness.plan.expand import Selection, expand
from harness.report.fields import row_fields
from harness.report.terminal import Terminal
from harness.results.record import recover
from harness.results.row_codec import read_rows
from harness.world.digest import Watch
from harness.world.repository import watch_repository
from harness.engine.box import choose_kind


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    suites: tuple[str, ...]
    selection: Selection
    jobs: int
    results: Path
    sandbox: str
    claude: str | None
    fresh: bool
    keep: bool
    json: bool


def run_request(request: Request, *, root: Path, environ: Mapping[str, str]) -> int:
    """Run what was asked for; the exit code. Raises UserError before anything starts."""
    root = project_root(root)
    suites = load_suites(root, request.suites)
    cells = expand(suites, request.selection)
    claude = find_claude(request.claude, environ)
    kind = choose_kind(request.sandbox)
    recovered = recover(request.results)
    jobs, settled = _split(cells, request, claude, kind)
    terminal = Terminal(total=len(jobs))
    for repair in recovered.repairs:
        terminal.say(repair.text)
    if settled:
        terminal.say(
            f"{len(settled)} of {len(cells)} cells have a valid row already; --fresh runs them again"
        )
    with open_setting(
        cells,
        claude=claude,
        sandbox=request.sandbox,
        results=request.results,
        root=root,
        environ=environ,
        keep=request.keep,
    ) as setting:
        with stopping(setting.stop, terminal.say):
            outcome = evaluate(jobs, setting, lanes=request.jobs, watcher=terminal)
    terminal.close()
    rows = [*settled, *outcome.rows]
    _tell(rows, outcome, request, terminal)
    return _exit_code(rows, outcome, setting.stop.is_set())


@contextmanager
def open_setting(
    cells: tuple[Cell, ...],
    *,
    claude: Claude,
    sandbox: str,
    results: Path,
    root: Path,
    environ: Mapping[str, str],
    keep: bool = False,
) -> Iterator[Setting]:
    """Everything the runs share, with the gateway up. Raises UserError where a credential or sandbox is wanting."""
    credential = _credential(cells, environ)
    kind = choose_kind(sandbox)
    with Gateway() as gateway:
        yield Setting(
            claude=claude,
            gateway=gateway,
            results=results,
            sandbox=kind,
            watches=_watches(cells, root, results),
            credential=credential,
            forward=_forward(credential, environ),
            keep=keep,
        )


def _watches(cells: tuple[Cell, ...], root: Path, results: Path) -> tuple[Watch, ...]:
    """The repository, and what a run rests on that lies outside of it."""
    trees = {c.scenario.fixture for c in cells} | {c.arm.plugin for c in cells if c.arm.plugin is not None}
    outside = sorted(t for t in trees if not t.resolve().is_relative_to(root.resolve()))
    return (watch_repository(root, exclude=(results,)), Watch.of(outside))


def _forward(credential: Credential | None, environ: Mapping[str, str]) -> Responder | None:
    if credential is None:
        return None
    from harness.gateway.forward import Forward  # its HTTP client is dear, and scripted runs do without

    return Forward(environ.get("ANTHROPIC_UPSTREAM", PUBLIC_UPSTREAM), credential)


def _credential(cells: tuple[Cell, ...], environ: Mapping[str, str]) -> Credential | None:
    if all(is_scripted(c.model) for c in cells):
        return None
    found = find_credential(environ, Path(environ.get("HOME", "~")).expanduser())
    if isinstance(found, LoginOnly):
        raise UserError(
            f"{found.why}; or set ANTHROPIC_API_KEY or CLAUDE_CODE_OAUTH_TOKEN (`claude setup-token`)"
        )
    if found is None:
        raise UserError(
            "a real model needs your credentials: set ANTHROPIC_API_KEY, or CLAUDE_CODE_OAUTH_TOKEN"
            " (from `claude setup-token`), or log in with `claude`"
        )
    return found


def _split(
    cells: tuple[Cell, ...], request: Request, claude: Claude, kind: str
) -> tuple[list[Job], list[Row]]:
    """What is to be run, and the rows of what has been."""
    jobs = [Job(cell=c, digest=cell_digest(c, cli_version=claude.version, sandbox=kind)) for c in cells]
    if request.fresh:
        return jobs, []
    valid = {r.cell_digest: r for r in _read(request.results) if r.pass_ != Verdict.INVALID}
    settled = [valid[j.digest] for j in jobs if j.digest in valid]
    return [j for j in jobs if j.digest not in valid], settled


def _read(results: Path) -> tuple[Row, ...]:
    table = results / "results.tsv"
    return read_rows(table).rows if table.is_file() else ()


def _tell(rows: list[Row], outcome: Outcome, request: Request, terminal: Terminal) -> None:
    if request.json:
        document = {"rows": [row_fields(r) for r in rows], "tampered": outcome.tampered}
        print(orjson.dumps(document, option=orjson.OPT_INDENT_2).decode())
    else:
        terminal.table(rows)
        terminal.failing(rows, request.results)
    if outcome.tampered:
        changed = ", ".join(outcome.tampered[:5])
        terminal.say(
            f"STOPPED: a run changed what it must not touch: {changed}. Its row is invalid;"
            " restore the files (git status shows them) before you go on"
        )


def _exit_code(rows: list[Row], outcome: Outcome, stopped: bool) -> int:
    if stopped:
        return ExitCode.INTERRUPTED
    verdicts = {r.pass_ for r in rows}
    if outcome.tampered:
        return ExitCode.NOT_EVALUATED
    if Verdict.FAIL in verdicts:
        return ExitCode.FAIL
    return ExitCode.NOT_EVALUATED if Verdict.INVALID in verdicts or not rows else ExitCode.PASS
