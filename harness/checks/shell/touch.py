"""What one program of a command line does to one path."""

from typing import Literal

from msgspec import Struct

TouchKind = Literal[
    "run",  # the program itself
    "read",  # its content is printed
    "list",  # names are printed
    "walk",  # names are printed, of folders below too
    "search",  # lines are looked for in it
    "sweep",  # lines are looked for in it and everything below
    "aimed",  # a walk or sweep from ``word`` that a filter aims at some names
    "ask",  # whether it is there, how big it is
    "write",
    "other",  # an operand of a program that nothing here knows
]


class Filter(Struct, frozen=True, kw_only=True):
    """What a recursive program is told to keep of what it meets."""

    form: Literal["path", "name", "regex", "glob"]
    """``find -path``, ``find -name``, ``find -regex`` or ``fd``, ``rg -g``."""
    text: str
    ignore_case: bool = False
    searches: bool = False
    """Lines are looked for in what is kept, rather than names printed."""


class Touch(Struct, frozen=True, kw_only=True):
    kind: TouchKind
    word: str
    """A path pattern as written, or a program's name for ``run``."""
    cwd: str
    program: str
    filter: Filter | None = None
    args: tuple[str, ...] = ()
    """The program's own arguments, for ``run``."""
