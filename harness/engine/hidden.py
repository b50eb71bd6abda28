"""Programs that a hook or command looked for in vain, and that stand on this machine outside of the jail."""

import re
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

from harness.model.transcript import Transcript
from harness.world.sandbox import Sandbox

_QUOTE = "['\"‘’`]?"
_SOUGHT = (
    re.compile(r"(?:^|[\s:])([\w./+@-]+): (?:command )?not found", re.MULTILINE),
    re.compile(rf"env: {_QUOTE}([\w./+@-]+){_QUOTE}: No such file or directory"),
    re.compile(r"([\w./+@-]+): (?:bad interpreter: No such file|cannot execute: required file not found)"),
    re.compile(r"(?:exec|spawn):? ([\w./+@-]+)(?: ENOENT|: not found)"),
)
_MOST = 64 * 1024
"""Characters of one output that are looked at."""


def hidden_programs(transcript: Transcript, place: Sandbox, path: str) -> dict[str, str]:
    """By the name that was sought, where it is on this machine. ``path``: where a shell here would look."""
    if place.kind != "jail":
        return {}
    found: dict[str, str] = {}
    for text in _outputs(transcript):
        for name in _sought(text):
            where = _on_this_machine(name, place, path)
            if where is not None:
                found.setdefault(name, where)
    return found


def _outputs(transcript: Transcript) -> Iterator[str]:
    for hook in transcript.hooks:
        yield hook.stderr
    for call in transcript.calls:
        if call.result is not None and call.tool == "Bash":
            yield call.result.text


def _sought(text: str) -> Iterable[str]:
    return dict.fromkeys(match[1] for sign in _SOUGHT for match in sign.finditer(text[:_MOST]))


def _on_this_machine(name: str, place: Sandbox, path: str) -> str | None:
    if "/" not in name:
        where = shutil.which(name, path=path)
        return where if where is not None and not _shown(where) else None
    script = _outside(name, place)
    if script is None:
        return name if Path(name).exists() and not _shown(name) else None
    # The file itself is there: what a shell misses then is what its first line names.
    interpreter = _interpreter(script)
    return interpreter if interpreter and Path(interpreter).exists() and not _shown(interpreter) else None


def _outside(name: str, place: Sandbox) -> Path | None:
    """The file of this side that the run sees as ``name``, or None where it sees none."""
    for outside, inside in place.mapped:
        if name == inside or name.startswith(f"{inside}/"):
            path = outside / name[len(inside) + 1 :]
            return path if path.is_file() else None
    return None


def _interpreter(script: Path) -> str:
    try:
        with script.open("rb") as file:
            first = file.readline(512)
    except OSError:
        return ""
    words = first[2:].decode(errors="replace").split() if first.startswith(b"#!") else []
    return words[0] if words else ""


def _shown(path: str) -> bool:
    """Whether the jail shows the machine's own system folders at this place."""
    return path.startswith(("/usr/", "/bin/", "/sbin/", "/lib"))
