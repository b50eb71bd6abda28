"""What a skill's author writes in ``case.md``, and the skills that the cases belong to."""

from pathlib import Path
from typing import Literal

from msgspec import Struct

from harness.model.problem import Problem

Role = Literal["user", "assistant"]
ArmName = Literal["baseline", "old", "new"]
ARMS: tuple[ArmName, ...] = ("baseline", "old", "new")


class SeedTurn(Struct, frozen=True, kw_only=True):
    """One message of the conversation that went before the prompt."""

    role: Role
    text: str
    line: int


class Assertion(Struct, frozen=True, kw_only=True):
    """One line of the hard assertions: a complete ``sh`` predicate."""

    text: str
    line: int


class Criterion(Struct, frozen=True, kw_only=True):
    """One soft criterion, on which the comparator grounds its verdict."""

    text: str
    line: int


class Case(Struct, frozen=True, kw_only=True):
    id: str
    """``<skill path>/<case folder>``, with ``/``."""
    path: Path
    description: str
    prompt: str
    """What every arm gets, byte for byte."""
    seed: tuple[SeedTurn, ...]
    assertions: tuple[Assertion, ...]
    criteria: tuple[Criterion, ...]
    fixture: Path | None
    """The folder whose contents become the root of each arm's world; None: an empty world."""

    @property
    def name(self) -> str:
        return self.path.parent.name


class Skill(Struct, frozen=True, kw_only=True):
    """One skill of a tree, with its cases."""

    path: str
    """Where it stands below ``skills/``, with ``/``; the skill's name where the tree's root is the skill."""
    folder: Path
    title: str
    """The name in its front matter; the CLI goes by the folder's name."""
    cases: tuple[Case, ...] = ()

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]


class Discovery(Struct, frozen=True, kw_only=True):
    """A tree of skills as it stands on disk."""

    root: Path
    skills: tuple[Skill, ...]
    orphans: tuple[Path, ...]
    """``case.md`` files whose skill is gone."""
    problems: tuple[Problem, ...]

    @property
    def untested(self) -> tuple[Skill, ...]:
        """Skills without a case."""
        return tuple(s for s in self.skills if not s.cases)
