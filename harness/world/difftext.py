"""How changes look to a person: the text of ``world.diff``."""

import difflib
from collections.abc import Iterable, Iterator

from harness.model.change import Change

_DIFFABLE_LINES = 5000
"""difflib takes time with the square of what differs; above this a file is shown as replaced."""
_GIT_BOOKKEEPING = (".git/objects/", ".git/logs/", ".git/index", ".git/COMMIT_EDITMSG", ".git/ORIG_HEAD")


def unified(changes: Iterable[Change]) -> str:
    """The changes in the unified format that ``git apply`` and ``patch`` know; '' for none.

    The bookkeeping of git, hundreds of paths after one commit, is counted in a last line instead.
    """
    parts: list[str] = []
    hidden = 0
    for change in changes:
        if change.path.startswith(_GIT_BOOKKEEPING):
            hidden += 1
        else:
            parts.extend(_one(change))
    if hidden:
        parts.append(f"# and {hidden} paths of git's own bookkeeping\n")
    return "".join(parts)


def _one(change: Change) -> Iterator[str]:
    old, new = f"a/{change.path}", f"b/{change.path}"
    yield f"diff --git {old} {new}\n"
    kind = "" if change.type == "file" else f" ({change.type})"
    if change.kind != "modified" or change.before_sha256 == change.after_sha256:
        mark = {"added": "new file mode", "deleted": "deleted file mode", "modified": "new mode"}[change.kind]
        yield f"{mark} {change.mode:o}{kind}\n"
    if change.type in ("folder", "special"):
        return
    before, after = _lines(change.before), _lines(change.after)
    if (change.kind != "added" and change.before is None) or (
        change.kind != "deleted" and change.after is None
    ):
        yield f"Binary files {old} and {new} differ\n"
        return
    if change.cut:
        yield "# longer than what is kept; the rest is not shown\n"
    yield from _body(
        before,
        after,
        "/dev/null" if change.kind == "added" else old,
        "/dev/null" if change.kind == "deleted" else new,
    )


def _lines(text: str | None) -> list[str]:
    """Split on newlines only; other separators are part of a line."""
    return (text or "").split("\n")


def _body(before: list[str], after: list[str], old: str, new: str) -> Iterator[str]:
    before, after = _with_ends(before), _with_ends(after)
    if before == after:
        return
    if len(before) + len(after) <= _DIFFABLE_LINES:
        yield from difflib.unified_diff(before, after, old, new)
        return
    start = _common(before, after)
    end = _common(before[start:][::-1], after[start:][::-1])
    gone, come = before[start : len(before) - end], after[start : len(after) - end]
    if len(gone) + len(come) <= _DIFFABLE_LINES:
        # The few lines around are context; the numbers are moved to where they stand in the whole.
        lead = before[max(0, start - 3) : start]
        trail = before[len(before) - end : len(before) - end + 3]
        gone, come, start = lead + gone + trail, lead + come + trail, start - len(lead)
        yield from _shifted(difflib.unified_diff(gone, come, old, new), start)
        return
    yield f"--- {old}\n+++ {new}\n@@ -{start + 1},{len(gone)} +{start + 1},{len(come)} @@\n"
    yield from (f"-{line}" for line in gone)
    yield from (f"+{line}" for line in come)


def _with_ends(lines: list[str]) -> list[str]:
    """Each line with its newline; a last line without one gets the note that patch expects."""
    ended = [f"{line}\n" for line in lines[:-1]]
    return [*ended, f"{lines[-1]}\n\\ No newline at end of file\n"] if lines[-1] else ended


def _common(one: list[str], other: list[str]) -> int:
    count = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        count += 1
    return count


def _shifted(diff: Iterable[str], by: int) -> Iterator[str]:
    for line in diff:
        if line.startswith("@@ "):
            _, old, new, _ = line.split(" ")
            line = f"@@ {_moved(old, by)} {_moved(new, by)} @@\n"
        yield line


def _moved(span: str, by: int) -> str:
    start, comma, count = span[1:].partition(",")
    return f"{span[0]}{int(start) + by}{comma}{count}"
