"""Options told from operands, the way getopt does."""

from collections.abc import Sequence

from msgspec import Struct

from harness.checks.shell.pattern import plain


class Arguments(Struct, frozen=True, kw_only=True):
    options: tuple[tuple[str, str], ...]
    """Each option's name (``-n``, ``--glob``) and its value or ''."""
    operands: tuple[str, ...]

    def has(self, *names: str) -> bool:
        return any(name in names for name, _ in self.options)

    def values(self, *names: str) -> tuple[str, ...]:
        return tuple(value for name, value in self.options if name in names)


def split(
    words: Sequence[str], *, short: str = "", long: Sequence[str] = (), leading: bool = False
) -> Arguments:
    """Options and operands of ``words``; ``short`` and ``long`` name the options that take a value.

    With ``leading`` the first operand ends the options, as in ``timeout 5 cat -n f``.
    """
    options: list[tuple[str, str]] = []
    operands: list[str] = []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word == "--":
            operands += rest
            break
        if not word.startswith("-") or word == "-":
            operands.append(word)
            if leading:
                operands += rest
                break
        elif word.startswith("--"):
            name, mark, value = word.partition("=")
            if not mark and name in long and rest:
                value = rest.pop(0)
            options.append((name, value))
        else:
            options += _cluster(word, rest, short, long)
    return Arguments(options=tuple(options), operands=tuple(operands))


def _cluster(word: str, rest: list[str], short: str, long: Sequence[str]) -> list[tuple[str, str]]:
    if word in long:
        return [(word, rest.pop(0) if rest else "")]
    found: list[tuple[str, str]] = []
    for at, letter in enumerate(plain(word)[1:], 2):
        if letter in short:
            value = plain(word)[at:]
            found.append(("-" + letter, value or (rest.pop(0) if rest else "")))
            break
        found.append(("-" + letter, ""))
    return found
