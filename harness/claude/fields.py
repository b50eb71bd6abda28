"""Knows how to take a typed value out of JSON that may hold anything in its place."""

import math
from collections.abc import Mapping


def text(value: object) -> str:
    return value if type(value) is str else ""


def integer(value: object, default: int = 0) -> int:
    """A whole number, also when it was written as a float; ``default`` for anything else."""
    if type(value) is int:
        return value
    return int(value) if isinstance(value, float) and math.isfinite(value) else default


def maybe_integer(value: object) -> int | None:
    return (
        integer(value) if type(value) is int or (isinstance(value, float) and math.isfinite(value)) else None
    )


def number(value: object) -> float:
    return float(value) if type(value) in (int, float) and math.isfinite(value) else 0.0  # type: ignore[arg-type]


def maybe_number(value: object) -> float | None:
    return number(value) if type(value) in (int, float) else None


def mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def items(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def texts(value: object) -> tuple[str, ...]:
    """The strings of a list; an object with a ``name`` or ``message`` stands for it."""
    return tuple(found for item in items(value) if (found := _word(item)))


def _word(item: object) -> str:
    if isinstance(item, str):
        return item
    entry = mapping(item)
    return text(entry.get("name")) or text(entry.get("message")) or text(entry.get("error"))
