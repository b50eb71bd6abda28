"""Any of our values as the one JSON document that ``--json`` prints."""

import orjson
from msgspec import Struct, structs


def as_json(value: object) -> str:
    return orjson.dumps(value, default=_plain, option=orjson.OPT_INDENT_2).decode()


def _plain(value: object) -> object:
    """Structs and named tuples by their names; orjson knows neither."""
    if isinstance(value, Struct):
        return structs.asdict(value)
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return value._asdict()
    raise TypeError(f"{type(value).__name__} is no plain value")
