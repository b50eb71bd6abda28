"""Command lines that no grammar accepts: their words as far as they can be told, for plain readers only."""

import re
from collections.abc import Iterator

from harness.checks.shell.execution import Execution
from harness.checks.shell.pattern import UNKNOWN, quote
from harness.checks.shell.programs import READERS
from harness.checks.shell.scope import Scope

_TOKEN = re.compile(
    r"""(?P<heredoc><<-?\s*['"]?(?P<mark>\w+)['"]?)|(?P<comment>(?<!\S)\#[^\n]*)|(?P<cut>\|\||&&|[;|&\n()])
    |(?P<space>[^\S\n]+)|(?P<redirect>\d*(?:<<<|>>|>\||[<>])(?:&\d)?)|(?P<single>'[^']*'?)
    |(?P<double>"(?:[^"\\]|\\.)*"?)|(?P<escape>\\.)|(?P<plain>[^\s'"\\;|&<>()]+)|(?P<rest>.)""",
    re.VERBOSE | re.DOTALL,
)
BELIEVED = READERS | {"ls", "grep", "rg", "sed", "awk", "tree", "find", "cd"}


def programs(text: str, scope: Scope) -> Iterator[Execution]:
    """The programs of ``text`` that can be believed; what stands inside an open quote is no program."""
    for words in _commands(text):
        while words and re.match(r"\w+=", words[0]):
            words.pop(0)
        name = words[0].rsplit("/", 1)[-1] if words else ""
        if name == "cd":
            scope.enter(words[1] if len(words) > 1 else None)
        elif name in BELIEVED:
            yield Execution(argv=tuple(words), cwd=scope.cwd)


def _commands(text: str) -> Iterator[list[str]]:
    words: list[str] = []
    current: str | None = None
    skip_next = False
    at = 0
    while found := _TOKEN.match(text, at):
        at, kind, token = found.end(), found.lastgroup or "", found.group()
        if found["heredoc"]:
            end = re.compile(rf"\n\s*{re.escape(found['mark'])}[ \t]*(?=\n|$)").search(text, at)
            line = text.find("\n", at)
            if line >= 0:
                text = text[:line] + (text[end.end() :] if end else "")
            continue
        if kind in ("cut", "space", "comment", "redirect"):
            if current is not None and not skip_next:
                words.append(current)
            skip_next = kind == "redirect" if current is None or kind == "redirect" else False
            current = None
            if kind == "cut":
                yield words
                words, skip_next = [], False
            continue
        current = (current or "") + _piece(kind, token)
    if current is not None and not skip_next:
        words.append(current)
    yield words


def _piece(kind: str, token: str) -> str:
    match kind:
        case "single" | "double":
            body = token[1:-1] if len(token) > 1 and token[-1] == token[0] else token[1:]
            return (
                re.sub(r"\$\w+|\$\{[^}]*\}", lambda _: UNKNOWN, quote(body))
                if kind == "double"
                else quote(body)
            )
        case "plain":
            return re.sub(r"\$\w+|\$\{[^}]*\}", lambda _: UNKNOWN, token)
        case _:
            return token
