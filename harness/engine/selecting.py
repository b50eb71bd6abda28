"""Which rows a question is asked of, and whether it may be asked of them."""

import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec import Struct

from harness.errors import UserError
from harness.loaders.suite import load_suites, project_root, suite_names
from harness.model.row import Row
from harness.results.latest import iterate
from harness.results.record import TABLE
from harness.results.row_codec import clean, time_cell
from harness.world.digest import tree_digest
from harness.world.git_tree import folder_at

UNLOCKED = "held-out-unlocked.tsv"
_SHOWN = 5


class Choice(Struct, frozen=True, kw_only=True):
    """Filters over rows; empty: all."""

    suites: tuple[str, ...] = ()
    scenarios: tuple[str, ...] = ()
    """Globs over ids."""
    arms: tuple[str, ...] = ()
    models: tuple[str, ...] = ()

    def has(self, row: Row) -> bool:
        return (
            (not self.suites or row.suite in self.suites)
            and (not self.scenarios or any(fnmatchcase(row.scenario, glob) for glob in self.scenarios))
            and (not self.arms or row.arm in self.arms)
            and (not self.models or row.model in self.models)
        )


def table_of(results: Path) -> Path:
    """The table of a results folder, or the file itself. Raises UserError where there is none."""
    table = results / TABLE if results.is_dir() else results
    if not table.is_file():
        raise UserError(f"there is no {table}; run `harness eval` first or give --results DIR")
    return table


def rows_of(results: Path, choice: Choice) -> tuple[Row, ...]:
    return tuple(row for row in iterate(table_of(results)) if choice.has(row))


def guard_held_out(rows: Iterable[Row], results: Path, *, root: Path, unlock: bool, command: str) -> None:
    """Refuse rows of held-out scenarios, or note beside the results that they were used.

    A loop that optimises against what is held out leaves nothing to measure it with.
    """
    held = sorted({f"{r.suite}/{r.scenario}" for r in rows} & _held_out(root))
    if not held:
        return
    shown = ", ".join(held[:_SHOWN]) + (f" and {len(held) - _SHOWN} more" if len(held) > _SHOWN else "")
    if not unlock:
        raise UserError(
            f"{shown} are held out: what a loop is steered by must not be what it is judged by.\n"
            "Choose others with --suite or --scenario, or give --unlock-held-out, which is recorded"
        )
    where = (results if results.is_dir() else results.parent) / UNLOCKED
    line = "\t".join(map(clean, (time_cell(datetime.now(UTC)), command, " ".join(held))))
    with where.open("a", encoding="utf-8") as file:
        file.write(line + "\n")
    print(f"held-out scenarios used ({shown}); noted in {where}", file=sys.stderr)


def _held_out(root: Path) -> set[str]:
    """``suite/scenario`` of all that this project holds out; a table from elsewhere has nothing to go by."""
    try:
        project = project_root(root)
    except UserError:
        return set()
    suites = load_suites(project, suite_names(project))
    return {f"{suite.name}/{s.id}" for suite in suites for s in suite.scenarios if s.held_out}


def side(name: str, results: Path, choice: Choice, *, root: Path) -> tuple[Row, ...]:
    """The rows that a side of a comparison names: a results folder or table, an arm, a model, or a commit."""
    path = Path(name)
    if path.exists():
        return rows_of(path, choice)
    rows = rows_of(results, choice)
    for field in ("arm", "model"):
        chosen = tuple(row for row in rows if getattr(row, field) == name)
        if chosen:
            return chosen
    return _of_commit(name, rows, root)


def _of_commit(ref: str, rows: tuple[Row, ...], root: Path) -> tuple[Row, ...]:
    """The rows of runs whose plugin was as it is at the commit."""
    project = project_root(root)
    names = {row.suite for row in rows} & set(suite_names(project))
    digests: set[tuple[str, str]] = set()
    with TemporaryDirectory(prefix="harness-") as made:
        for suite in load_suites(project, sorted(names)):
            folder = suite.plugin.resolve().relative_to(project.resolve()).as_posix()
            target = Path(made) / suite.name
            try:
                there = folder_at(project, ref, folder, target)
            except UserError as error:
                raise UserError(
                    f"{ref!r} is no file, no arm or model with rows, and no commit ({error})"
                ) from None
            if there:
                digests.add((suite.name, tree_digest(target)))
    chosen = [row for row in rows if (row.suite, row.plugin_digest) in digests]
    arms = {row.arm for row in chosen}
    if not chosen:
        raise UserError(
            f"no run had the plugin as it is at {ref}; `harness eval --arm old --old {ref}` makes some"
        )
    # One version can have run both as old and as new: the runs as new are those of its own time.
    return tuple(row for row in chosen if len(arms) == 1 or row.arm == "new")
