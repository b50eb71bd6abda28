"""What a growing stream tells a supervisor before anyone parses it: started, working, waiting, over."""

import re

import orjson

LINE_LIMIT_BYTES = 1 << 20
"""A longer line counts as progress and is not looked into, so that memory stays bounded."""

_WORTH_PARSING = re.compile(rb'"(?:system|result|keep_alive)"')
_WHEN_OVER = re.compile(rb'"(?:system|result|keep_alive|assistant|stream_event)"')
"""A word of the model says something new only when all seemed to be over."""
_NO_PROGRESS = frozenset({"api_retry", "hook_progress", "keep_alive"})
_SPEAKING = frozenset({"assistant", "stream_event"})


class Progress:
    """Fed with the bytes of stream.jsonl as they come, in any chunks."""

    __slots__ = (
        "_agents_running",
        "_parts",
        "_skipping",
        "_unfinished",
        "init_seen",
        "moved",
        "over",
        "result_seen",
    )

    def __init__(self) -> None:
        self.init_seen = False
        self.result_seen = False
        self.over = False
        """A result stands as the last word: no later turn has begun and no subagent is at work."""
        self.moved = False
        """Something that counts as work came since the caller last set this to False."""
        self._agents_running = False
        self._parts: list[bytes] = []
        self._unfinished = 0
        self._skipping = False

    def feed(self, chunk: bytes) -> None:
        start = 0
        while (end := chunk.find(b"\n", start)) >= 0:
            self._finish(chunk[start:end])
            start = end + 1
        self._keep(chunk[start:])

    def _keep(self, piece: bytes) -> None:
        if not piece:
            return
        self._unfinished += len(piece)
        if self._unfinished > LINE_LIMIT_BYTES:
            self._skipping = True
            self._parts.clear()
            self.moved = True
        else:
            self._parts.append(piece)

    def _finish(self, piece: bytes) -> None:
        skipped = self._skipping or self._unfinished + len(piece) > LINE_LIMIT_BYTES
        line = b"" if skipped else b"".join(self._parts) + piece
        self._parts.clear()
        self._unfinished = 0
        self._skipping = False
        if skipped:
            self.moved = True
        elif line.strip():
            self._read(line)

    def _read(self, line: bytes) -> None:
        if not (_WHEN_OVER if self.over else _WORTH_PARSING).search(line):
            self.moved = True
            return
        try:
            event: object = orjson.loads(line)
        except orjson.JSONDecodeError:
            self.moved = True
            return
        for item in event if isinstance(event, list) else [event]:
            if isinstance(item, dict):
                self._see(item)

    def _see(self, event: dict[str, object]) -> None:
        kind, subtype = event.get("type"), event.get("subtype")
        if kind in _NO_PROGRESS or (kind == "system" and subtype in _NO_PROGRESS):
            return
        self.moved = True
        if kind == "result":
            self.init_seen = self.result_seen = True
            self.over = not self._agents_running
        elif kind == "system" and subtype == "init":
            self.init_seen = True
            self.over = False
        elif kind in _SPEAKING:
            # Background work wakes the model for a second turn, with a second result of its own.
            self.over = False
        elif kind == "system" and subtype == "background_tasks_changed":
            self._agents_running = _any_agent(event.get("tasks"))


def _any_agent(tasks: object) -> bool:
    """A background shell may run for ever and is not waited for; a subagent will report to the model."""
    return isinstance(tasks, list) and any(
        isinstance(task, dict) and task.get("task_type") == "local_agent" for task in tasks
    )
