"""One executed cell: how its process went, and where its record is."""

from pathlib import Path
from typing import Literal

from msgspec import Struct

from harness.model.cell import Cell
from harness.model.check import Judgement
from harness.model.transcript import Transcript

LimitFired = Literal["", "timeout", "idle", "startup", "grace", "interrupt", "output"]


class ProcessExit(Struct, frozen=True, kw_only=True):
    """How the claude process and its descendants went. Written as ``exit.json``."""

    exit_code: int | None
    """As the shell would say it, negative for a signal; None where it never started."""
    limit: LimitFired = ""
    """The harness's own limit that ended it, or ''."""
    signals_sent: tuple[str, ...] = ()
    wall_s: float = 0.0
    cpu_s: float = 0.0
    peak_rss_bytes: int = 0
    descendants_seen: int = 0
    survivors_killed: int = 0
    """Processes of the run that were still there after claude had gone, and were ended."""
    survivors_left: int = 0
    result_seen: bool = False
    stdout_bytes: int = 0
    stderr_bytes: int = 0
    start_error: str = ""
    stdout_foreign: bool = False
    """Somebody else than claude opened its stdout anew, and wrote to it or cut it."""


class Run(Struct, frozen=True, kw_only=True):
    """One finished cell with all that its row is made of."""

    run_id: str
    cell: Cell
    folder: Path
    started_at: str
    exit: ProcessExit
    transcript: Transcript
    judgement: Judgement
    cli_version: str
    sandbox: str
    wire: str
    attempt: int = 1
    cell_digest: str = ""
    tampered: tuple[str, ...] = ()
    """Canonical paths that changed while the run was on."""
    warnings: tuple[str, ...] = ()
    api_kind: str = ""
    """How the API failed (rate_limit, overload, auth, credit, …), or ''."""
    resets_at: float | None = None
    """Seconds since the epoch at which the API said that its limit ends."""
    retry_after_s: float | None = None
    """How long the API, or the CLI for it, asked to wait."""
