"""What a Bash call counts as, from the paths that its command line touches."""

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase

from harness.checks.ground import Ground
from harness.checks.paths import Place, Region
from harness.checks.shell.pattern import UNKNOWN, plain, quote
from harness.checks.shell.reading import read
from harness.checks.shell.scope import Scope
from harness.checks.shell.touch import Touch
from harness.checks.skill_call import is_own_text
from harness.model.check import SignalKind
from harness.model.transcript import ToolCall

Found = tuple[SignalKind, str]
"""A kind and the words that made it one."""

GRAPH_VERBS = frozenset({"query", "explain", "path", "affected"})
_CD_FAILED = re.compile(
    r"\bcd:(?:\d+:)? (?:no such file or directory|not a directory|permission denied): (.+)"
    r"|\bcd: (.+?): (?:No such file or directory|Not a directory|Permission denied)"
)
_CWD_RESET = re.compile(r"^Shell cwd was reset to (.+)$", re.MULTILINE)


def of_bash(call: ToolCall, ground: Ground) -> Iterator[Found]:
    output = call.result.text if call.result is not None else ""
    main = call.parent_tool_use_id is None
    scope = Scope(
        # The CLI puts a subagent's shell back into the world before each of its calls.
        cwd=ground.cwd if main else ground.world,
        root=ground.world,
        links=ground.links,
        failed_folders=frozenset(a or b for a, b in _CD_FAILED.findall(output)),
    )
    for touch in read(_command(call), scope):
        yield from _of_touch(touch, ground)
    background = call.input.get("run_in_background") is True
    if main and call.result is not None and not (call.failed or call.denied or background):
        # The CLI writes the folder down after a command that succeeded, and only then.
        reset = _CWD_RESET.search(output)
        ground.cwd = quote(reset.group(1).strip()) if reset else scope.cwd


def _of_touch(touch: Touch, ground: Ground) -> Iterator[Found]:
    shown = f"{touch.program} {plain(touch.word)}".replace(UNKNOWN, "…")
    if touch.kind == "run":
        name = plain(touch.word).rstrip("/").rsplit("/", 1)[-1]
        if any(fnmatchcase(name, p) for p in ground.rule.commands):
            yield "cli", plain(touch.word).replace(UNKNOWN, "…")
        elif name == "graphify" and touch.args and touch.args[0] in GRAPH_VERBS:
            yield "graph", f"graphify {touch.args[0]}"
        return
    if touch.filter is not None:
        shown = f"{touch.program} {touch.filter.text} in {plain(touch.word) or '.'}".replace(UNKNOWN, "…")
    kind = _shell_kind(touch, _where(touch, ground.decisions, ground))
    if kind is not None:
        yield kind, shown
    elif touch.kind in ("read", "search") and is_own_text(touch.word, touch.cwd, ground):
        yield "skill", shown
    elif touch.kind not in ("ask", "other", "write") and _where(touch, ground.graph, ground) is Place.INSIDE:
        yield "graph", shown


def _where(touch: Touch, folders: Region, ground: Ground) -> Place:
    if touch.filter is not None:
        return folders.aim(touch.word, touch.cwd, ground.world, touch.filter)
    return folders.find(touch.word, touch.cwd, ground.world)


def _shell_kind(touch: Touch, place: Place) -> SignalKind | None:
    """The table of what an act on a place counts as."""
    searches = touch.filter is not None and touch.filter.searches
    match touch.kind, place:
        case _, Place.OUTSIDE:
            return None
        case "read", Place.INSIDE | Place.WIDE:
            return "shell-read"
        case "list" | "walk", Place.INSIDE:
            return "shell-list"
        case "search" | "sweep", Place.INSIDE:
            return "shell-search"
        case "aimed", Place.INSIDE:
            return "shell-search" if searches else "shell-list"
        case "write", Place.INSIDE | Place.WIDE:
            return "write"
        case "ask" | "other", Place.INSIDE | Place.WIDE:
            return "passing"
        case (("list" | "search" | "read"), Place.WIDE):
            return "passing"
        case (("read" | "search"), Place.ABOVE) if "**" in touch.word:
            return "passing"
        case (("walk" | "sweep" | "aimed"), _):
            return "passing"
        case _:
            return None


def _command(call: ToolCall) -> str:
    value = call.input.get("command")
    return value if isinstance(value, str) else ""
