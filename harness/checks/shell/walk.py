"""From a syntax tree to the programs that it starts, in order, with the folder each starts in."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from harness.checks.shell.builtins import obey, printed, set_positional
from harness.checks.shell.execution import Execution
from harness.checks.shell.grammar import text_of
from harness.checks.shell.pattern import UNKNOWN, plain
from harness.checks.shell.scope import Scope, Variable
from harness.checks.shell.words import expand

if TYPE_CHECKING:
    from tree_sitter import Node

_MAX_DEPTH = 20
_MAX_PROGRAMS = 2_000
_PRINTERS = frozenset({"echo", "printf", "ls", "find", "fd", "fdfind"})
_ISOLATED = frozenset({"subshell", "command_substitution", "process_substitution"})


class Streams(Struct, frozen=True, kw_only=True):
    """What the redirections around a statement connect it to."""

    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    stdin: str | None = None
    piped: bool = False
    fed: tuple[str, ...] = ()


_NO_STREAMS = Streams()


class Walk(Struct):
    """Collects the programs of one command line; ``scope`` is left as the line leaves the shell."""

    found: list[Execution] = field(default_factory=list)

    def visit(self, node: "Node", scope: Scope, streams: Streams = _NO_STREAMS) -> None:
        if len(self.found) >= _MAX_PROGRAMS:
            return
        match node.type:
            case "comment" | "heredoc_start" | "heredoc_end" | "heredoc_content" | "heredoc_redirect":
                return
            case "command" | "unset_command":
                self._command(node, scope, streams)
            case "redirected_statement":
                self._redirected(node, scope, streams)
            case "pipeline":
                self._pipeline(node.named_children, scope, streams)
            case "for_statement":
                self._loop(node, scope, streams)
            case "function_definition":
                self._define(node, scope)
            case "variable_assignment":
                self._assign(node, scope)
            case "test_command":
                words = [w for child in node.named_children for w in self._test_words(child, scope)]
                self._emit(("test", *words), scope, streams)
            case "file_redirect":
                self._emit((), scope, self._connect([node], scope, streams))
            case "word" | "string" | "concatenation" | "simple_expansion" | "expansion":
                expand(node, scope, self._substitute)
            case kind:
                inner = scope.fork() if kind in _ISOLATED else scope
                for child in node.named_children:
                    self.visit(child, inner, streams)

    def _emit(self, argv: Sequence[str], scope: Scope, streams: Streams) -> None:
        self.found.append(
            Execution(
                argv=tuple(argv),
                cwd=scope.cwd,
                reads=streams.reads,
                writes=streams.writes,
                stdin=streams.stdin,
                piped=streams.piped,
                fed=streams.fed,
            )
        )

    def _command(self, node: "Node", scope: Scope, streams: Streams) -> None:
        argv: list[str] = []
        redirects = [child for child in node.named_children if child.type.endswith("_redirect")]
        for child in node.named_children:
            if child.type == "variable_assignment":
                # ``X=1 program``: the program's own environment, never part of this line's expansions.
                self._assign(child, scope.fork())
            elif child.type == "command_name":
                argv += [w for name in child.named_children for w in expand(name, scope, self._substitute)]
            elif not child.type.endswith("_redirect"):
                argv += expand(child, scope, self._substitute)
        streams = self._connect(redirects, scope, streams)
        if argv and argv[0] in scope.functions and scope.depth < _MAX_DEPTH:
            self._call(argv, scope, streams)
            return
        self._emit(argv, scope, streams)
        obey(argv, scope)

    def _call(self, argv: list[str], scope: Scope, streams: Streams) -> None:
        body = scope.functions[argv[0]]
        kept = dict(scope.variables)
        set_positional(argv[1:], scope)
        scope.depth += 1
        self.visit(body, scope, streams)
        scope.depth -= 1
        for name in [n for n in scope.variables if n in "@*" or n.isdigit()]:
            del scope.variables[name]
        scope.variables.update({n: v for n, v in kept.items() if n in "@*" or n.isdigit()})

    def _define(self, node: "Node", scope: Scope) -> None:
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if name is not None and body is not None:
            scope.functions[text_of(name)] = body

    def _assign(self, node: "Node", scope: Scope) -> None:
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if name is None or name.type != "variable_name":
            return
        if value is None:
            variable = Variable(values=("",))
        elif value.type == "array":
            words = [w for child in value.named_children for w in expand(child, scope, self._substitute)]
            self._expanded(words, scope)
            variable = Variable(values=tuple(words) or ("",), expanded=True)
        else:
            variable = Variable(values=tuple(expand(value, scope, self._substitute)) or ("",))
        scope.variables[text_of(name)] = variable

    def _expanded(self, words: Sequence[str], scope: Scope) -> None:
        self.found.append(Execution(argv=tuple(words), cwd=scope.cwd, listing=True))

    def _loop(self, node: "Node", scope: Scope, streams: Streams) -> None:
        variable = node.child_by_field_name("variable")
        words: list[str] = []
        for value in node.children_by_field_name("value"):
            words += expand(value, scope, self._substitute)
        self._expanded(words, scope)
        if variable is not None:
            scope.variables[text_of(variable)] = Variable(values=tuple(words) or (UNKNOWN,), expanded=True)
        body = node.child_by_field_name("body")
        if body is not None:
            self.visit(body, scope, streams)

    def _pipeline(self, stages: Sequence["Node"], scope: Scope, streams: Streams) -> None:
        for stage in stages:
            start = len(self.found)
            self.visit(stage, scope.fork() if len(stages) > 1 else scope, streams)
            last = self.found[-1] if len(self.found) > start else None
            fed = last.argv[1:] if last is not None and last.program in _PRINTERS else ()
            streams = Streams(piped=True, fed=tuple(w for w in fed if not w.startswith("-")))

    def _redirected(self, node: "Node", scope: Scope, streams: Streams) -> None:
        body = node.child_by_field_name("body")
        redirects = node.children_by_field_name("redirect")
        after: list[Node] = []
        for redirect in redirects:
            if redirect.type == "heredoc_redirect":
                # The grammar hangs what follows ``<<EOF`` on the same line below the redirection.
                after += [
                    c
                    for c in redirect.named_children
                    if not c.type.startswith("heredoc_") or c.type == "heredoc_body"
                ]
        inner = [c for c in after if c.type.endswith("_redirect")]
        connected = self._connect([*redirects, *inner], scope, streams)
        rest = [c for c in after if not c.type.endswith("_redirect")]
        pipes = [c for c in rest if c.type == "pipeline"]
        if body is None:
            self._emit((), scope, connected)
        elif pipes:
            start = len(self.found)
            self.visit(body, scope.fork(), connected)
            text = connected.stdin if start < len(self.found) and self.found[-1].program == "cat" else None
            self._pipeline_after(pipes[0], scope, Streams(piped=True, stdin=text))
        elif body.type in ("list", "pipeline") and body.named_children:
            # A redirection belongs to the last command of ``a && b > f``.
            self._last_redirected(body, scope, streams, connected)
        else:
            self.visit(body, scope, connected)
            if not body.type.endswith("command"):
                self._emit((), scope, replace(connected, stdin=None))
        for node_after in rest:
            if node_after.type != "pipeline":
                self.visit(node_after, scope, Streams())

    def _pipeline_after(self, node: "Node", scope: Scope, first: Streams) -> None:
        for number, stage in enumerate(node.named_children):
            self.visit(stage, scope.fork(), first if number == 0 else Streams(piped=True))

    def _last_redirected(self, body: "Node", scope: Scope, streams: Streams, connected: Streams) -> None:
        if body.type == "pipeline":
            self._pipeline(body.named_children, scope, streams)
            self._emit((), scope, replace(connected, stdin=None))
            return
        for child in body.named_children[:-1]:
            self.visit(child, scope, streams)
        self.visit(body.named_children[-1], scope, connected)

    def _connect(self, redirects: Sequence["Node"], scope: Scope, streams: Streams) -> Streams:
        for node in redirects:
            operator = next((text_of(c) for c in node.children if not c.is_named), "")
            if node.type == "heredoc_redirect":
                streams = replace(streams, stdin=self._heredoc(node, scope))
            elif node.type == "herestring_redirect" or operator == "<<<":
                words = [w for c in node.named_children for w in expand(c, scope, self._substitute)]
                streams = replace(streams, stdin=plain(" ".join(words)))
            else:
                targets = node.children_by_field_name("destination")
                words = [w for c in targets for w in expand(c, scope, self._substitute)]
                if operator.endswith("&") and all(w.isdigit() or w == "-" for w in words):
                    continue
                if operator.startswith("<"):
                    streams = replace(streams, reads=(*streams.reads, *words))
                if ">" in operator:
                    streams = replace(streams, writes=(*streams.writes, *words))
        return streams

    def _heredoc(self, node: "Node", scope: Scope) -> str | None:
        for child in node.named_children:
            if child.type == "heredoc_body":
                for part in child.named_children:
                    if part.type in ("command_substitution", "expansion", "string"):
                        self.visit(part, scope)
                return text_of(child)
        return None

    def _test_words(self, node: "Node", scope: Scope) -> list[str]:
        if node.type in ("word", "string", "raw_string", "concatenation", "simple_expansion", "expansion"):
            return expand(node, scope, self._substitute)
        if node.type in _ISOLATED:
            return [self._substitute(node, scope)]
        return [w for child in node.named_children for w in self._test_words(child, scope)]

    def _substitute(self, node: "Node", scope: Scope) -> str:
        start, inner = len(self.found), scope.fork()
        inner.depth += 1
        if inner.depth > _MAX_DEPTH:
            return UNKNOWN
        for child in node.named_children:
            self.visit(child, inner)
        return printed(self.found[start:], scope) if node.type == "command_substitution" else UNKNOWN
