"""A whole command line to the paths it touches: grammar, wrappers, scripts and programs put together."""

from collections.abc import Iterator

from harness.checks.shell.builtins import set_positional
from harness.checks.shell.execution import Execution
from harness.checks.shell.grammar import parse
from harness.checks.shell.inline import inline
from harness.checks.shell.pattern import SPLIT, UNKNOWN
from harness.checks.shell.programs import touches
from harness.checks.shell.scope import Scope
from harness.checks.shell.tolerant import programs
from harness.checks.shell.touch import Touch
from harness.checks.shell.walk import Walk
from harness.checks.shell.wrappers import Script, unwrap

_MAX_DEPTH = 6


def read(text: str, scope: Scope, depth: int = 0) -> Iterator[Touch]:
    """Every touch of the command line ``text``; ``scope.cwd`` is left where the line leaves the shell."""
    text = text.replace(UNKNOWN, "").replace(SPLIT, "").replace("\r\n", "\n")
    root = parse(text)
    if root is None:
        found = list(programs(text, scope))
    else:
        walk = Walk()
        walk.visit(root, scope)
        found = walk.found
    for execution in found:
        yield from _touched(execution, scope, depth)


def _touched(execution: Execution, scope: Scope, depth: int) -> Iterator[Touch]:
    if execution.listing:
        for touch in touches(execution, scope.root):
            if isinstance(touch, Touch):
                yield touch
        return
    for inner in unwrap(execution):
        if isinstance(inner, Script):
            yield from _redirections(execution, scope)
            yield from _script(inner, scope, depth)
            continue
        for touch in touches(inner, scope.root):
            if isinstance(touch, Touch):
                yield touch
            elif depth < _MAX_DEPTH:
                yield from _touched(touch, scope, depth + 1)


def _redirections(execution: Execution, scope: Scope) -> Iterator[Touch]:
    bare = Execution(argv=(), cwd=execution.cwd, reads=execution.reads, writes=execution.writes)
    yield from (touch for touch in touches(bare, scope.root) if isinstance(touch, Touch))


def _script(script: Script, scope: Scope, depth: int) -> Iterator[Touch]:
    if depth >= _MAX_DEPTH:
        return
    if script.language != "shell":
        yield from inline(script)
        return
    inner = scope.fork()
    inner.cwd = script.cwd
    if script.args:
        set_positional(script.args, inner)
    yield from read(script.text, inner, depth + 1)
