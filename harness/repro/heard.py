"""What claude has said so far, in the stream of a run that is on, about the ends of background tasks."""

from collections import Counter
from pathlib import Path

import orjson

_MARK = b'"task_notification"'


class Heard:
    """How often the end of a task was told by now; called with the id of the tool call that started it."""

    def __init__(self, stream: Path) -> None:
        self._stream = stream
        self._offset = 0
        self._torn = b""
        self._ends: Counter[str] = Counter()

    def __call__(self, call: str) -> int:
        self._read_on()
        return self._ends[call]

    def _read_on(self) -> None:
        try:
            with self._stream.open("rb") as file:
                file.seek(self._offset)
                new = file.read()
        except FileNotFoundError:
            return
        self._offset += len(new)
        *lines, self._torn = (self._torn + new).split(b"\n")
        for line in lines:
            if _MARK in line:
                self._count(line)

    def _count(self, line: bytes) -> None:
        try:
            event: object = orjson.loads(line)
        except orjson.JSONDecodeError:
            return
        match event:
            case {"type": "system", "subtype": "task_notification", "tool_use_id": str(call)}:
                self._ends[call] += 1
