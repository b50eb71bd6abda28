"""What an author or a command asks to be run: the choices of a grid, and nothing about how it is done."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from msgspec import Struct, field

EngineName = Literal["local", "dask"]
ENGINES: tuple[EngineName, ...] = ("local", "dask")
DEFAULT_MAX_WAIT_S = 6 * 3600.0
"""A usage limit lasts five hours at most: one of those is waited for."""
DEFAULT_RETRIES = 2


class Budget(Struct, frozen=True, kw_only=True):
    """The most that all runs of a grid may take together. None: not bounded."""

    usd: float | None = None
    runs: int | None = None


class SkillTree(Struct, frozen=True, kw_only=True):
    """A tree of skills that is evaluated in place of suites."""

    root: str
    """From the project's root."""
    skill: str | None = None
    """A glob over paths and names of skills."""
    trials: int | None = None
    """None: as the tree's suite.yaml says, as for the judge."""
    judge_model: str | None = None


class Grid(Struct, frozen=True, kw_only=True):
    suites: tuple[str, ...]
    scenarios: tuple[str, ...] = ()
    """Globs over ids; empty: all."""
    skills: SkillTree | None = None
    """In place of ``suites``, ``tags`` and ``arms``."""
    tags: tuple[str, ...] = ()
    arms: tuple[str, ...] = ()
    """Empty: those of each suite."""
    models: tuple[str, ...] = ("scripted:ideal",)
    trials: int = 1
    seed: int | None = None
    """Orders the cells. None: as planned, or drawn where the grid is to be mixed."""
    mixed: bool = True
    """Whether the order is drawn at all; else it is suite, scenario, arm, model, trial."""
    jobs: int = 1
    limits: Mapping[str, float] = field(default_factory=dict)
    """Fields of ``Limits`` that replace those of every scenario."""
    budget: Budget = Budget()
    sandbox: str = "auto"
    engine: EngineName = "local"
    workers: int | None = None
    scheduler: str | None = None
    old: str | None = None
    """The git ref whose plugin is the arm ``old``."""
    retries: int = DEFAULT_RETRIES
    """More tries for a cell that came out invalid."""
    retry_at_once: bool = True
    """Whether they are made in the same call; else a later call makes them."""
    max_wait_s: float = DEFAULT_MAX_WAIT_S
    """The longest that the grid waits for an API that turns it away."""
    results: Path | None = None
