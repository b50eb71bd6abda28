"""What a shell knows while it runs: its folder, its variables, its functions, the links it made."""

import posixpath
import unicodedata
from collections.abc import Mapping
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from harness.checks.shell.pattern import UNKNOWN, plain

if TYPE_CHECKING:
    from tree_sitter import Node

HOME = "/~"
"""Where ``~`` leads: to a place that is no part of any world."""
NOWHERE = "/~new"
"""A folder made a moment ago, with nothing in it."""
_MAX_LINKS = 16


class Variable(Struct, frozen=True, kw_only=True):
    values: tuple[str, ...]
    """Patterns; several where a loop or an array gives several."""
    expanded: bool = False
    """The values are what a glob stands for, so quoting them later changes nothing."""


class Scope(Struct, kw_only=True):
    """The state of one shell; ``fork`` for a subshell."""

    cwd: str
    """As a pattern, like every path here."""
    root: str
    """The world: where the first command of the conversation started."""
    oldcwd: str = ""
    stack: tuple[str, ...] = ()
    variables: dict[str, Variable] = field(default_factory=dict)
    functions: "dict[str, Node]" = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)
    """Absolute path of a symbolic link -> where it leads; shared by every fork, as the file system is."""
    failed_folders: frozenset[str] = frozenset()
    """Arguments of ``cd`` that the result shows to have failed."""
    depth: int = 0

    def fork(self) -> "Scope":
        return replace(self, variables=dict(self.variables), functions=dict(self.functions))

    def enter(self, word: str | None) -> None:
        """``cd word``."""
        if word is None:
            target = HOME
        elif plain(word) in self.failed_folders or word == UNKNOWN:
            # An unset variable makes ``cd ""``, which stays; nobody assigned this one.
            return
        elif word == "-":
            target = self.oldcwd or self.cwd
        else:
            target = resolve(word, self.cwd, self.root, self.links)
        self.oldcwd, self.cwd = self.cwd, target


def resolve(word: str, cwd: str, root: str, links: Mapping[str, str]) -> str:
    """``word`` as an absolute, normalised path pattern, links followed.

    A leading part that nobody knows (``$REPO/docs/x``) is taken for the world: such variables mostly hold it.
    """
    word = unicodedata.normalize("NFC", word)
    if word == "~" or word.startswith("~/"):
        word = HOME + word[1:]
    elif word.startswith(UNKNOWN + "/"):
        word = root + word[len(UNKNOWN) :]
    path = posixpath.normpath(posixpath.join(cwd, word)) if word else cwd
    path = "/" + path.lstrip("/")
    for _ in range(_MAX_LINKS):
        link = next((k for k in links if path == k or path.startswith(k.rstrip("/") + "/")), None)
        if link is None:
            break
        path = posixpath.normpath(links[link] + path[len(link) :])
    return path
