"""Programs that change the shell itself (cd, read, set), and what some well-known ones print."""

from collections.abc import Sequence

from harness.checks.shell.execution import Execution
from harness.checks.shell.pattern import UNKNOWN, plain
from harness.checks.shell.scope import NOWHERE, Scope, Variable, resolve


def obey(argv: list[str], scope: Scope) -> None:
    """What running ``argv`` leaves different in ``scope``."""
    while len(argv) > 1 and argv[0] in ("builtin", "command"):
        argv = argv[1:]
    operands = [w for w in argv[1:] if w == "-" or not w.startswith("-")]
    match argv[:1]:
        case ["cd"]:
            scope.enter(operands[0] if operands else None)
        case ["pushd"]:
            scope.stack = (*scope.stack, scope.cwd)
            scope.enter(operands[0] if operands else "-")
        case ["popd"] if scope.stack:
            scope.cwd, scope.stack = scope.stack[-1], scope.stack[:-1]
        case ["ln"] if len(operands) == 2:
            link = resolve(operands[1], scope.cwd, scope.root, scope.links)
            folder = link.rsplit("/", 1)[0] or "/"
            scope.links[link] = resolve(operands[0], folder, scope.root, scope.links)
        case ["read" | "mapfile" | "readarray"]:
            for name in operands:
                scope.variables[name] = Variable(values=(UNKNOWN,))
        case ["set"] if "--" in argv:
            set_positional(argv[argv.index("--") + 1 :], scope)


def set_positional(values: Sequence[str], scope: Scope) -> None:
    """``$1``, ``$2``, … and ``$@``."""
    for number, value in enumerate(values, 1):
        scope.variables[str(number)] = Variable(values=(value,), expanded=True)
    scope.variables["@"] = scope.variables["*"] = Variable(values=tuple(values) or ("",), expanded=True)


def printed(ran: Sequence[Execution], scope: Scope) -> str:
    """What a substitution prints, for the few programs whose output their words tell."""
    if len(ran) != 1:
        return UNKNOWN
    last = ran[0].argv[-1] if ran[0].argv else ""
    match [plain(w) for w in ran[0].argv]:
        case ["pwd", *_]:
            return ran[0].cwd
        case ["git", "rev-parse", "--show-toplevel"]:
            return scope.root
        case ["which", _] | ["command", "-v", _] | ["type", "-p" | "-P", _]:
            return last
        case ["echo", _] | ["printf", _] | ["printf", "%s" | "%s\n" | "%s\\n", _]:
            return last
        case ["realpath" | "readlink", *_, _]:
            return last
        case ["mktemp", *_]:
            return NOWHERE
        case _:
            return UNKNOWN
