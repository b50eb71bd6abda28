"""A run of the past with all that was kept of it, from the results or from a bundle."""

from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct

from harness.checks.record import Record
from harness.engine.invocation import NAME, Invocation, read_invocation
from harness.engine.recheck import record_of
from harness.engine.rescore import MARK
from harness.engine.run_cell import WIRE
from harness.errors import UserError
from harness.gateway.wire import Recorded, read_wire
from harness.model.row import Row
from harness.repro.opening import open_bundle
from harness.results.folder import ROW_FILE
from harness.results.row_codec import read_rows

_TEXTS = (
    *("run_id", "suite", "scenario", "arm", "model", "session_id", "claude_version", "sandbox", "world"),
    *("scenario_digest", "plugin_digest", "case", "skill"),
)


class Past(Struct, frozen=True, kw_only=True):
    results: Path
    """The results folder that it lies in; a bundle is unpacked to one of its own."""
    folder: Path
    invocation: Invocation
    record: Record
    row: Row | None
    """None: it was never completed with a row."""
    stranger: bool
    """It came in a bundle, so somebody else may have made it."""

    @property
    def run_id(self) -> str:
        return self.invocation.run_id

    @property
    def message(self) -> str:
        return self.record.transcript.final_message

    def exchanges(self) -> tuple[Recorded, ...]:
        """The recording in the order of the requests; () where there is none."""
        wire = self.folder / WIRE
        return tuple(sorted(read_wire(wire), key=lambda e: e.n)) if wire.is_file() else ()


def open_past(target: str, results: Path, scratch: Path) -> Past:
    """The run with this id in ``results``, or the one in a bundle file, which is unpacked under ``scratch``.

    Raises UserError where there is none, or where it is not whole.
    """
    file = Path(target)
    if file.is_file():
        return _read(open_bundle(file, scratch / "bundle"), stranger=True)
    if (file / NAME).is_file() and file.absolute().parent.name == "runs":
        return _read(file.absolute())
    folder = results / "runs" / target
    if "/" in target or not folder.is_dir():
        raise UserError(
            f"there is no run {target} in {results / 'runs'}; `harness ls` lists them; or give --results DIR, or a bundle file"
        )
    return _read(folder)


def _read(folder: Path, *, stranger: bool = False) -> Past:
    row = _row(folder)
    if row is not None and row.warnings.startswith(MARK):
        folder = folder.parent / row.warnings.removeprefix(MARK)
        row = _row(folder)
    try:
        invocation = read_invocation(folder)
        _check(invocation)
        return Past(
            results=folder.parent.parent,
            folder=folder,
            invocation=invocation,
            record=record_of(folder),
            row=row,
            stranger=stranger,
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise UserError(f"{folder} is not a whole run, so it cannot be had again: {error}") from None


def _check(invocation: Invocation) -> None:
    """Raises ValueError where a field that a repetition rests on is not what harness writes: a stranger may have."""
    odd = [name for name in _TEXTS if not isinstance(getattr(invocation, name), str)]
    odd += [name for name in ("trial", "attempt") if not isinstance(getattr(invocation, name), int)]
    if not (isinstance(invocation.limits, dict) and _all_text(invocation.argv)):
        odd.append("limits or argv")
    if not (isinstance(invocation.env, dict) and _all_text(invocation.env.values())):
        odd.append("env")
    odd += [name for name in ("plugin_root",) if not isinstance(getattr(invocation, name), str | None)]
    if odd:
        raise ValueError(f"{odd[0]} is not as harness writes it")


def _all_text(values: Iterable[object]) -> bool:
    return all(isinstance(value, str) for value in values)


def _row(folder: Path) -> Row | None:
    rows = read_rows(folder / ROW_FILE).rows
    return rows[0] if rows else None
