"""Where a path pattern lies in relation to the folders that a rule names."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from enum import IntEnum
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path

from msgspec import Struct, field

from harness.checks.shell.pattern import UNKNOWN, braces, is_glob, plain, quote
from harness.checks.shell.scope import resolve
from harness.checks.shell.touch import Filter
from harness.world.scan import scan

_CLASS = re.compile(r"\[[^\]]*\]")
_SUFFIX = re.compile(r"\.\w+$")
_ONLY_FILES = re.compile(r"\*+(\.\w+)?$")
_REMEMBERED = 4096
"""Components whose answer is kept: a run names the same few folders over and over."""
_DECOY, _SAMPLE = "zq9", "0001-sample.md"


class Place(IntEnum):
    """How near a pattern comes to a region; the greater, the nearer."""

    OUTSIDE = 0
    ABOVE = 1
    """A folder that holds the region, or a glob with nothing in it that aims at the region."""
    WIDE = 2
    """A glob that names the parent folder and takes in the region among its siblings (``docs/*/*.md``)."""
    INSIDE = 3


class Region(Struct, frozen=True, kw_only=True):
    """The paths that a rule's globs cover, below one or more absolute tops (names of the same world)."""

    heads: tuple[tuple[str, ...], ...]
    """Components of each top folder or file; below it everything belongs."""
    tops: tuple[int, ...]
    """How many components of each head are the world's own path."""
    links: Mapping[str, str]
    _found: dict[tuple[str, str, str], Place] = field(default_factory=dict)
    """Answers so far: a run names the same few files over and over."""

    def place(self, path: str) -> Place:
        """The place of an absolute path pattern, or of the nearest of its brace alternatives."""
        best = Place.OUTSIDE
        for one in braces(path):
            parts = tuple(p for p in one.replace(UNKNOWN, "*").split("/") if p)
            for head, top in zip(self.heads, self.tops, strict=True):
                best = max(best, _align(head, parts, top))
        return best

    def find(self, word: str, cwd: str, root: str) -> Place:
        """The place of ``word`` as written in the folder ``cwd``."""
        known = self._found.get((word, cwd, root))
        if known is None:
            places = (self.place(resolve(w, cwd, root, self.links)) for w in braces(word))
            known = self._found[word, cwd, root] = max(places, default=Place.OUTSIDE)
        return known

    def aim(self, start: str, cwd: str, root: str, kept: Filter) -> Place:
        """Where a recursive program that starts at ``start`` and keeps what ``kept`` says is aimed."""
        path = resolve(start, cwd, root, self.links)
        place = self.place(path)
        if place in (Place.OUTSIDE, Place.INSIDE):
            return place
        if kept.form == "glob":
            return self._aim_glob(path, kept.text)
        written = "." if start in ("", ".") else start.rstrip("/")
        depth = len([p for p in path.split("/") if p])
        return max((_aimed(written, [plain(c) for c in h[depth:]], kept) for h in self.heads), default=place)

    def _aim_glob(self, path: str, glob: str) -> Place:
        shut, text = glob.startswith("!"), glob.lstrip("!")
        if "/" not in text.rstrip("/"):
            text = "**/" + text
        place = self.place(path.rstrip("/") + "/" + text.removeprefix("./").strip("/"))
        if shut:
            return Place.OUTSIDE if place is Place.INSIDE else Place.ABOVE
        return place


def region(patterns: Sequence[str], tops: Sequence[str], links: Mapping[str, str]) -> Region:
    """The region of ``patterns``, globs relative to a world that is known under each name of ``tops``."""
    heads: list[tuple[str, ...]] = []
    counts: list[int] = []
    for top in dict.fromkeys(tops):
        world = tuple(quote(unicodedata.normalize("NFC", p)) for p in top.split("/") if p)
        for pattern in patterns:
            for one in braces(unicodedata.normalize("NFC", pattern)):
                parts = [p for p in one.split("/") if p and p != "."]
                while len(parts) > 1 and _ONLY_FILES.match(parts[-1]):
                    parts.pop()
                heads.append((*world, *parts))
                counts.append(len(world))
    return Region(heads=tuple(heads), tops=tuple(counts), links=links)


def links_of(world: Path, *, limit: int = 2_000) -> dict[str, str]:
    """Symbolic links inside ``world`` as relative path -> relative path of where they lead, within it."""
    root = world.resolve()
    links = sorted(path for path, about in scan(root).items() if about.type == "link")
    targets = {path: (root / path).resolve() for path in links[:limit]}
    return {p: t.relative_to(root).as_posix() for p, t in targets.items() if t.is_relative_to(root)}


def _align(head: Sequence[str], parts: Sequence[str], top: int) -> Place:
    """Lays ``parts`` along ``head``; ``**`` in either may take any number of components."""

    def walk(i: int, j: int, sharp: bool, near: bool) -> Place:
        # sharp: the head's last component was met by a word with letters of its own; near: its parent was.
        if i == len(head):
            if sharp:
                return Place.INSIDE
            if not near:
                return Place.ABOVE
            return Place.INSIDE if j < len(parts) and _stem(parts[-1]) and "**" not in parts else Place.WIDE
        if j == len(parts):
            return Place.ABOVE
        if head[i] == "**":
            return max(walk(i + 1, j, sharp, near), walk(i, j + 1, False, sharp and i > top))
        if parts[j] == "**":
            return max(walk(i, j + 1, sharp, near), walk(i + 1, j, False, sharp and i > top))
        if not _overlap(head[i], parts[j]):
            return Place.OUTSIDE
        return walk(i + 1, j + 1, _literal(parts[j]), sharp and i > top)

    return walk(0, 0, False, False) if len(parts) + len(head) < 60 else Place.OUTSIDE


@lru_cache(maxsize=_REMEMBERED)
def _literal(part: str) -> bool:
    return bool(re.search(r"\w", _CLASS.sub("", part)))


def _stem(part: str) -> bool:
    return _literal(_SUFFIX.sub("", part))


@lru_cache(maxsize=_REMEMBERED)
def _overlap(one: str, other: str) -> bool:
    if not is_glob(one) and not is_glob(other):
        return plain(one) == plain(other)
    if is_glob(one) and is_glob(other):
        return fnmatchcase(_example(one), _fn(other)) or fnmatchcase(_example(other), _fn(one))
    live, fixed = (one, other) if is_glob(one) else (other, one)
    return fnmatchcase(plain(fixed), _fn(live))


def _fn(pattern: str) -> str:
    """``pattern`` in the notation of fnmatch, which knows no backslash."""
    return re.sub(r"\\([*?\[])", r"[\1]", re.sub(r"\\([^*?\[])", r"\1", pattern))


def _example(pattern: str) -> str:
    return plain(_CLASS.sub("a", pattern).replace("*", "").replace("?", "a"))


def _aimed(written: str, below: Sequence[str], kept: Filter) -> Place:
    """Whether ``kept`` takes the region because of its name, takes it among others, or leaves it out."""
    if not below:
        return Place.INSIDE
    real, decoy = "/".join([written, *below]), "/".join([written, *below[:-1], _DECOY])
    matches = _matcher(kept)
    if kept.form == "name":
        if matches(below[-1]) and not matches(_DECOY):
            return Place.INSIDE
        return Place.ABOVE if matches(_SAMPLE) else Place.OUTSIDE
    pairs = [(real + end, decoy + end) for end in ("", "/", "/" + _SAMPLE)]
    if any(matches(r) and not matches(d) for r, d in pairs):
        return Place.INSIDE
    if kept.form == "path" and any(
        fnmatchcase(real + "/", kept.text[: m.end()]) and not fnmatchcase(decoy + "/", kept.text[: m.end()])
        for m in re.finditer("/", kept.text)
    ):
        return Place.INSIDE
    return Place.ABOVE if any(matches(r) for r, _ in pairs) else Place.OUTSIDE


class _matcher:  # noqa: N801 - used as the verb it is
    def __init__(self, kept: Filter) -> None:
        self._fold = kept.ignore_case
        text = kept.text.lower() if kept.ignore_case else kept.text
        self._text = text
        self._regex: re.Pattern[str] | None = None
        if kept.form == "regex":
            try:
                self._regex = re.compile(text, re.IGNORECASE)
            except (re.error, RecursionError, OverflowError):
                self._regex = re.compile(re.escape(text))

    def __call__(self, path: str) -> bool:
        path = path.lower() if self._fold else path
        return bool(self._regex.search(path)) if self._regex else fnmatchcase(path, self._text)
