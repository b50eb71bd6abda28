"""Everything about a run that is known before its process starts."""

from dataclasses import dataclass
from datetime import datetime

from harness.checks.record import ExpectedPlugin
from harness.engine.box import Box
from harness.model.cell import Cell
from harness.model.scenario import Playbook
from harness.redact import Redactor
from harness.results.folder import RunFolder


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """Everything that is known before the process starts."""

    cell: Cell
    attempt: int
    cell_digest: str
    folder: RunFolder
    box: Box
    token: str
    started: datetime
    playbook: Playbook | None
    plugin: ExpectedPlugin | None
    redactor: Redactor
    """Knows the secrets of this run: the credential, the lane's token, those of the user's environment."""
