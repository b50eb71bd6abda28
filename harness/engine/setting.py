"""What all runs of one evaluation share."""

import os
import threading
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct, field

from harness.claude.binary import Claude
from harness.engine.desk import Desk
from harness.gateway.credential import Credential
from harness.gateway.exchange import Responder
from harness.gateway.server import Gateway
from harness.results.watch import SealedRuns
from harness.world.removal import Rubbish
from harness.world.watch import Watch

PUBLIC_UPSTREAM = "https://api.anthropic.com"


class Setting(Struct, frozen=True, kw_only=True):
    claude: Claude
    gateway: Gateway
    results: Path
    """The results folder: ``results.tsv`` and ``runs/``."""
    sandbox: str
    """tempdir or jail; chosen, no longer ``auto``."""
    watches: tuple[Watch, ...]
    """Prove fixture, plugin and repository unchanged."""
    credential: Credential | None = None
    """What real models are asked with; None where all models are scripted."""
    forward: Responder | None = None
    """What answers for real models: the way to the API, shared by all runs."""
    keep: bool = False
    judge_model: str = "haiku"
    warnings: tuple[str, ...] = ()
    """What every row of the evaluation must say about it."""
    desk: Desk = field(default_factory=Desk)
    """Where runs are prepared and judged, a few at a time."""
    rubbish: Rubbish = field(default_factory=Rubbish)
    """Where the sandboxes of ended runs go."""
    record: bool = True
    """Write down what passes between claude and the model."""
    environ: Mapping[str, str] = field(default_factory=lambda: os.environ)
    """What the variables of a run are chosen from."""
    sealed: SealedRuns
    """Earlier runs, which a run must not touch."""
    secrets: tuple[str, ...] = ()
    """What must stand in nothing that is kept."""
    stop: threading.Event = field(default_factory=threading.Event)
    """Set: end what is running, start nothing."""
