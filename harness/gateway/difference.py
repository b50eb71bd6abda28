"""The first place where two JSON values differ, in words a person can use."""

import orjson
from msgspec import Struct

SHOWN = 160
LEAD = 40
"""Characters of agreement shown before the place where two texts part."""
ABSENT = "(absent)"


class Difference(Struct, frozen=True, kw_only=True):
    """Where the request that belongs to recorded exchange ``request`` says something else now."""

    request: int
    path: str
    """In the body, e.g. ``messages[0].content[1].text``."""
    old: str
    new: str

    def __str__(self) -> str:
        return f"request {self.request} differs at {self.path}: was {self.old!r}, is {self.new!r}"


def first_difference(old: object, new: object, path: str = "") -> tuple[str, str, str] | None:
    """Path, old and new, the values shortened to what matters; None where the two are equal."""
    match old, new:
        case dict(), dict():
            for name in [*old, *(name for name in new if name not in old)]:
                inner = f"{path}.{name}" if path else str(name)
                if name not in old or name not in new:
                    return inner, _shown(old.get(name, ...)), _shown(new.get(name, ...))
                found = first_difference(old[name], new[name], inner)
                if found is not None:
                    return found
            return None
        case list(), list():
            for number in range(max(len(old), len(new))):
                inner = f"{path}[{number}]"
                if number >= len(old) or number >= len(new):
                    return inner, _item(old, number), _item(new, number)
                found = first_difference(old[number], new[number], inner)
                if found is not None:
                    return found
            return None
        case str(), str() if old != new:
            at = _parting(old, new)
            return path, _excerpt(old, at), _excerpt(new, at)
    return None if old == new and type(old) is type(new) else (path, _shown(old), _shown(new))


def _parting(old: str, new: str) -> int:
    """The first index at which two different texts differ."""
    low, high = 0, min(len(old), len(new))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if old[:middle] == new[:middle] else (low, middle - 1)
    return low


def _excerpt(text: str, at: int) -> str:
    start = max(0, at - LEAD)
    end = start + SHOWN
    return ("…" if start else "") + text[start:end] + ("…" if end < len(text) else "")


def _item(items: list[object], number: int) -> str:
    return _shown(items[number]) if number < len(items) else ABSENT


def _shown(value: object) -> str:
    if value is ...:
        return ABSENT
    return _excerpt(value if isinstance(value, str) else orjson.dumps(value).decode(), 0)
