"""What checkers find: signals, findings with their evidence, and the judgement made of them."""

from typing import Literal

from msgspec import Struct

from harness.model.outcome import Status, Verdict

SignalKind = Literal[
    "skill",  # a Skill call, or the skill's own file read
    "cli",  # a command of the plugin
    "read",  # Read tool
    "glob",  # Glob tool
    "grep",  # Grep tool
    "shell-read",  # cat, head, sed -n … of a file under the path
    "shell-list",  # ls, find, a glob expanded by echo
    "shell-search",  # rg, grep, git grep under the path
    "write",  # Write, Edit or a redirect under the path: decides in write-trigger scenarios only
    "graph",  # graphify query; recorded, never deciding
    "passing",  # a directory-wide search that merely passes through; never deciding
]
LITERAL_KINDS: frozenset[str] = frozenset({"skill", "cli", "read", "glob"})
NEVER_DECIDING: frozenset[str] = frozenset({"graph", "passing"})


class Signal(Struct, frozen=True, kw_only=True):
    """One tool call that consults (or proposes to) the decisions."""

    kind: SignalKind
    tool: str
    index: int
    detail: str
    """The words that made it one: the command, the path, the skill."""
    subagent: bool = False
    denied: bool = False
    failed: bool = False
    decides: bool = True


class Evidence(Struct, frozen=True, kw_only=True):
    """One line a person can check: where, and the words found there."""

    where: str
    """``stream:12`` (line of stream.jsonl, from 0), ``final message``, or a path of the world."""
    text: str


class Finding(Struct, frozen=True, kw_only=True):
    """A checker's answer to its one question; ``value`` None: it could not tell, or the question does not apply."""

    name: str
    value: bool | None
    reason: str
    evidence: tuple[Evidence, ...] = ()


class Judgement(Struct, frozen=True, kw_only=True):
    """Everything that decides a row's outcome columns."""

    status: Status
    verdict: Verdict
    axis_a: bool | None
    axis_b: bool | None
    reason: str
    signals: tuple[Signal, ...] = ()
    findings: tuple[Finding, ...] = ()
    warnings: tuple[str, ...] = ()
    """What a person should know about the run although it decides nothing."""
    api_kind: str = ""
    """How the API failed (rate_limit, overload, auth, credit, refused, stalled, other), or ''."""
    limit: str = ""
    """The limit that really fired (max_turns, max_cost_usd, timeout, idle, startup, output, …), or ''."""
