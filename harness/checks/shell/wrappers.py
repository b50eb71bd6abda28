"""Programs whose work is to start another one: env, timeout, xargs, bash -c and their kin."""

import re
from collections.abc import Iterator
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from harness.checks.shell.execution import Execution
from harness.checks.shell.options import split
from harness.checks.shell.pattern import UNKNOWN, plain, quote

SHELLS = frozenset({"bash", "sh", "zsh", "dash", "ksh", "ash"})
INTERPRETER = re.compile(r"(python|pypy)[\d.]*$|(node|deno|bun|ruby|perl)$")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_FILES_END = (";", "+")


class Script(Struct, frozen=True, kw_only=True):
    """Text of a program that stands in the command line itself."""

    language: Literal["shell", "python", "other"]
    text: str
    cwd: str
    args: tuple[str, ...] = ()


class Prefix(Struct, frozen=True, kw_only=True):
    """How a program that runs its own arguments reads its options."""

    short: str = ""
    long: tuple[str, ...] = ()
    operands: int = 0
    """Operands of its own before the program."""
    queries: tuple[str, ...] = ()
    """Options under which it only asks about the program."""
    subcommand: str = ""


PREFIXES: dict[str, Prefix] = {
    "sudo": Prefix(short="uUgGhpCTrtD", long=("--user", "--group", "--chdir"), queries=("-l", "-v", "-k")),
    "doas": Prefix(short="uC"),
    "nice": Prefix(short="n", long=("--adjustment",)),
    "ionice": Prefix(short="cnpPu", long=("--class", "--classdata")),
    "timeout": Prefix(short="sk", long=("--signal", "--kill-after"), operands=1),
    "gtimeout": Prefix(short="sk", operands=1),
    "stdbuf": Prefix(short="ioe", long=("--input", "--output", "--error")),
    "nohup": Prefix(),
    "setsid": Prefix(),
    "time": Prefix(short="fo"),
    "command": Prefix(queries=("-v", "-V")),
    "builtin": Prefix(),
    "exec": Prefix(short="a"),
    "coproc": Prefix(),
    "strace": Prefix(short="eopsSuEaPIbX"),
    "ltrace": Prefix(short="eopsSuaAnlFDx"),
    "unbuffer": Prefix(),
    "caffeinate": Prefix(short="tw"),
    "busybox": Prefix(),
    "chronic": Prefix(),
    "flock": Prefix(short="wEc", operands=1),
    "taskset": Prefix(operands=1),
    "chrt": Prefix(operands=1),
    "uv": Prefix(subcommand="run", long=("--with", "--python", "--project", "--directory"), short="p"),
    "poetry": Prefix(subcommand="run"),
    "pipenv": Prefix(subcommand="run"),
    "xvfb-run": Prefix(short="ens"),
}


def unwrap(e: Execution) -> Iterator[Execution | Script]:
    """What ``e`` starts in the end: itself where it wraps nothing."""
    name, args = e.program, e.argv[1:]
    if name in PREFIXES:
        yield from _prefix(e, PREFIXES[name])
    elif name == "env":
        yield from _env(e)
    elif name == "xargs":
        yield from _xargs(e)
    elif name == "parallel":
        marks = [i for i, w in enumerate(args) if w in (":::", "::::")]
        given = args[marks[0] + 1 :] if marks else e.fed
        command = split(args[: marks[0]] if marks else args, short="jnNI", leading=True).operands
        yield from unwrap(replace(e, argv=_filled(command, tuple(given), "{}")))
    elif name in ("watch", "eval"):
        words = split(args, short="nd", leading=True).operands if name == "watch" else args
        yield Script(language="shell", text=" ".join(map(plain, words)), cwd=e.cwd)
    elif name in ("source", "."):
        yield replace(e, argv=args)
    elif name in SHELLS:
        yield from _shell(e)
    elif INTERPRETER.match(name):
        yield from _interpreter(e)
    elif name == "su" and split(args, short="cs").values("-c", "--command"):
        yield Script(language="shell", text=plain(split(args, short="cs").values("-c")[0]), cwd=e.cwd)
    else:
        yield e


