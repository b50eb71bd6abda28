"""Knows where a line of the stream begins and ends, whatever the chunks that its bytes come in."""

from typing import NamedTuple

DEFAULT_LIMIT = 32 * 1024 * 1024


class Line(NamedTuple):
    """One line without its newline; ``data`` is None when the line is longer than the limit."""

    index: int  # type: ignore[assignment]  # hides tuple.index, which nobody asks of a line
    offset: int
    """Of the line's first byte in the stream."""
    data: bytes | None
    size: int
    terminated: bool
    """False for a last line that the writer never finished."""


class LineFramer:
    """Cuts bytes into lines at ``\\n`` only: U+2028 and a bare ``\\r`` are ordinary text inside JSON.

    A line over ``limit`` bytes is counted and not kept, so memory stays bounded by the limit and one chunk.
    """

    def __init__(self, limit: int = DEFAULT_LIMIT) -> None:
        self._limit = limit
        self._index = 0
        self._offset = 0
        self._parts: list[bytes] = []
        self._size = 0

    def feed(self, chunk: bytes) -> list[Line]:
        """Return the lines that ``chunk`` completes."""
        first, *rest = chunk.split(b"\n")
        self._hold(first)
        if not rest:
            return []
        lines = [self._release(terminated=True)]
        last = rest.pop()
        index, offset, limit = self._index, self._offset, self._limit
        for data in rest:
            size = len(data)
            lines.append(Line(index, offset, data if size <= limit else None, size, True))
            index += 1
            offset += size + 1
        self._index, self._offset = index, offset
        self._hold(last)
        return lines

    def close(self) -> list[Line]:
        """Return the unfinished last line, if there is one."""
        return [self._release(terminated=False)] if self._size else []

    def _hold(self, part: bytes) -> None:
        self._size += len(part)
        if self._size > self._limit:
            self._parts.clear()
        elif part:
            self._parts.append(part)

    def _release(self, *, terminated: bool) -> Line:
        data = b"".join(self._parts) if self._size <= self._limit else None
        line = Line(self._index, self._offset, data, self._size, terminated)
        self._index += 1
        self._offset += self._size + terminated
        self._parts = []
        self._size = 0
        return line
