"""Which programs print, list, change or only ask about the files among their operands."""

from collections.abc import Callable, Iterator

from msgspec import Struct

from harness.checks.shell import search
from harness.checks.shell.execution import Execution
from harness.checks.shell.git import git
from harness.checks.shell.options import split
from harness.checks.shell.pattern import is_glob, plain
from harness.checks.shell.touch import Touch, TouchKind


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


READERS = _names(
    """cat tac nl less more head tail bat batcat view cut sort uniq column fold fmt pr paste join comm diff
    cmp sdiff colordiff delta strings xxd od hexdump base64 rev expand unexpand iconv glow mdcat pandoc
    zcat bzcat xzcat zless look tsort shuf mapfile readarray csvlook gunzip"""
)
_ASKERS = _names("wc stat file du md5sum sha1sum sha256sum shasum cksum realpath readlink mkdir test [")
_SILENT = _names(
    """cd pushd popd which type hash man whatis apropos help info tldr alias unalias unset export set true
    false sleep exit return basename dirname read wait kill trap umask ulimit jobs printenv"""
)
_WRITERS = _names("tee touch truncate rm rmdir unlink shred patch")
_SPEAKERS = frozenset({"echo", "printf", "print"})
_CHANGES_LAST = frozenset({"cp", "mv", "install", "rsync", "ln", "scp"})


class Scripted(Struct, frozen=True, kw_only=True):
    """A program whose first operand is a script, unless an option gives the script."""

    short: str
    script: tuple[str, ...]
    in_place: tuple[str, ...] = ()
    long: tuple[str, ...] = ()


_SCRIPTED = {
    "sed": Scripted(
        short="efl", script=("-e", "-f", "--expression", "--file"), in_place=("-i", "--in-place"),
        long=("--expression", "--file"),
    ),
    "awk": Scripted(short="fvFe", script=("-f", "-e", "--file", "--source")),
    "jq": Scripted(short="fL", script=("-f", "--from-file"), long=("--indent",)),
    "yq": Scripted(short="oOpI", script=("--from-file",), in_place=("-i", "--inplace")),
    "perl": Scripted(short="", script=("-e", "-E", "-n", "-p"), in_place=("-i",)),
    "ruby": Scripted(short="", script=("-e", "-n", "-p"), in_place=("-i",)),
}  # fmt: skip
_SCRIPTED |= {
    "gsed": _SCRIPTED["sed"],
    "gawk": _SCRIPTED["awk"],
    "mawk": _SCRIPTED["awk"],
    "nawk": _SCRIPTED["awk"],
}

_SPECIAL: dict[str, Callable[[Execution], Iterator[Touch | Execution]]] = {
    **dict.fromkeys(("grep", "egrep", "fgrep", "zgrep", "ggrep"), search.grep),
    **dict.fromkeys(("rg", "ag", "ack", "ugrep"), search.ripgrep),
    **dict.fromkeys(("fd", "fdfind"), search.fd),
    **dict.fromkeys(("ls", "dir", "vdir", "exa", "eza", "lsd", "gls"), search.ls),
    "find": search.find,
    "gfind": search.find,
    "tree": search.tree,
}


def touches(e: Execution, root: str) -> Iterator[Touch | Execution]:
    """What ``e`` does to the paths it names, and programs that it starts in turn."""
    yield from (Touch(kind="read", word=w, cwd=e.cwd, program="<") for w in e.reads)
    yield from (Touch(kind="write", word=w, cwd=e.cwd, program=">") for w in e.writes)
    if e.listing:
        yield from (Touch(kind="list", word=w, cwd=e.cwd, program="glob") for w in e.argv if is_glob(w))
        return
    if not e.argv:
        return
    yield Touch(kind="run", word=e.argv[0], cwd=e.cwd, program=e.program, args=e.argv[1:])
    name = plain(e.program)
    if name in _SPECIAL:
        yield from _SPECIAL[name](e)
    elif name in ("git", "hub"):
        yield from git(e, root)
    elif name in _SCRIPTED:
        yield from _scripted(e, _SCRIPTED[name])
    elif name not in _SILENT:
        yield from _plain(e, name)


def _plain(e: Execution, name: str) -> Iterator[Touch]:
    if name == "dd":
        yield from _dd(e)
        return
    operands = split(e.argv[1:], short="t" if name in _CHANGES_LAST else "").operands
    if name in _CHANGES_LAST:
        yield from _moved(e, name)
        return
    for word in operands:
        kind: TouchKind = "other"
        if name in READERS:
            kind = "read"
        elif name in _WRITERS:
            kind = "write"
        elif name in _SPEAKERS:
            if not is_glob(word):
                continue
            kind = "list"
        elif name in _ASKERS:
            kind = "list" if is_glob(word) and name not in ("test", "[") else "ask"
        yield Touch(kind=kind, word=word, cwd=e.cwd, program=name)


def _moved(e: Execution, name: str) -> Iterator[Touch]:
    args = split(e.argv[1:], short="tmgoS", long=("--target-directory", "--exclude", "--mode"))
    target = args.values("-t", "--target-directory")
    sources = args.operands if target else args.operands[:-1]
    for word in target or args.operands[-1:]:
        # ``ln -s docs/adr shortcut`` makes a link, it changes nothing of what the link leads to.
        yield Touch(kind="write", word=word, cwd=e.cwd, program=name)
    for word in sources:
        yield Touch(kind="write" if name == "mv" else "ask", word=word, cwd=e.cwd, program=name)


def _dd(e: Execution) -> Iterator[Touch]:
    for word in e.argv[1:]:
        key, _, value = word.partition("=")
        if key == "if":
            yield Touch(kind="read", word=value, cwd=e.cwd, program="dd")
        elif key == "of":
            yield Touch(kind="write", word=value, cwd=e.cwd, program="dd")


def _scripted(e: Execution, form: Scripted) -> Iterator[Touch]:
    args = split(e.argv[1:], short=form.short, long=form.long)
    operands = args.operands if args.has(*form.script) else args.operands[1:]
    kind: TouchKind = "write" if args.has(*form.in_place) else "read"
    for word in operands:
        yield Touch(kind=kind, word=word, cwd=e.cwd, program=e.program)
