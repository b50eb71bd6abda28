"""A row as the JSON object that ``--json`` prints: the columns' names, axes and numbers as what they are."""

from harness.model.row import Row

_AXIS = {"true": True, "false": False}
_WHOLE = frozenset(
    {"trial", "turns", "input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "attempt"}
)
_FRACTION = frozenset({"duration_s", "cost_usd"})


def row_fields(row: Row) -> dict[str, object]:
    """Column name to value; an axis that was not judged and a number that is not known are None."""
    made: dict[str, object] = {}
    for name in Row.__struct_fields__:
        text: str = getattr(row, name)
        made[name.rstrip("_")] = _value(name, text)
    return made


def _value(name: str, text: str) -> object:
    if name.startswith("axis_"):
        return _AXIS.get(text)
    if name in _WHOLE:
        return int(text) if text.isdecimal() else None
    if name in _FRACTION:
        return float(text) if text else None
    return text
