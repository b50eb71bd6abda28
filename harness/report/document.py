"""Any of our values as the one JSON document that ``--json`` prints."""

import orjson


def as_json(value: object) -> str:
    return orjson.dumps(value, default=_plain, option=orjson.OPT_INDENT_2).decode()


def _plain(value: object) -> object:
    """Named tuples by their names; orjson knows neither them nor any other kind of tuple's child."""
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return value._asdict()
    raise TypeError(f"{type(value).__name__} is no plain value")
