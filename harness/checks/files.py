"""The world as a run left it, seen through its fixture and its changes, and what a rule asks of its files."""

import os
import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from msgspec import Struct

from harness.checks.shell.pattern import braces
from harness.errors import UserError
from harness.model.change import Change
from harness.model.check import Evidence
from harness.model.scenario import FileRule
from harness.world.small_tree import SmallTree, small_tree

_PIECE = re.compile(r"/?\*\*/|/?\*\*$|\*+|\?|\[[!^]?\]?[^\]]*\]|\\.|.", re.DOTALL)


class WorldView(Struct, frozen=True, kw_only=True, dict=True):
    """Read-only: a fixture overlaid by changes, for verdicts made again when the world is gone."""

    fixture: Path
    changes: tuple[Change, ...]

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """Files of the world, relative, sorted; ``.git`` is left out. Most verdicts ask for none."""
        small = self._small
        there = set(_files(self.fixture)) if small is None else _files_of(small, self.fixture)
        for change in self.changes:
            if change.kind == "deleted":
                there = {p for p in there if p != change.path and not p.startswith(change.path + "/")}
            elif change.type in ("file", "link"):
                there.add(change.path)
        return tuple(sorted(there))

    @cached_property
    def _small(self) -> SmallTree | None:
        return small_tree(self.fixture)

    def glob(self, pattern: str) -> list[str]:
        """Files whose path matches: ``*`` stays within a folder, ``**`` crosses folders, braces work."""
        regex = glob_regex(pattern)
        return [path for path in self.paths if regex.fullmatch(path)]

    def text(self, path: str) -> str | None:
        """The file's text; None where it is not there or not text."""
        if path not in self.paths:
            return None
        changed = next((c for c in self.changes if c.path == path and c.kind != "deleted"), None)
        if changed is not None:
            return changed.after
        try:
            if self._small is not None and path in self._small.contents:
                return _lines_of(self._small.contents[path])
            return (self.fixture / path).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            return None


def _lines_of(content: bytes) -> str:
    """As reading a file as text does, which makes one of all ends of lines."""
    return content.decode().replace("\r\n", "\n").replace("\r", "\n")


def _files_of(tree: SmallTree, root: Path) -> set[str]:
    """As ``_files``, without a walk."""
    plain = tree.contents.keys() | {path for path in tree.links if os.path.isfile(f"{root}/{path}")}  # noqa: PTH113
    return {path for path in plain if ".git" not in path.split("/")}


def _files(root: Path) -> Iterator[str]:
    """Relative paths of the files below; what stands in a ``.git`` is left out. A path object each would be slow."""
    for folder, folders, files in os.walk(root):
        if ".git" in folders:
            folders.remove(".git")
        below = folder[len(str(root)) :].strip("/")
        for name in files:
            path = f"{below}/{name}" if below else name
            if name != ".git" and os.path.isfile(f"{root}/{path}"):  # noqa: PTH113
                yield path


def glob_regex(pattern: str) -> re.Pattern[str]:
    """``pattern`` as a regular expression over a whole relative path."""
    return re.compile(
        "|".join(_regex(one) for one in braces(pattern.removeprefix("./").rstrip("/"))), re.DOTALL
    )


def _regex(pattern: str) -> str:
    parts: list[str] = []
    for piece in _PIECE.findall(pattern):
        if piece in ("**/", "/**/"):
            parts.append("(?:.*/)?" if piece == "**/" else "/(?:.*/)?")
        elif piece in ("/**", "**"):
            parts.append("/.*" if piece == "/**" else ".*")
        elif piece[0] == "*":
            parts.append("[^/]*")
        elif piece == "?":
            parts.append("[^/]")
        elif piece[0] == "[" and len(piece) > 2:
            negated = piece[1] in "!^"
            inside = piece[2:-1] if negated else piece[1:-1]
            parts.append("[" + ("^" if negated else "") + re.sub(r"([\\\[\]&|~])", r"\\\1", inside) + "]")
        else:
            parts.append(re.escape(piece[-1]))
    return "".join(parts)


def holds(rule: FileRule, world_files: WorldView) -> tuple[bool, Evidence]:
    """Whether ``rule`` holds of the world, and the line or the count that shows it."""
    paths = world_files.glob(rule.path)
    if rule.exists is not None:
        text = f"there: {', '.join(paths[:3])}" if paths else "no such file"
        return bool(paths) is rule.exists, Evidence(where=rule.path, text=text)
    wanted = rule.matches if rule.matches is not None else rule.lacks
    if wanted is None:
        raise UserError(f"the file rule for {rule.path} asks nothing: give it matches, lacks or exists")
    line = _first(wanted, paths, world_files)
    found = line is not None
    missing = Evidence(where=rule.path, text=f"none of {len(paths)} files matches /{wanted}/")
    return found is (rule.matches is not None), line or missing


def _first(wanted: str, paths: list[str], view: WorldView) -> Evidence | None:
    try:
        regex = re.compile(wanted, re.MULTILINE)
    except re.error as error:
        raise UserError(f"/{wanted}/ is no regular expression: {error}") from error
    for path in paths:
        text = view.text(path)
        found = regex.search(text) if text is not None else None
        if text is not None and found is not None:
            number = text.count("\n", 0, found.start()) + 1
            line = text.split("\n")[number - 1].strip()
            return Evidence(where=f"{path}:{number}", text=line[:300])
    return None
