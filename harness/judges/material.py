"""What of a run a judge may read: its final message and the files that it left new, changed or gone."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from harness.model.change import Change
from harness.model.judge import Output


def _shown(change: Change) -> str:
    if change.kind == "deleted":
        return "(deleted)"
    if change.after is None:
        return f"(a {change.type} that is no text)"
    return change.after + ("\n[cut here]" if change.cut else "")


def output_of(message: str, changes: Iterable[Change]) -> Output:
    """Never tokens, time, turns or tool calls."""
    return Output(message=message, files={c.path: _shown(c) for c in changes if c.type != "folder"})


GIVEN_CHARS = 100_000
"""Of a fixture, in all; what is beyond is named and not shown."""


def given_files(fixture: Path | None) -> Mapping[str, str]:
    """The text of a fixture, as far as there is room: what both arms had to work with."""
    files: dict[str, str] = {}
    left_out: list[str] = []
    room = GIVEN_CHARS
    found = sorted(p for p in fixture.rglob("*") if p.is_file() and not p.is_symlink()) if fixture else []
    for path in found:
        name = path.relative_to(fixture or path).as_posix()
        text = _text(path, room)
        if text is None:
            left_out.append(name)
        else:
            files[name] = text
            room -= len(text)
    return {**files, "(not shown)": "\n".join(left_out)} if left_out else files


def _text(path: Path, room: int) -> str | None:
    """None for what is no text, and for what is too long."""
    if path.stat().st_size > 4 * room:
        return None
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return None
    return text if len(text) <= room else None
