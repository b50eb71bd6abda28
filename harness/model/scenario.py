"""What an author writes: suites, scenarios and playbooks, as loaded from their YAML files."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from harness.model.case import Case

Kind = Literal["retrieval", "write-trigger", "skill-case", "skill-trigger"]
"""The last two come from a tree of skills, never from a ``scenario.yaml``."""


class Limits(Struct, frozen=True, kw_only=True):
    """Bounds of one run. ``None``: not bounded."""

    timeout_s: float = 300.0
    idle_s: float = 120.0
    startup_s: float = 60.0
    grace_s: float = 5.0
    max_turns: int | None = 30
    max_cost_usd: float | None = 0.50


class ConsultRule(Struct, frozen=True, kw_only=True):
    """Which tool calls are signals for axis a."""

    skills: tuple[str, ...]
    commands: tuple[str, ...]
    paths: tuple[str, ...]
    literal: bool = False
    """Only Skill, CLI, Read and Glob count, as the spec is written."""
    writes_count: bool = False
    """A Write or Edit under ``paths`` counts too (write-trigger scenarios: it proposes)."""


class HookRule(Struct, frozen=True, kw_only=True):
    """The hook whose text must have been in context before the first action."""

    event: str
    contains: str


class FileRule(Struct, frozen=True, kw_only=True):
    """Evidence in the world after the run: exactly one of the three questions is asked of ``path`` (a glob)."""

    path: str
    matches: str | None = None
    lacks: str | None = None
    exists: bool | None = None


class RetrievalExpectation(Struct, frozen=True, kw_only=True):
    adr: str
    distractors: tuple[str, ...] = ()
    acted: tuple[FileRule, ...] = ()
    against: tuple[FileRule, ...] = ()


class WriteExpectation(Struct, frozen=True, kw_only=True):
    status: tuple[str, ...] = ("Proposed", "Accepted")
    topic: tuple[tuple[str, ...], ...] = ()
    affected_paths: tuple[str, ...] = ()
    supersedes: str | None = None
    rubric: str = ""


class CaseExpectation(Struct, frozen=True, kw_only=True):
    """The run is judged by the hard assertions of the case, and later blindly against other arms."""

    case: Case


class TriggerExpectation(Struct, frozen=True, kw_only=True):
    """Whether the skill is to come in by itself at this prompt."""

    should_trigger: bool


Expectation = RetrievalExpectation | WriteExpectation | CaseExpectation | TriggerExpectation


class ImportEdge(Struct, frozen=True, kw_only=True):
    """The one hop that the graph must hold: ``conflict`` imports ``affected``, or the other way round."""

    conflict: str
    affected: str


class ToolUse(Struct, frozen=True, kw_only=True):
    """One tool call of a playbook turn; templates not yet filled."""

    name: str
    input: Mapping[str, object]


class ApiFailure(Struct, frozen=True, kw_only=True):
    """An API answer that is an error; ``times`` requests get it (None: all that follow)."""

    status: int
    type: str
    message: str
    times: int | None = None
    headers: tuple[tuple[str, str], ...] = ()


class Turn(Struct, frozen=True, kw_only=True):
    """One assistant turn of a playbook: a message, or an API failure in its place."""

    text: str = ""
    tools: tuple[ToolUse, ...] = ()
    failure: ApiFailure | None = None
    fault: Literal["", "hang", "reset", "cut", "malformed"] = ""
    """What the server does instead of answering well: never answers, resets, stops in the middle, sends rubbish."""
    fault_times: int | None = None
    """How many requests meet the fault (None: all that follow)."""
    delay_s: float = 0.0


class Subplay(Struct, frozen=True, kw_only=True):
    """The turns of the subagent whose first user text holds ``match``."""

    match: str
    turns: tuple[Turn, ...]


class ExpectedOutcome(Struct, frozen=True, kw_only=True):
    status: str
    verdict: str
    axis_a: bool | None
    axis_b: bool | None


class Playbook(Struct, frozen=True, kw_only=True):
    """A scripted stand-in for the model."""

    name: str
    kind: str
    note: str
    path: Path
    turns: tuple[Turn, ...]
    subagents: tuple[Subplay, ...] = ()
    expect: ExpectedOutcome | None = None
    deny: tuple[str, ...] = ()
    max_turns: int | None = None
    judge: tuple[Mapping[str, object], ...] = ()


class Scenario(Struct, frozen=True, kw_only=True):
    id: str
    title: str
    kind: Kind
    held_out: bool
    tags: tuple[str, ...]
    folder: Path
    fixture: Path
    prompt: str
    expect: Expectation
    limits: Limits
    graph: ImportEdge | None
    never_say: tuple[str, ...]
    playbooks: Mapping[str, Playbook]
    lines: Mapping[str, int]
    """The line of each top key in ``scenario.yaml``, for what is said about it later."""

    @property
    def of_skill(self) -> bool:
        """Its arms differ in a skill in the config folder, not in a plugin."""
        return self.kind in ("skill-case", "skill-trigger")


class JailRule(Struct, frozen=True, kw_only=True):
    """What a suite needs of the machine that a jail would otherwise hide."""

    read_only: tuple[Path, ...] = ()
    """Seen at the same place, read-only: a toolchain in a home folder."""
    network: bool = False


SKILLS = "skills:"
"""What the names of suites begin with that are made of a skill's cases; the skill's path follows."""


class Suite(Struct, frozen=True, kw_only=True):
    name: str
    description: str
    folder: Path
    root: Path
    """The project root: the folder that holds ``scenarios/``."""
    plugin: Path
    held_out: bool
    consult: ConsultRule
    hook: HookRule | None
    adr_dir: str
    arms: tuple[str, ...]
    limits: Limits
    never_say: tuple[str, ...]
    playbook_kinds: tuple[str, ...]
    allowed_tools: tuple[str, ...]
    permission_mode: str
    env: Mapping[str, str]
    jail: JailRule
    requires: tuple[str, ...]
    """Ids of scenarios that the suite must have."""
    lines: Mapping[str, int]
    scenarios: tuple[Scenario, ...]
    only_tools: tuple[str, ...] = ()
    """The arm gets these tools and no others; empty: all that the CLI offers."""

    def consult_for(self, scenario: Scenario) -> ConsultRule:
        """Axis a's rule for one scenario: writing a decision consults them only where writing is the task."""
        return replace(self.consult, writes_count=scenario.kind == "write-trigger")
