"""Programs written in the command line (python -c, node -e): which path literals they open."""

import ast
import re
from collections.abc import Iterator

from harness.checks.shell.pattern import UNKNOWN, quote
from harness.checks.shell.touch import Touch, TouchKind
from harness.checks.shell.wrappers import Script

_OPENS = frozenset({"open", "fileinput", "loadtxt", "getline", "input", "read_csv"})
_READS = frozenset({"read_text", "read_bytes", "open", "readlines", "read"})
_LISTS = frozenset({"listdir", "scandir", "walk", "glob", "iglob", "rglob", "iterdir"})
_ASKS = frozenset({"exists", "is_file", "is_dir", "isfile", "isdir", "stat", "getsize"})
_WRITES = frozenset({"write_text", "write_bytes", "touch", "unlink", "rmtree", "remove", "rename", "replace"})
_PATHS = frozenset({"Path", "PurePath", "PosixPath"})
_OTHER = re.compile(
    r"""\b(?P<verb>readFileSync|readFile|readdirSync|readdir|createReadStream|File\.read|IO\.read|File\.open|open|slurp
    |Dir\.glob|Dir\.entries|glob|writeFileSync|writeFile|File\.write|Deno\.readTextFile|Bun\.file)\s*\(?\s*
    (?:[\w\\$]+\s*,\s*)?(?:["']<["']\s*,\s*)?(?P<quote>["'`])(?P<path>[^"'`\n]{1,400})(?P=quote)""",
    re.VERBOSE,
)


def inline(script: Script) -> Iterator[Touch]:
    """Touches of a script in a language that is not the shell's."""
    if script.language == "python":
        try:
            tree = ast.parse(script.text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            yield from _by_words(script)
            return
        yield from _Python(script).touches(tree)
    else:
        yield from _by_words(script)


def _by_words(script: Script) -> Iterator[Touch]:
    for found in _OTHER.finditer(script.text):
        verb = found["verb"].lower()
        kind: TouchKind = (
            "list" if "dir" in verb or "glob" in verb else "write" if "write" in verb else "read"
        )
        word = quote(found["path"]) if kind == "read" else found["path"]
        yield Touch(kind=kind, word=word, cwd=script.cwd, program="script")


class _Python:
    """Follows path literals of a short Python program from where they stand to where they are opened."""

    def __init__(self, script: Script) -> None:
        self._cwd = script.cwd
        self._args = script.args
        self._names: dict[str, str] = {}

    def touches(self, tree: ast.AST) -> Iterator[Touch]:
        for node in ast.walk(tree):
            if (
                isinstance(node, ast.Assign)
                and len(node.targets) == 1
                and isinstance(node.targets[0], ast.Name)
            ):
                value = self._path(node.value)
                if value is not None:
                    self._names[node.targets[0].id] = value
        for node in ast.walk(tree):
            if isinstance(node, ast.Call):
                yield from self._call(node)

    def _call(self, node: ast.Call) -> Iterator[Touch]:
        function = node.func
        name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
        first = self._path(node.args[0]) if node.args else None
        owner = self._path(function.value) if isinstance(function, ast.Attribute) else None
        if owner is not None:
            kind = _kind(name, node, method=True)
            if kind is not None:
                below = "" if name not in ("glob", "rglob") or first is None else "/" + first
                yield Touch(kind=kind, word=owner + below, cwd=self._cwd, program=f"python {name}")
        elif first is not None and name not in _PATHS:
            kind = _kind(name, node, method=False)
            if kind is not None:
                yield Touch(kind=kind, word=first, cwd=self._cwd, program=f"python {name}")

    def _path(self, node: ast.expr) -> str | None:
        match node:
            case ast.Constant(value=str() as text):
                # Live wildcards stay live: only glob() gets them, and open() is never given any.
                return text.replace("\\", "\\\\")
            case ast.Name(id=name):
                return self._names.get(name)
            case ast.BinOp(left=left, op=ast.Div() | ast.Add() as op, right=right):
                ends = self._path(left), self._path(right)
                if ends[0] is None:
                    return None
                return ends[0] + ("/" if isinstance(op, ast.Div) else "") + (ends[1] or UNKNOWN)
            case ast.JoinedStr(values=parts):
                known = [self._path(p) if isinstance(p, ast.Constant) else UNKNOWN for p in parts]
                return "".join(k or UNKNOWN for k in known)
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=args) if args and (
                name in _PATHS or name == "join"
            ):
                return "/".join(self._path(a) or UNKNOWN for a in args)
            case ast.Subscript(value=ast.Attribute(attr="argv"), slice=ast.Constant(value=int() as at)):
                return self._args[at - 1] if 0 < at <= len(self._args) else None
            case _:
                return None


def _kind(name: str, node: ast.Call, *, method: bool) -> TouchKind | None:
    if name in _LISTS:
        return "list"
    if name in _ASKS:
        return "ask"
    if name in _WRITES and (method or name in ("rmtree", "remove", "unlink")):
        return "write" if name not in ("replace", "rename") or not method else None
    if name == "open" or (name in _READS if method else name in _OPENS):
        mode = node.args[0 if method else 1] if len(node.args) > (0 if method else 1) else None
        mode = next((k.value for k in node.keywords if k.arg == "mode"), mode)
        text = mode.value if isinstance(mode, ast.Constant) and isinstance(mode.value, str) else "r"
        return "write" if name == "open" and set(text) & set("wax") else "read"
    return None
