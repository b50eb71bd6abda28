"""Axis a: which tool calls of a run consulted the decisions, by which means, and whether that decides."""

from collections.abc import Iterator, Mapping

from harness.checks.bash_call import Found, of_bash
from harness.checks.ground import Ground, survey
from harness.checks.paths import Place
from harness.checks.shell.pattern import UNKNOWN, quote
from harness.checks.shell.touch import Filter
from harness.checks.skill_call import is_own_text, skill_matches, skill_name
from harness.model.check import LITERAL_KINDS, NEVER_DECIDING, Evidence, Finding, Signal, SignalKind
from harness.model.scenario import ConsultRule
from harness.model.transcript import ToolCall, Transcript

_ALIASES = {
    "View": "Read",
    "ReadFile": "Read",
    "NotebookRead": "Read",
    "GlobTool": "Glob",
    "LS": "Glob",
    "GrepTool": "Grep",
    "SlashCommand": "Skill",
    "MultiEdit": "Edit",
    "NotebookEdit": "Edit",
    "BashTool": "Bash",
}
"""Names of tools in older versions of the CLI."""
_MAX_DETAIL = 300


def signals(
    transcript: Transcript,
    rule: ConsultRule,
    *,
    cwd: str,
    plugin_root: str | None = None,
    links: Mapping[str, str] | None = None,
) -> tuple[Signal, ...]:
    """Every tool call that has to do with the decisions, in order; at most one signal of a kind for a call.

    ``cwd`` and ``plugin_root`` are the world and the plugin as the arm saw them; ``links`` are symbolic links
    of the world (relative path -> relative path). Denied, failed and subagent calls count and are marked.
    """
    ground = survey(transcript, rule, cwd, plugin_root, links or {})
    found: list[Signal] = []
    for call in transcript.calls:
        seen: dict[SignalKind, str] = {}
        for kind, detail in _of_call(call, ground):
            seen.setdefault(kind, detail)
        found += [_signal(call, kind, detail, rule) for kind, detail in seen.items()]
    return tuple(found)


def axis_a(signals: tuple[Signal, ...]) -> Finding:
    """Did the run consult (or, where writes count, propose)? One deciding signal is enough."""
    deciding = [s for s in signals if s.decides]
    shown = deciding or list(signals)
    evidence = tuple(
        Evidence(where=f"stream:{s.index}", text=f"{s.tool}: {s.detail}{_marks(s)}") for s in shown
    )
    if deciding:
        kinds = ", ".join(dict.fromkeys(s.kind for s in deciding))
        return Finding(name="axis_a", value=True, reason=f"consulted by {kinds}", evidence=evidence)
    if signals:
        kinds = ", ".join(dict.fromkeys(s.kind for s in signals))
        reason = f"did not consult: only {kinds}, which does not decide"
        return Finding(name="axis_a", value=False, reason=reason, evidence=evidence)
    nothing = (Evidence(where="stream", text="no tool call touches the decisions"),)
    return Finding(name="axis_a", value=False, reason="did not consult", evidence=nothing)


def _signal(call: ToolCall, kind: SignalKind, detail: str, rule: ConsultRule) -> Signal:
    decides = kind not in NEVER_DECIDING
    if rule.literal:
        decides = decides and kind in LITERAL_KINDS
    if kind == "write":
        decides = decides and rule.writes_count
    return Signal(
        kind=kind,
        tool=call.tool,
        index=call.index,
        detail=detail[:_MAX_DETAIL],
        subagent=call.parent_tool_use_id is not None,
        denied=call.denied,
        failed=call.failed,
        decides=decides,
    )


def _marks(signal: Signal) -> str:
    marks = [
        m
        for m, on in (("subagent", signal.subagent), ("denied", signal.denied), ("failed", signal.failed))
        if on
    ]
    return f" ({', '.join(marks)})" if marks else ""


def _of_call(call: ToolCall, ground: Ground) -> Iterator[Found]:
    given = call.input
    match _ALIASES.get(call.tool, call.tool):
        case "Skill":
            name = skill_name(given)
            if name is not None and skill_matches(name, ground):
                yield "skill", name
        case "Read":
            yield from _tool_path(_text(given, "file_path", "path", "notebook_path"), "read", ground)
        case "Edit" | "Write":
            yield from _tool_path(_text(given, "file_path", "path", "notebook_path"), "write", ground)
        case "Glob":
            yield from _glob(_text(given, "pattern"), _text(given, "path"), ground)
        case "Grep":
            yield from _grep(_text(given, "glob"), _text(given, "path"), ground)
        case "Bash":
            yield from of_bash(call, ground)
        case tool if "graphify" in tool:
            yield "graph", tool


def _text(given: Mapping[str, object], *keys: str) -> str:
    return next((v for k in keys if isinstance(v := given.get(k), str)), "").replace(UNKNOWN, "")


def _tool_path(path: str, kind: SignalKind, ground: Ground) -> Iterator[Found]:
    word = quote(path)
    if path.startswith("~"):
        word = word.removeprefix("\\")
    if not path:
        return
    if ground.decisions.find(word, ground.world, ground.world) is Place.INSIDE:
        yield kind, path
    elif kind == "read" and is_own_text(word, ground.world, ground):
        yield "skill", path
    elif kind == "read" and ground.graph.find(word, ground.world, ground.world) is Place.INSIDE:
        yield "graph", path


def _glob(pattern: str, path: str, ground: Ground) -> Iterator[Found]:
    word = f"{quote(path)}/{pattern}" if path and not pattern.startswith("/") else pattern or quote(path)
    shown = f"{pattern} in {path}" if path and pattern else pattern or path
    if not word:
        return
    place = ground.decisions.find(word, ground.world, ground.world)
    if place is Place.INSIDE:
        yield "glob", shown
    elif ground.graph.find(word, ground.world, ground.world) is Place.INSIDE:
        yield "graph", shown
    elif place is Place.WIDE or (place is Place.ABOVE and "**" in pattern):
        yield "passing", shown


def _grep(glob: str, path: str, ground: Ground) -> Iterator[Found]:
    shown = f"{glob} in {path}" if glob and path else glob or path or "."
    kept = Filter(form="glob", text=glob, searches=True)
    where = []
    for folders in (ground.decisions, ground.graph):
        aimed = folders.aim(quote(path), ground.world, ground.world, kept) if glob else None
        where.append(folders.find(quote(path), ground.world, ground.world) if aimed is None else aimed)
    if where[0] is Place.INSIDE:
        yield "grep", shown
    elif where[1] is Place.INSIDE:
        yield "graph", shown
    elif where[0] is not Place.OUTSIDE:
        yield "passing", shown
