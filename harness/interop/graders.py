"""Graders of ``claude plugin eval`` as assertions and criteria, as far as those can say the same."""

import re
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct, field

from harness.interop.imported import Notes, one_line, quoted

_KNOWN = {
    "regex": {"target", "pattern", "flags", "match"},
    "tool_order": {"before", "after"},
    "tool_used": {"tool", "input_match", "min", "max"},
    "file_exists": {"path", "exists"},
    "llm": {"criteria", "focus"},
    "baseline": {"baseline_file", "criteria"},
}
_COMMON = {"type", "name", "weight", "arm"}


class Converted(Struct):
    assertions: list[str] = field(default_factory=list)
    criteria: list[str] = field(default_factory=list)


def _target(grader: Mapping[str, object]) -> tuple[str, str]:
    """The shell word for the file to search, or '' and why there is none."""
    target = grader.get("target", "last_message")
    if target == "last_message":
        return '"$OUTPUT"', ""
    if isinstance(target, Mapping) and isinstance(target.get("path"), str):
        return _in_world(str(target["path"])), ""
    return "", f"target {target!r} has no file of its own here"


def _in_world(path: str) -> str:
    """A path of the world as one shell word."""
    safe = re.sub(r'([\\"$`])', r"\\\1", path.removeprefix("./"))
    return f'"$WORLD/{safe}"'


def _unsayable(pattern: str, flags: str) -> str:
    """Why grep, which goes line by line, would not find what the pattern finds, or ''."""
    if set(flags) - set("imgu"):
        return f"the flags {flags!r} reach over lines"
    if re.search(r"\\n|\\r|\n", pattern):
        return "the pattern holds a line break"
    if "m" not in flags and re.search(r"(?<!\\)(?:\\\\)*(\^(?<!\[\^)|\$)", pattern):
        return "^ and $ mean the ends of the whole text, and grep means those of a line"
    return ""


def _regex(grader: Mapping[str, object]) -> tuple[str, str]:
    pattern, flags = str(grader.get("pattern") or ""), str(grader.get("flags") or "")
    match = str(grader.get("match") or "contains")
    word, why = _target(grader)
    why = why or _unsayable(pattern, flags)
    if not pattern:
        return "", "it has no pattern, so it would check nothing"
    if why:
        return "", why
    options = "P" + ("i" if "i" in flags else "")
    search = f"-e {quoted(pattern)} {word}"
    if match == "contains":
        return f"grep -q{options} {search}", ""
    if match == "not_contains":
        return f"test -f {word} && ! grep -q{options} {search}", ""
    count = re.fullmatch(r"count:(\d+)", match)
    if count:
        return f'test -f {word} && test "$(grep -o{options} {search} | wc -l)" -eq {count[1]}', ""
    return "", f"match {match!r} is not known"


def _file(grader: Mapping[str, object]) -> tuple[str, str]:
    path, exists = grader.get("path"), grader.get("exists", True)
    if not isinstance(path, str) or not path or not isinstance(exists, bool):
        return "", "it names no path"
    if not re.search(r"[*?\[]", path):
        return f"{'' if exists else '! '}test -e {_in_world(path)}", ""
    pattern = _in_world(re.sub(r"\*\*/?", "*", path))
    found = f'find "$WORLD" -path {pattern} | grep -q .'
    return (found if exists else f"! {{ {found}; }}"), ""


def convert(grader: Mapping[str, object], source: Path, notes: Notes, into: Converted) -> None:
    """Put the grader into ``into``; whatever of it cannot be said goes to ``notes``."""
    kind, name = str(grader.get("type")), str(grader.get("name") or source.stem)

    def left_out(text: str) -> None:
        notes.left_out(source, f"grader {name} ({kind}): {text}")

    for key in grader.keys() - _COMMON - _KNOWN.get(kind, set()):
        left_out(f"the key {key!r} is not known")
    if grader.get("weight", 1) != 1:
        left_out(f"its weight {grader['weight']}; all assertions weigh the same")
    if grader.get("arm") not in (None, "both"):
        left_out(f"arm: {grader['arm']}; the gate decides for new only")
    if kind in ("regex", "file_exists"):
        line, why = _regex(grader) if kind == "regex" else _file(grader)
        if line:
            into.assertions.append(line)
        else:
            left_out(why)
        if kind == "file_exists" and line:
            left_out("that only created files count; here a file of the fixture counts as well")
    elif kind in ("llm", "baseline"):
        criteria = one_line(str(grader.get("criteria") or ""))
        if criteria:
            into.criteria.append(criteria)
        else:
            left_out("it has no criteria")
        if kind == "baseline":
            left_out(
                f"the fixed answer {grader.get('baseline_file')}; arms are compared with each other instead"
            )
        elif grader.get("focus", "last_message") != "last_message":
            left_out(f"focus {grader['focus']!r}; the judge sees the message and all changed files")
    elif kind in ("tool_used", "tool_order"):
        left_out("which tools were called; a case is judged by its message and files")
    else:
        left_out("a grader of this type is not known")
