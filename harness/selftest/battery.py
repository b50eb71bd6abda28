"""Runs the battery through the real claude and compares each row with what it must say."""

import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from harness.claude.binary import Claude, find_claude
from harness.engine.evaluate import Job, evaluate
from harness.engine.opening import open_setting
from harness.engine.setting import Setting
from harness.errors import UserError
from harness.gateway.deaf import DeafGateway
from harness.loaders.suite import load_suites
from harness.model.cell import Cell
from harness.model.outcome import ExitCode, Verdict
from harness.model.row import Row
from harness.plan.digest import cell_digest
from harness.plan.expand import Selection, expand
from harness.report.terminal import Terminal
from harness.selftest.cases import CASES, CONTROL, Case
from harness.selftest.project import PLAYBOOK, write_project


class Request(Struct, frozen=True, kw_only=True):
    jobs: int = 2
    sandbox: str = "auto"
    claude: str | None = None
    results: Path | None = None
    """Where to keep the runs; None keeps none."""
    cases: tuple[Case, ...] = CASES


class Tried(Struct, frozen=True, kw_only=True):
    """One case as it came out."""

    case: str
    status: str
    verdict: str
    reason: str
    wrong: str
    """What the row should have said instead, or ''."""

    def as_dict(self) -> dict[str, str]:
        return {"case": self.case, "status": self.status, "verdict": self.verdict, "reason": self.reason}


def run_battery(request: Request, environ: Mapping[str, str]) -> list[Tried]:
    """Every case in the order asked for. Raises UserError where there is no claude, or no run can pass at all."""
    claude = find_claude(request.claude, environ)
    with tempfile.TemporaryDirectory(prefix="harness-selftest-") as folder:
        root = Path(folder).resolve() / "project"
        write_project(root, (CONTROL, *request.cases))
        results = request.results or root.parent / "results"
        rows = _rows(request, root, results, claude, environ)
    control = rows[CONTROL.name]
    if control.pass_ != Verdict.PASS:
        raise UserError(
            f"a run in which nothing goes wrong came out {control.pass_} ({control.status}: {control.reason}),"
            "\nso the battery would prove nothing; see that `harness eval` works here first"
        )
    return [compare(case, rows[case.name]) for case in request.cases]


def _rows(
    request: Request, root: Path, results: Path, claude: Claude, environ: Mapping[str, str]
) -> dict[str, Row]:
    cases = (CONTROL, *request.cases)
    cells = {case.name: _cell(root, case) for case in cases}
    found: dict[str, Row] = {}
    with (
        open_setting(
            tuple(cells.values()),
            claude=claude,
            sandbox=request.sandbox,
            results=results,
            root=root,
            environ=environ,
        ) as setting,
        _nobody_there(setting) as refused,
    ):
        for where in (setting, refused):
            wanted = [cells[case.name] for case in cases if case.refused == (where is refused)]
            found.update((row.suite, row) for row in _evaluate(wanted, where, request.jobs))
    return found


def _cell(root: Path, case: Case) -> Cell:
    suites = load_suites(root, [case.name])
    (cell,) = expand(suites, Selection(arms=("new",), models=(f"scripted:{PLAYBOOK}",)))
    return cell


def _evaluate(cells: Iterable[Cell], setting: Setting, lanes: int) -> list[Row]:
    jobs = [
        Job(cell=c, digest=cell_digest(c, cli_version=setting.claude.version, sandbox=setting.sandbox))
        for c in cells
    ]
    terminal = Terminal(total=len(jobs))
    outcome = evaluate(jobs, setting, lanes=lanes, watcher=terminal)
    terminal.close()
    if outcome.tampered:
        raise UserError(f"STOPPED: a run changed what it must not touch: {', '.join(outcome.tampered[:5])}")
    return outcome.rows


@contextmanager
def _nobody_there(setting: Setting) -> Iterator[Setting]:
    """The same, with a gateway whose address is taken and where nobody answers."""
    with tempfile.TemporaryDirectory(prefix="harness-") as folder:
        socket = Path(folder) / "gateway.sock" if setting.gateway.unix_socket is not None else None
        with DeafGateway(socket) as gateway:
            yield replace(setting, gateway=gateway)


def compare(case: Case, row: Row) -> Tried:
    """The row beside what the case says that it must be."""
    wrong = []
    if row.pass_ != Verdict.INVALID:
        wrong.append("must be invalid")
    if row.status != case.status:
        wrong.append(f"must be {case.status}")
    if not re.search(case.reason, row.reason):
        wrong.append(f"the reason must match {case.reason!r}")
    return Tried(
        case=case.name, status=row.status, verdict=row.pass_, reason=row.reason, wrong="; ".join(wrong)
    )


def exit_code(tried: Iterable[Tried]) -> int:
    """That nothing could be evaluated is what is wanted here."""
    return ExitCode.FAIL if any(one.wrong for one in tried) else ExitCode.NOT_EVALUATED
