"""What an evaluation came to, read from the rows of its cells, and the exit code that stands for it."""

from collections.abc import Iterable
from pathlib import Path

from harness.engine.evaluate import Outcome
from harness.engine.planning import Plan
from harness.model.outcome import ExitCode, Verdict
from harness.model.row import Row
from harness.report.fields import row_fields
from harness.report.groups import Group, groups_text
from harness.report.terminal import Terminal
from harness.results.latest import iterate
from harness.results.record import TABLE

MOST_SHOWN_SINGLY = 200
"""Cells; more are shown by scenario, arm and model."""


def last_rows(results: Path, digests: frozenset[str]) -> dict[str, Row]:
    """By digest the row that counts now: the last one."""
    return {row.cell_digest: row for row in iterate(results / TABLE) if row.cell_digest in digests}


def last_verdicts(results: Path, digests: frozenset[str]) -> dict[str, tuple[Group, str]]:
    """As ``last_rows``, but only what a table of groups needs."""
    found: dict[str, tuple[Group, str]] = {}
    groups: dict[Group, Group] = {}  # one object a group, however many cells it has
    for row in iterate(results / TABLE):
        if row.cell_digest in digests:
            group = Group(row.suite, row.scenario, row.arm, row.model)
            found[row.cell_digest] = (groups.setdefault(group, group), Verdict(row.pass_).value)
    return found


def tell(plan: Plan, outcome: Outcome, results: Path, terminal: Terminal, *, json: bool) -> None:
    if json:
        _print_json(_in_order(plan, last_rows(results, plan.digests)), outcome)
    elif len(plan.digests) <= MOST_SHOWN_SINGLY:
        rows = _in_order(plan, last_rows(results, plan.digests))
        terminal.table(rows)
        terminal.failing(rows, results)
    else:
        print(groups_text(last_verdicts(results, plan.digests).values()))
    tell_unfinished(outcome, terminal)
    if outcome.tampered:
        changed = ", ".join(outcome.tampered[:5])
        terminal.say(
            f"STOPPED: a run changed what it must not touch: {changed}. Its row is invalid;"
            " restore the files (git status shows them) before you go on"
        )


def _in_order(plan: Plan, rows: dict[str, Row]) -> list[Row]:
    order = {cell.key: place for place, cell in enumerate(plan.cells)}

    def place(row: Row) -> int:
        return order.get((row.suite, row.scenario, row.arm, row.model, int(row.trial)), 0)  # type: ignore[call-overload, no-any-return]

    return sorted(rows.values(), key=place)


def tell_unfinished(outcome: Outcome, terminal: Terminal) -> None:
    if outcome.unaffordable:
        terminal.say(f"{outcome.unaffordable} cells were not run: the rest of the budget does not cover them")
    if outcome.waiting:
        terminal.say(f"{outcome.waiting} cells are left; the same command goes on with them")
    if outcome.halted:
        terminal.say(f"STOPPED: {outcome.halted}")


def _print_json(rows: Iterable[Row], outcome: Outcome) -> None:
    import orjson

    document = {
        "rows": [row_fields(r) for r in rows],
        "tampered": outcome.tampered,
        "halted": outcome.halted,
        "not_run": outcome.unaffordable + outcome.waiting,
    }
    print(orjson.dumps(document, option=orjson.OPT_INDENT_2).decode())


def exit_code(plan: Plan, outcome: Outcome, results: Path, *, interrupted: bool) -> int:
    if interrupted:
        return ExitCode.INTERRUPTED
    last = last_verdicts(results, plan.digests)
    if outcome.tampered or outcome.halted or len(last) < len(plan.digests):
        return ExitCode.NOT_EVALUATED
    verdicts = {verdict for _, verdict in last.values()}
    if Verdict.FAIL in verdicts:
        return ExitCode.FAIL
    return ExitCode.NOT_EVALUATED if Verdict.INVALID in verdicts or not last else ExitCode.PASS
