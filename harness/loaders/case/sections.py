"""Markdown cut at its second-level headings, code fences kept whole."""

import difflib
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from msgspec import Struct

from harness.model.problem import Problem

_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})[ \t]*(.*)$")
_HEADING = re.compile(r"^##[ \t]+(.+?)[ \t]*#*[ \t]*$")


class Line(Struct, frozen=True):
    number: int
    text: str
    fenced: bool
    """Inside a code fence, or one of its two marks."""
    info: str = ""
    """What the opening mark says, such as ``sh``; only on that mark."""
    opens: bool = False


class Section(Struct, frozen=True):
    title: str
    line: int
    lines: tuple[Line, ...]

    @property
    def text(self) -> str:
        return "\n".join(line.text for line in self.lines).strip("\n")


def fenced_lines(text: str, first: int, path: Path, problems: list[Problem]) -> Iterator[Line]:
    """The lines of ``text``, numbered from ``first``, each marked as inside a fence or not.

    A fence ends at a mark of the same character that is at least as long and says nothing more.
    """
    fence, opened_at = "", first
    for number, line in enumerate(text.split("\n"), first):
        mark = _FENCE.match(line)
        if not fence and mark and not (mark[1][0] == "`" and "`" in mark[2]):
            fence, opened_at = mark[1], number
            yield Line(number, line, True, mark[2].strip(), True)
        elif fence and mark and mark[1].startswith(fence) and not mark[2].strip():
            fence = ""
            yield Line(number, line, True)
        else:
            yield Line(number, line, bool(fence))
    if fence:
        problems.append(
            Problem(path=path, line=opened_at, text=f"opens a code fence {fence} that never ends")
        )


def _titled(heading: str, known: Iterable[str]) -> str:
    """The heading without a remark in brackets after it."""
    bare = re.sub(r"\s*\(.*\)$", "", heading)
    return bare if bare in known else heading


def split_sections(
    text: str, first: int, known: tuple[str, ...], path: Path, problems: list[Problem]
) -> dict[str, Section]:
    """The known sections by title; text before the first, unknown and doubled headings are problems."""

    def note(line: int, what: str) -> None:
        problems.append(Problem(path=path, line=line, text=what))

    found: dict[str, Section] = {}
    title, start, body = "", first, list[Line]()

    def close() -> None:
        if title in found:
            note(start, f"a second '## {title}'; the first stands in line {found[title].line}, keep one")
        elif title in known:
            found[title] = Section(title, start, tuple(body))

    for line in fenced_lines(text, first, path, problems):
        heading = None if line.fenced else _HEADING.match(line.text)
        if heading:
            close()
            title, start, body = _titled(heading[1], known), line.number, []
            if title not in known:
                close_to = difflib.get_close_matches(title, known, 1)
                hint = f"did you mean '## {close_to[0]}'?" if close_to else f"known: {', '.join(known)}"
                note(start, f"'## {title}' is not a section of a case; {hint}")
        else:
            if not title and line.text.strip():
                note(line.number, "text before the first '## ' section belongs to none; move or delete it")
                title = "\0"
            body.append(line)
    close()
    return found