def _prefix(e: Execution, prefix: Prefix) -> Iterator[Execution | Script]:
    args = e.argv[1:]
    if prefix.subcommand:
        if args[:1] != (prefix.subcommand,):
            return
        args = args[1:]
    found = split(args, short=prefix.short, long=prefix.long, leading=True)
    rest = found.operands[prefix.operands :]
    if prefix.operands and rest[:1] == ("-c",):
        yield Script(language="shell", text=plain(" ".join(rest[1:])), cwd=e.cwd)
        return
    while rest and (_ASSIGNMENT.match(rest[0]) or rest[0] == "--"):
        rest = rest[1:]
    if not found.has(*prefix.queries) and (rest or e.reads or e.writes):
        yield from unwrap(replace(e, argv=rest))


def _env(e: Execution) -> Iterator[Execution | Script]:
    found = split(e.argv[1:], short="uCS", long=("--unset", "--chdir", "--split-string"), leading=True)
    for text in found.values("-S", "--split-string"):
        yield Script(language="shell", text=" ".join([plain(text), *map(plain, found.operands)]), cwd=e.cwd)
        return
    rest = found.operands
    while rest and (_ASSIGNMENT.match(rest[0]) or rest[0] == "-"):
        rest = rest[1:]
    folder = [*found.values("-C", "--chdir")]
    cwd = e.cwd if not folder else folder[-1] if folder[-1].startswith("/") else f"{e.cwd}/{folder[-1]}"
    if rest:
        yield from unwrap(replace(e, argv=rest, cwd=cwd))


def _xargs(e: Execution) -> Iterator[Execution | Script]:
    found = split(
        e.argv[1:],
        short="InLPsadE",
        long=("--replace", "--max-args", "--max-procs", "--arg-file"),
        leading=True,
    )
    marks = found.values("-I", "--replace")
    command = found.operands or ("echo",)
    fed = e.fed or (UNKNOWN,)
    argv = _filled(command, fed, marks[0]) if marks else (*command, *fed)
    yield from unwrap(replace(e, argv=argv, fed=(), piped=False))


def _filled(command: tuple[str, ...], given: tuple[str, ...], mark: str) -> tuple[str, ...]:
    """``command`` with ``mark`` replaced by each of ``given``, which go to the end where nothing holds it."""
    mark, given = plain(mark) or "{}", given or (UNKNOWN,)
    bare = [plain(w) for w in command]
    if not any(mark in w for w in bare):
        return (*command, *given)
    filled: list[str] = []
    for word, text in zip(command, bare, strict=True):
        before, found, after = text.partition(mark)
        filled += [quote(before) + g + quote(after) for g in given] if found else [word]
    return tuple(filled)


def _shell(e: Execution) -> Iterator[Execution | Script]:
    # ``-lc`` and ``-c`` alike: the text is the first operand.
    found = split(e.argv[1:], short="oO", long=("--rcfile", "--init-file"), leading=True)
    if found.has("-c"):
        if found.operands:
            text, args = plain(found.operands[0]), found.operands[1:]
            yield Script(language="shell", text=text, cwd=e.cwd, args=args[1:])
    elif found.operands and not found.has("-s"):
        yield replace(e, argv=found.operands)
    elif e.stdin is not None:
        yield Script(language="shell", text=e.stdin, cwd=e.cwd)
    elif e.fed:
        yield Script(language="shell", text=" ".join(map(plain, e.fed)), cwd=e.cwd)
    elif e.reads or e.writes:
        yield replace(e, argv=())


def _interpreter(e: Execution) -> Iterator[Execution | Script]:
    python = e.program.startswith(("python", "pypy"))
    flags = ("-c",) if python else ("-e", "-E", "-p", "--eval", "--print")
    short = "cmWX" if python else "eEprImMCF" if e.program == "node" else "eEICr"
    found = split(e.argv[1:], short=short, long=("--eval", "--print"), leading=True)
    texts = found.values(*flags)
    language: Literal["python", "other"] = "python" if python else "other"
    if texts:
        for text in texts:
            yield Script(language=language, text=plain(text), cwd=e.cwd, args=found.operands)
        if e.program in ("perl", "ruby"):
            yield replace(e, argv=(*e.argv[:1], *(n for n, _ in found.options), *found.operands))
    elif found.has("-m"):
        yield replace(e, argv=("python -m " + plain(found.values("-m")[0]), *found.operands))
    elif found.operands[:1] in ((), ("-",)):
        if e.stdin is not None:
            yield Script(language=language, text=e.stdin, cwd=e.cwd, args=found.operands[1:])
        elif e.reads or e.writes:
            yield replace(e, argv=())
    else:
        skip = 1 if e.program in ("deno", "bun") and found.operands[0] == "run" else 0
        yield replace(e, argv=found.operands[skip:])
