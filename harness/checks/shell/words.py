"""Words of a syntax tree to the patterns that the shell would hand to a program."""

import re
from collections.abc import Callable
from itertools import product
from typing import TYPE_CHECKING

from harness.checks.shell.grammar import text_of
from harness.checks.shell.pattern import MAX_WORDS, SPLIT, UNKNOWN, braces, plain, quote
from harness.checks.shell.scope import Scope

if TYPE_CHECKING:
    from tree_sitter import Node

Substitute = Callable[["Node", Scope], str]
"""Runs a command or process substitution and gives what it prints, as far as that is known, as a pattern."""

_ANSI = re.compile(r"\\(x[0-9a-fA-F]{1,2}|[0-7]{1,3}|u[0-9a-fA-F]{1,4}|.)", re.DOTALL)
_ANSI_NAMED = {"n": "\n", "t": "\t", "r": "\r"}
_EXPANSION = re.compile(r"\$\{[!#]?(?P<name>\w+|@|\*)(?:\[[^\]]*\])?(?P<op>.*)\}$", re.DOTALL)
_LENGTH = re.compile(r"\$\{#")


def expand(node: "Node", scope: Scope, substitute: Substitute) -> list[str]:
    """The patterns that the word at ``node`` becomes: several by braces, splitting, loops and arrays."""
    pieces = _pieces(node, scope, substitute, quoted=False)
    found: list[str] = []
    for piece in pieces:
        for word in braces(piece):
            found += [part for part in word.split(SPLIT) if part] if SPLIT in word else [word]
    return found[:MAX_WORDS]


def _pieces(node: "Node", scope: Scope, substitute: Substitute, *, quoted: bool) -> list[str]:
    match node.type:
        case "concatenation" | "string":
            return _joined(node, scope, substitute, quoted=quoted or node.type == "string")
        case "raw_string":
            return [quote(text_of(node)[1:-1])]
        case "ansi_c_string":
            return [quote(_ANSI.sub(_ansi, text_of(node)[2:-1]))]
        case "translated_string":
            return (
                _pieces(node.named_children[0], scope, substitute, quoted=True)
                if node.named_children
                else [""]
            )
        case "string_content":
            return [quote(re.sub(r"\\([\\\"$`\n])", lambda m: m.group(1).strip("\n"), text_of(node)))]
        case "simple_expansion" | "expansion":
            _run_inside(node, scope, substitute)
            return _variable(text_of(node), scope, quoted=quoted)
        case "command_substitution" | "process_substitution":
            return [substitute(node, scope)]
        case "arithmetic_expansion":
            _run_inside(node, scope, substitute)
            return [UNKNOWN]
        case _:
            return [text_of(node).replace("\\\n", "")]


def _joined(node: "Node", scope: Scope, substitute: Substitute, *, quoted: bool) -> list[str]:
    # White space between the parts of a string belongs to no child node: the gaps are read from the source.
    source = node.text or b""
    parts: list[list[str]] = []
    at = node.start_byte + (1 if node.type == "string" else 0)
    end = node.end_byte - (1 if node.type == "string" else 0)
    for child in node.named_children:
        parts.append([quote(_between(source, node.start_byte, at, child.start_byte))])
        parts.append(_pieces(child, scope, substitute, quoted=quoted))
        at = child.end_byte
    parts.append([quote(_between(source, node.start_byte, at, end))])
    alternatives = product(*(part[:MAX_WORDS] or [""] for part in parts))
    return ["".join(chosen) for chosen, _ in zip(alternatives, range(MAX_WORDS), strict=False)]


def _between(source: bytes, offset: int, start: int, end: int) -> str:
    return source[max(start - offset, 0) : max(end - offset, 0)].decode("utf-8", "replace")


def _run_inside(node: "Node", scope: Scope, substitute: Substitute) -> None:
    for child in node.named_children:
        if child.type in ("command_substitution", "process_substitution"):
            substitute(child, scope)
        else:
            _run_inside(child, scope, substitute)


def _ansi(found: re.Match[str]) -> str:
    code = found.group(1)
    if code[0] in "xu" and len(code) > 1:
        return chr(int(code[1:], 16))
    if code[0] in "01234567":
        return chr(int(code, 8) & 0xFF)
    return _ANSI_NAMED.get(code, code)


def _variable(source: str, scope: Scope, *, quoted: bool) -> list[str]:
    if _LENGTH.match(source):
        return [UNKNOWN]
    found = _EXPANSION.match(source)
    name, operation = (found["name"], found["op"]) if found else (source.lstrip("$"), "")
    special = {"PWD": scope.cwd, "OLDPWD": scope.oldcwd, "CLAUDE_PROJECT_DIR": scope.root, "HOME": "~"}.get(
        name
    )
    variable = scope.variables.get(name)
    if variable is None and special is not None:
        return [special]
    if variable is None:
        if operation[:2] in (":-", ":=") or operation[:1] in ("-", "="):
            return [quote(operation.lstrip(":")[1:].strip("\"'"))]
        return [UNKNOWN]
    values = [_operate(v, operation) for v in variable.values]
    if variable.expanded:
        return values
    if quoted:
        return [quote(plain(v)) for v in values]
    return [re.sub(r"\s+", SPLIT, re.sub(r"([\\{},~])", r"\\\1", plain(v))) for v in values]


def _operate(value: str, operation: str) -> str:
    """``${x%…}`` and ``${x#…}`` for the ends people cut off; other operations give text nobody knows."""
    match operation:
        case "" | "%/":
            return value.rstrip("/") if operation else value
        case "##*/":
            return value.rsplit("/", 1)[-1]
        case "%/*":
            return value.rsplit("/", 1)[0]
        case "#./":
            return value.removeprefix("./")
        case _ if operation[0] in ":-=+?" and not re.match(r":\s*-?\d", operation):
            return value
        case _ if operation.startswith("%") and "*" not in operation:
            return value.removesuffix(operation.lstrip("%"))
        case _:
            return UNKNOWN
