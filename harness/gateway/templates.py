"""``{{name}}`` in the strings of a playbook: the values known only when a run's sandbox stands."""

import re
from collections.abc import Mapping

VARIABLE = re.compile(r"\{\{\s*([A-Za-z_][\w-]*)\s*\}\}")


class UnknownVariableError(Exception):
    """A template names a variable that nothing gives a value to; the text is its name."""


def fill(text: str, variables: Mapping[str, str]) -> str:
    def value(found: re.Match[str]) -> str:
        name = found[1]
        if name not in variables:
            raise UnknownVariableError(name)
        return variables[name]

    return VARIABLE.sub(value, text) if "{{" in text else text


def fill_all(value: object, variables: Mapping[str, str]) -> object:
    """``value`` (as it comes from YAML) with every string in it filled, keys of mappings too."""
    if isinstance(value, str):
        return fill(value, variables)
    if isinstance(value, Mapping):
        return {fill_all(k, variables): fill_all(v, variables) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [fill_all(v, variables) for v in value]
    return value
