"""Everything about a run that is known before its process starts."""

from collections.abc import Callable, Mapping
from datetime import datetime

from msgspec import Struct

from harness.checks.record import ExpectedPlugin, ExpectedSkill
from harness.checks.verdict import Propose
from harness.engine.box import Box
from harness.gateway.exchange import Responder
from harness.model.cell import Cell
from harness.model.scenario import Playbook
from harness.redact import Redactor
from harness.results.folder import RunFolder


class Prepared(Struct, frozen=True, kw_only=True):
    """What the launch of a cell must know; all of it empty where the cell is of no skill."""

    skill: ExpectedSkill | None = None
    listed: str = ""
    """The skill's name as the CLI lists it; '' in the baseline."""
    resume: str | None = None
    add_dirs: tuple[str, ...] = ()


class Staging(Struct, frozen=True, kw_only=True):
    """What is done in another way when a run is had again."""

    wire: str = ""
    """Names in the row where the answers came from; '': as for a first run."""
    responder: Callable[[Box, RunFolder], Responder] | None = None
    """What answers in the sandbox given, to the run of the folder given; None: the cell's own model."""
    propose: Propose | None = None
    """Stands in for the proposal judge; None: the judge is asked."""
    at_end: Callable[[Box, Mapping[str, str]], None] = lambda *_: None
    """Called with the run's environment when all is over and its sandbox still there."""


FIRST_TIME = Staging()


class Started(Struct, frozen=True, kw_only=True):
    cell: Cell
    attempt: int
    cell_digest: str
    folder: RunFolder
    box: Box
    token: str
    started: datetime
    playbook: Playbook | None
    plugin: ExpectedPlugin | None
    prepared: Prepared
    staging: Staging
    source: str
    """Where the cell's own model would answer from."""
    redactor: Redactor
    """Knows the secrets of this run: the credential, the lane's token, those of the user's environment."""

    @property
    def wire(self) -> str:
        return self.staging.wire or self.source
