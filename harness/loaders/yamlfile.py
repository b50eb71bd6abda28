"""A YAML file read key by key, each mistake noted with its line instead of raised."""

import difflib
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import yaml

from harness.model.problem import Problem

_Loader: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
T = TypeVar("T")


class YamlFile:
    """One file: its top mapping, and the problems met so far (shared by all readers of its parts)."""

    def __init__(self, path: Path, problems: list[Problem]) -> None:
        self.path = path
        self.problems = problems
        self.loader: yaml.SafeLoader | None = None

    def note(self, line: int, text: str) -> None:
        self.problems.append(Problem(path=self.path, line=line, text=text))

    def top(self) -> "MappingReader | None":
        """The file's mapping, or None after a problem was noted."""
        try:
            text = self.path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            why = error.strerror if isinstance(error, OSError) else "is not UTF-8 text"
            self.note(1, f"cannot be read ({why}); write it or correct the path")
            return None
        try:
            self.loader = _Loader(text)
            node = self.loader.get_single_node()
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            line = mark.line + 1 if mark is not None else 1
            self.note(line, f"is not valid YAML: {getattr(error, 'problem', error)}")
            return None
        if not isinstance(node, yaml.MappingNode):
            self.note(1, "must be a mapping of keys to values")
            return None
        return MappingReader(self, node, "")

    def value(self, node: yaml.Node) -> object:
        assert self.loader is not None
        try:
            made: object = self.loader.construct_object(node, deep=True)
        except (yaml.YAMLError, ValueError) as error:
            self.note(node.start_mark.line + 1, f"has a value that cannot be read: {error}")
            return None
        return made


def _kind(node: yaml.Node) -> str:
    if isinstance(node, yaml.MappingNode):
        return "a mapping"
    if isinstance(node, yaml.SequenceNode):
        return "a list"
    return f"{node.value!r}"


