"""Whether the evidence that a grader gives is there: files that exist, lines in range, words that occur."""

import re
from collections.abc import Iterator, Mapping

from msgspec import Struct

from harness.model.judge import Output

_FILE = re.compile(
    r"(?<![\w/.@-])((?:[\w.@+-]+/)*[\w@+-][\w.@+-]*\.[A-Za-z][A-Za-z0-9]{0,9}|(?:[\w.@+-]+/)+[\w.@+-]+)"
    r"(?::(\d+)(?:-(\d+))?)?(?![\w(])"
)
_QUOTES = re.compile(r"\"([^\"\n]{2,})\"|“([^”\n]{2,})”|`([^`\n]{2,})`|(?<!\w)'([^'\n]{6,})'(?!\w)")
_ABBREVIATIONS = frozenset({"e.g", "i.e", "etc.", "vs.", "a.k.a"})
MESSAGE_NAMES = frozenset({"output.md", "final message", "final_message.md"})


class Citation(Struct, frozen=True):
    path: str
    first: int | None
    last: int | None


def _citations(evidence: str) -> Iterator[Citation]:
    for found in _FILE.finditer(evidence):
        path, first, last = found[1].rstrip("."), found[2], found[3]
        if path.lower() not in _ABBREVIATIONS:
            yield Citation(path, int(first) if first else None, int(last or first) if first else None)


def _resolve(path: str, files: Mapping[str, str]) -> str | None:
    """The file that a citation means: by its path, below ``outputs/``, or by a name that only one has."""
    for name in (path, path.removeprefix("./"), path.removeprefix("outputs/")):
        if name in files:
            return name
    ends = [name for name in files if name.endswith(f"/{path}")]
    return ends[0] if len(ends) == 1 else None


def _flat(text: str) -> str:
    return " ".join(text.split())


def _lines(text: str) -> int:
    return len(text.removesuffix("\n").split("\n")) if text else 0


def _looks_certain(citation: Citation) -> bool:
    """Surely a file, rather than a word with a dot in it such as ``console.log``."""
    return citation.first is not None or "/" in citation.path


def refuted(evidence: str, output: Output) -> str:
    """Why this evidence does not hold for a passed expectation, or ''."""
    files = {**output.files, **dict.fromkeys(MESSAGE_NAMES, output.message)}
    quotes = [next(g for g in m.groups() if g) for m in _QUOTES.finditer(evidence)]
    bare = _QUOTES.sub(lambda m: m[0] if _FILE.fullmatch(m[0][1:-1]) else " ", evidence)
    solid = 0
    for citation in _citations(bare):
        name = _resolve(citation.path, files)
        if name is None:
            if _looks_certain(citation):
                return f"it cites {citation.path}, which is not among the outputs"
            continue
        solid += 1
        count = _lines(files[name])
        last = citation.last or citation.first
        if citation.first is not None and not (1 <= citation.first <= (last or 0) <= count):
            return f"it cites line {last} of {name}, which has {count}"
    everything = _flat("\n".join([output.message, *output.files.values(), *output.files]))
    for quote in quotes:
        if _resolve(quote.partition(":")[0], files) is not None or _FILE.fullmatch(quote):
            continue
        if _flat(quote) not in everything:
            return f"it quotes {quote[:60]!r}, which stands in no output"
        solid += 1
    return "" if solid else "it cites no file and quotes nothing of the outputs"
