"""One ``harness eval``: everything checked first, then run, then told."""

import shlex
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from harness.claude.binary import Claude, find_claude
from harness.claude.launch import is_scripted
from harness.engine.evaluate import Job, Outcome, evaluate
from harness.engine.setting import PUBLIC_UPSTREAM, Setting
from harness.errors import UserError
from harness.gateway.credential import Credential, find_credential
from harness.gateway.server import Gateway
from harness.loaders.suite import load_suites, project_root
from harness.model.cell import Cell
from harness.model.outcome import ExitCode, Verdict
from harness.model.row import Row
from harness.model.run import Run
from harness.plan.digest import cell_digest
from harness.plan.expand import Selection, expand
from harness.plan.resume import remaining
from harness.report.terminal import Terminal
from harness.results.row_codec import read_rows
from harness.world.digest import Watch
from harness.world.sandbox import choose_kind


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
    """The exit code of the evaluation. Raises UserError before anything starts."""
    root = project_root(root)
    suites = load_suites(root, request.suites)
    cells = expand(suites, request.selection)
    claude = find_claude(request.claude, environ)
    credential = _credential(cells, environ)
    kind = choose_kind(request.sandbox)
    jobs, finished = _jobs(cells, request, claude, kind)
    terminal = Terminal(total=len(jobs), json=request.json, claude=claude, sandbox=kind)
    terminal.begin(skipped=len(finished))
    outcome = _evaluate(jobs, request, claude, credential, kind, root, environ, terminal)
    rows = _rows_of(cells, request, claude, kind)
    terminal.end(rows, outcome, request.results)
    return exit_code(rows, outcome)
