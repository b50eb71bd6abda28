"""What of a run a judge may read: its final message and the files that it left new, changed or gone."""

from collections.abc import Iterable

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
