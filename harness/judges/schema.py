"""Where a value breaks a JSON schema, of the few keywords that our schemas use."""

import math
from collections.abc import Iterator, Mapping


def _is(value: object, kind: object) -> bool:
    match kind:
        case "object":
            return isinstance(value, Mapping)
        case "array":
            return isinstance(value, list)
        case "string":
            return isinstance(value, str)
        case "boolean":
            return isinstance(value, bool)
        case "number":
            return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
        case "integer":
            return isinstance(value, int) and not isinstance(value, bool)
    raise ValueError(f"a schema of ours uses the type {kind!r}, which is not checked here")


def _object(value: Mapping[str, object], schema: Mapping[str, object], where: str) -> Iterator[str]:
    known = schema.get("properties")
    properties: Mapping[str, object] = known if isinstance(known, Mapping) else {}
    required = schema.get("required")
    for name in required if isinstance(required, list) else []:
        if name not in value:
            yield f"{where}{name} is missing"
    for name, inner in value.items():
        wanted = properties.get(name)
        if isinstance(wanted, Mapping):
            yield from breaches(inner, wanted, f"{where}{name}.")
        elif schema.get("additionalProperties") is False:
            yield f"{where}{name} is one field too many"


def _array(value: list[object], schema: Mapping[str, object], where: str) -> Iterator[str]:
    least, most = schema.get("minItems"), schema.get("maxItems")
    if isinstance(least, int) and len(value) < least:
        yield f"{where[:-1]} has {len(value)} items, {least} are due"
    if isinstance(most, int) and len(value) > most:
        yield f"{where[:-1]} has {len(value)} items, {most} are due"
    items = schema.get("items")
    if isinstance(items, Mapping):
        for place, item in enumerate(value):
            yield from breaches(item, items, f"{where[:-1]}[{place}].")


def breaches(value: object, schema: Mapping[str, object], where: str = "") -> Iterator[str]:
    """Each breach as one sentence; none: the value fits."""
    at = where[:-1] or "the reply"
    kind = schema.get("type")
    if not _is(value, kind):
        yield f"{at} must be of type {kind}, not {value!r:.60}"
        return
    allowed = schema.get("enum")
    if isinstance(allowed, list) and value not in allowed:
        yield f"{at} must be one of {', '.join(map(str, allowed))}, not {value!r:.60}"
    if isinstance(value, int | float):
        low, high = schema.get("minimum"), schema.get("maximum")
        if (isinstance(low, int | float) and value < low) or (isinstance(high, int | float) and value > high):
            yield f"{at} must lie between {low} and {high}, not {value!r}"
    if isinstance(value, str) and isinstance(schema.get("minLength"), int) and not value.strip():
        yield f"{at} is empty"
    if isinstance(value, Mapping):
        yield from _object(value, schema, where)
    if isinstance(value, list):
        yield from _array(value, schema, where or ".")


def record(properties: Mapping[str, object]) -> dict[str, object]:
    """The schema of an object with exactly these fields."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


TEXT: dict[str, object] = {"type": "string", "minLength": 1}
FLAG: dict[str, object] = {"type": "boolean"}