class MappingReader:
    """Reads the keys of one mapping; ``done`` reports those that nobody asked for."""

    def __init__(self, file: YamlFile, node: yaml.MappingNode, where: str) -> None:
        self.file = file
        self.line = node.start_mark.line + 1
        self.where = where
        self._nodes: dict[str, tuple[int, yaml.Node]] = {}
        self._asked: set[str] = set()
        for key, value in node.value:
            name = str(key.value)
            line = key.start_mark.line + 1
            if name in self._nodes:
                file.note(line, f"{where}{name} stands here a second time; keep one")
            self._nodes[name] = (line, value)

    def _take(self, key: str, required: bool) -> tuple[int, yaml.Node] | None:
        self._asked.add(key)
        found = self._nodes.get(key)
        if found is None or found[1].tag == "tag:yaml.org,2002:null":
            if required:
                self.file.note(self.line, f"{self.where}{key} is missing; add it")
            return None
        return found

    def has(self, key: str) -> bool:
        return key in self._nodes

    def line_of(self, key: str) -> int:
        return self._nodes[key][0] if key in self._nodes else self.line

    def note(self, key: str, text: str) -> None:
        self.file.note(self.line_of(key), f"{self.where}{key} {text}")

    def scalar(self, key: str, convert: Callable[[object], T | None], what: str, required: bool) -> T | None:
        found = self._take(key, required)
        if found is None:
            return None
        line, node = found
        made = convert(self.file.value(node)) if isinstance(node, yaml.ScalarNode) else None
        if made is None:
            self.file.note(line, f"{self.where}{key} must be {what}, not {_kind(node)}")
        return made

    def text(self, key: str, default: str | None = None) -> str:
        """Text as written; dates and numbers count as the text they are."""
        found = self._take(key, default is None)
        if found is None:
            return default or ""
        line, node = found
        if not isinstance(node, yaml.ScalarNode):
            self.file.note(line, f"{self.where}{key} must be text, not {_kind(node)}")
            return default or ""
        text = str(node.value)
        if default is None and not text.strip():
            self.file.note(line, f"{self.where}{key} is empty; write it")
        return text

    def flag(self, key: str, default: bool) -> bool:
        made = self.scalar(key, lambda v: v if isinstance(v, bool) else None, "true or false", False)
        return default if made is None else made

    def optional_flag(self, key: str) -> bool | None:
        return self.scalar(key, lambda v: v if isinstance(v, bool) else None, "true or false", False)

    def number(self, key: str, least: float = 0.0) -> float | None:
        """A number above ``least``."""

        def convert(value: object) -> float | None:
            good = isinstance(value, int | float) and not isinstance(value, bool) and value > least
            return float(value) if good and isinstance(value, int | float) and value == value else None

        return self.scalar(key, convert, f"a number above {least:g}", False)

    def whole(self, key: str, least: int = 1, required: bool = False) -> int | None:
        def convert(value: object) -> int | None:
            good = isinstance(value, int) and not isinstance(value, bool) and value >= least
            return value if good and isinstance(value, int) else None

        return self.scalar(key, convert, f"a whole number from {least}", required)

    def choice(self, key: str, allowed: tuple[str, ...], default: str | None = None) -> str:
        text = self.text(key, default)
        if text and text not in allowed:
            close = difflib.get_close_matches(text, allowed, 1)
            hint = f"; did you mean {close[0]}?" if close else ""
            self.note(key, f"must be one of {', '.join(allowed)}, not {text!r}{hint}")
            return default or allowed[0]
        return text or default or allowed[0]

    def texts(self, key: str, required: bool = False) -> tuple[str, ...] | None:
        """A list of texts (or one text)."""
        found = self._take(key, required)
        if found is None:
            return None
        line, node = found
        if isinstance(node, yaml.ScalarNode):
            return (str(node.value),)
        if isinstance(node, yaml.SequenceNode) and all(isinstance(n, yaml.ScalarNode) for n in node.value):
            return tuple(str(n.value) for n in node.value)
        self.file.note(line, f"{self.where}{key} must be a list of texts")
        return None

    def lists_of_texts(self, key: str) -> tuple[tuple[str, ...], ...]:
        rows: list[tuple[str, ...]] = []
        for line, node in self.items(key):
            if isinstance(node, yaml.ScalarNode):
                rows.append((str(node.value),))
            elif isinstance(node, yaml.SequenceNode):
                rows.append(tuple(str(n.value) for n in node.value if isinstance(n, yaml.ScalarNode)))
            else:
                self.file.note(line, f"{self.where}{key} must be a list of lists of texts")
        return tuple(rows)

    def mapping(self, key: str, required: bool = False) -> "MappingReader | None":
        found = self._take(key, required)
        if found is None:
            return None
        line, node = found
        if not isinstance(node, yaml.MappingNode):
            self.file.note(line, f"{self.where}{key} must be a mapping, not {_kind(node)}")
            return None
        return MappingReader(self.file, node, f"{self.where}{key}.")

    def items(self, key: str, required: bool = False) -> list[tuple[int, yaml.Node]]:
        found = self._take(key, required)
        if found is None:
            return []
        line, node = found
        if not isinstance(node, yaml.SequenceNode):
            self.file.note(line, f"{self.where}{key} must be a list, not {_kind(node)}")
            return []
        return [(n.start_mark.line + 1, n) for n in node.value]

    def mappings(self, key: str, required: bool = False) -> list["MappingReader"]:
        made: list[MappingReader] = []
        for place, (line, node) in enumerate(self.items(key, required)):
            if isinstance(node, yaml.MappingNode):
                made.append(MappingReader(self.file, node, f"{self.where}{key}[{place}]."))
            else:
                self.file.note(line, f"{self.where}{key}[{place}] must be a mapping, not {_kind(node)}")
        return made

    def data(self, key: str) -> object:
        """Any value, as plain Python data."""
        found = self._take(key, False)
        return None if found is None else self.file.value(found[1])

    def keys(self) -> tuple[str, ...]:
        return tuple(self._nodes)

    def done(self, *, also: tuple[str, ...] = ()) -> None:
        """Report every key that was never asked for, with the nearest one that exists."""
        known = self._asked | set(also)
        for name, (line, _) in self._nodes.items():
            if name in known:
                continue
            close = difflib.get_close_matches(name, sorted(known), 1, 0.5)
            hint = f"did you mean {close[0]}?" if close else f"known here: {', '.join(sorted(known))}"
            self.file.note(line, f"{self.where}{name} is not a known key; {hint}")
