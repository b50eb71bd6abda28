"""The unit of work: one scenario under one arm, one model, one trial."""

from pathlib import Path
from typing import NamedTuple

from msgspec import Struct

from harness.model.scenario import Scenario, Suite


class Arm(Struct, frozen=True, kw_only=True):
    """One configuration of ``claude -p`` under comparison."""

    name: str
    plugin: Path | None
    """The plugin folder to load; None in the baseline."""
    plugin_digest: str
    """Of the plugin, or of the skill in its place."""
    skill: Path | None = None
    """The skill that is put into the run's config folder; None without one."""


class CellKey(NamedTuple):
    suite: str
    scenario: str
    arm: str
    model: str
    trial: int


class Cell(Struct, frozen=True, kw_only=True):
    suite: Suite
    scenario: Scenario
    arm: Arm
    model: str
    """The tier asked for: haiku, sonnet, opus, a full id, or ``scripted:NAME``."""
    trial: int
    scenario_digest: str

    @property
    def key(self) -> CellKey:
        return CellKey(self.suite.name, self.scenario.id, self.arm.name, self.model, self.trial)
