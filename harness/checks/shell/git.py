"""git: which of its subcommands read, list, search or change which paths."""

import posixpath
from collections.abc import Iterator, Sequence

from harness.checks.shell.execution import Execution
from harness.checks.shell.options import split
from harness.checks.shell.pattern import is_glob, plain, quote
from harness.checks.shell.touch import Filter, Touch, TouchKind

_GLOBAL = "Cc"
_GLOBAL_LONG = ("--git-dir", "--work-tree", "--namespace", "--exec-path")
_SHORT = {
    "grep": "efABCmO", "log": "nGSL", "commit": "mFCct", "show": "n", "diff": "GSU", "blame": "LCM",
    "ls-files": "xX", "tag": "mF", "notes": "mF", "stash": "m", "merge": "ms", "checkout": "bB",
}  # fmt: skip
_LONG = ("--grep", "--author", "--committer", "--since", "--until", "--after", "--before", "--format",
         "--pretty", "--message", "--max-count", "--file", "--date", "--source", "--exclude")  # fmt: skip
_READS = frozenset({"show", "diff", "blame", "annotate", "cat-file", "difftool", "whatchanged", "range-diff"})
_LISTS = frozenset({"ls-files", "ls-tree", "log", "shortlog"})
_WRITES = frozenset({"rm", "mv", "checkout", "restore", "clean", "apply"})


def git(e: Execution, root: str) -> Iterator[Touch]:
    """Paths that a git command touches; ``root`` is the top of the repository."""
    globally = split(e.argv[1:], short=_GLOBAL, long=_GLOBAL_LONG, leading=True)
    if not globally.operands:
        return
    cwd = e.cwd
    for folder in globally.values("-C"):
        cwd = posixpath.normpath(posixpath.join(cwd, folder))
    name, rest = plain(globally.operands[0]), globally.operands[1:]
    patch = any(w in ("-p", "-u", "--patch", "-c", "--cc") or w.startswith("-L") for w in rest)
    match name:
        case "grep":
            yield from _grep(rest, cwd, root)
        case _ if name in _READS or (name in ("log", "shortlog", "stash") and patch):
            yield from _paths("read", name, rest, cwd, root)
        case _ if name in _LISTS:
            yield from _paths("list", name, rest, cwd, root)
        case _ if name in _WRITES:
            yield from _paths("write", name, rest, cwd, root)


def _paths(kind: TouchKind, name: str, words: Sequence[str], cwd: str, root: str) -> Iterator[Touch]:
    args = split(words, short=_SHORT.get(name, ""), long=_LONG)
    operands = args.operands
    if name == "rm" and args.has("--cached"):
        return
    for value in args.values("-L") if name == "log" else ():
        # -L 1,5:file
        operands = (*operands, value.rpartition(":")[2])
    if not operands and name == "ls-files":
        yield Touch(kind="walk", word="", cwd=cwd, program="git " + name)
    if name == "ls-tree" and len(operands) == 1 and ":" not in operands[0] and args.has("-r"):
        yield Touch(kind="walk", word="", cwd=cwd, program="git " + name)
    for operand in operands:
        for touch in _spec(operand, cwd, root):
            yield Touch(kind=kind, word=touch[0], cwd=touch[1], program="git " + name, filter=touch[2])


def _spec(word: str, cwd: str, root: str) -> Iterator[tuple[str, str, Filter | None]]:
    """A revision's path (``HEAD:docs/x``, ``HEAD:./x``) or a path with git's magic."""
    if word.startswith((":!", ":^", ":(exclude")):
        return
    if word.startswith(":/"):
        yield word[2:] or ".", root, None
    elif word.startswith(":("):
        magic, _, path = word.partition(")")
        yield path or ".", root if "top" in magic else cwd, None
    elif ":" in word:
        path = word.partition(":")[2]
        yield path or ".", cwd if path.startswith(("./", "../")) else root, None
    elif is_glob(plain(word)):
        # A quoted glob reaches git, whose ``*`` crosses ``/``.
        yield "", cwd, Filter(form="path", text="./" + plain(word))
    else:
        yield word, cwd, None


def _grep(words: Sequence[str], cwd: str, root: str) -> Iterator[Touch]:
    before, after = list(words), list[str]()
    if "--" in before:
        at = before.index("--")
        before, after = before[:at], before[at + 1 :]
    args = split(before, short=_SHORT["grep"], long=_LONG)
    operands = args.operands if args.has("-e", "-f") else args.operands[1:]
    places = [spec for word in (*operands, *after) for spec in _spec(word, cwd, root)]
    tree_only = bool(places) and not after and all(":" not in w for w in operands)
    for word, folder, kept in places:
        if kept is not None:
            aimed = Filter(form=kept.form, text=kept.text, searches=True)
            yield Touch(kind="aimed", word=word, cwd=folder, program="git grep", filter=aimed)
        else:
            yield Touch(kind="sweep", word=word, cwd=folder, program="git grep")
    if not places or (tree_only and all(p[0] == quote("HEAD") for p in places)):
        yield Touch(kind="sweep", word="", cwd=cwd, program="git grep")
