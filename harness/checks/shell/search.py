"""grep, rg, find, fd and ls: what they list and look through, and what their filters aim at."""

from collections.abc import Iterator, Sequence

from harness.checks.shell.execution import Execution
from harness.checks.shell.options import Arguments, split
from harness.checks.shell.pattern import is_glob, plain
from harness.checks.shell.touch import Filter, Touch, TouchKind

_GREP_SHORT = "efABCmdD"
_GREP_LONG = ("--regexp", "--file", "--include", "--exclude", "--exclude-dir", "--max-count", "--context",
              "--after-context", "--before-context", "--color", "--colour", "--label")  # fmt: skip
_RG_SHORT = "efgtTABCmjMrdE"
_RG_LONG = ("--regexp", "--file", "--glob", "--iglob", "--type", "--type-not", "--max-count", "--max-depth",
            "--context", "--after-context", "--before-context", "--replace", "--sort", "--sortr", "--color",
            "--colors", "--threads", "--max-columns", "--encoding", "--engine", "--ignore-file")  # fmt: skip
_FD_SHORT = "eEtdxXjcSo"
_FD_LONG = ("--extension", "--exclude", "--type", "--max-depth", "--exec", "--exec-batch", "--base-directory",
            "--search-path", "--threads", "--color", "--size", "--glob-path")  # fmt: skip
_FIND_TESTS = {"-path": "path", "-wholename": "path", "-ipath": "path", "-iwholename": "path",
               "-name": "name", "-iname": "name", "-regex": "regex", "-iregex": "regex"}  # fmt: skip
_FIND_EXEC = ("-exec", "-execdir", "-ok", "-okdir")


def grep(e: Execution) -> Iterator[Touch]:
    """grep, egrep, fgrep, zgrep: recursive only when told to be."""
    args = split(e.argv[1:], short=_GREP_SHORT, long=_GREP_LONG)
    deep = args.has("-r", "-R", "--recursive", "--dereference-recursive") or "recurse" in args.values("-d")
    yield from _search(e, args, deep=deep, globs=args.values("--include"), anchored=False)


def ripgrep(e: Execution) -> Iterator[Touch]:
    """rg, ag, ack, ugrep: recursive by nature."""
    args = split(e.argv[1:], short=_RG_SHORT, long=_RG_LONG)
    globs = args.values("-g", "--glob", "--iglob")
    if args.has("--files"):
        yield from _swept(e, args.operands or ("",), globs, searches=False)
        return
    yield from _search(e, args, deep=True, globs=globs, anchored=True)


def _search(
    e: Execution, args: Arguments, *, deep: bool, globs: Sequence[str], anchored: bool
) -> Iterator[Touch]:
    given = args.has("-e", "-f", "--regexp", "--file")
    places = args.operands if given else args.operands[1:]
    for file in args.values("-f", "--file"):
        yield Touch(kind="read", word=file, cwd=e.cwd, program=e.program)
    if not args.operands and not given:
        return
    if places and not deep:
        for place in places:
            yield Touch(kind="search", word=place, cwd=e.cwd, program=e.program)
    elif places or (deep and not (anchored and (e.piped or e.reads or e.stdin is not None))):
        yield from _swept(e, places or ("",), globs, searches=True)


def _swept(e: Execution, places: Sequence[str], globs: Sequence[str], *, searches: bool) -> Iterator[Touch]:
    positive = [plain(g) for g in globs if not g.startswith("!")]
    negative = [plain(g) for g in globs if g.startswith("!")]
    for place in places:
        for glob in positive:
            kept = Filter(form="glob", text=glob, searches=searches)
            yield Touch(kind="aimed", word=place, cwd=e.cwd, program=e.program, filter=kept)
        if not positive:
            shut = Filter(form="glob", text=negative[0], searches=searches) if negative else None
            kind: TouchKind = "sweep" if searches else "walk"
            yield Touch(kind=kind, word=place, cwd=e.cwd, program=e.program, filter=shut)


def find(e: Execution) -> Iterator[Touch | Execution]:
    """find: names below its starting points, aimed by -path, -name and -regex, and programs run on them."""
    words = list(e.argv[1:])
    while words and plain(words[0]) in ("-H", "-L", "-P"):
        words.pop(0)
    first = next((i for i, w in enumerate(words) if w.startswith("-") or plain(w) in ("(", "!")), len(words))
    starts, tests = words[:first] or [""], words[first:]
    filters = _find_filters(tests)
    for start in starts:
        for kept in filters or (None,):
            kind: TouchKind = "aimed" if kept else "walk"
            yield Touch(kind=kind, word=start, cwd=e.cwd, program=e.program, filter=kept)
        yield from _find_runs(e, start, tests)
        if "-delete" in tests:
            yield Touch(kind="write", word=start, cwd=e.cwd, program=e.program)


def _find_filters(tests: Sequence[str]) -> list[Filter]:
    kept: list[Filter] = []
    for at, word in enumerate(tests[:-1]):
        form = _FIND_TESTS.get(word)
        # ``-not -path X`` and ``X -prune`` say what is left out.
        negated = at > 0 and plain(tests[at - 1]) in ("!", "-not")
        pruned = "-prune" in tests[at + 2 : at + 4]
        if form and not negated and not pruned:
            text = plain(tests[at + 1])
            match form:
                case "path":
                    kept.append(Filter(form="path", text=text, ignore_case=word.startswith("-i")))
                case "name":
                    kept.append(Filter(form="name", text=text, ignore_case=word.startswith("-i")))
                case _:
                    kept.append(Filter(form="regex", text=text, ignore_case=word.startswith("-i")))
    return kept


def _find_runs(e: Execution, start: str, tests: Sequence[str]) -> Iterator[Execution]:
    words = list(tests)
    while words:
        if words.pop(0) not in _FIND_EXEC:
            continue
        end = next((i for i, w in enumerate(words) if plain(w) in (";", "+")), len(words))
        below = (start.rstrip("/") or "/" if start.startswith("/") else start.rstrip("/") or ".") + "/**"
        argv = tuple(below if plain(w) == "{}" else w for w in words[:end])
        words = words[end:]
        if argv:
            yield Execution(argv=argv, cwd=e.cwd)


def fd(e: Execution) -> Iterator[Touch | Execution]:
    """fd: a pattern, then where to look."""
    args = split(e.argv[1:], short=_FD_SHORT, long=_FD_LONG)
    pattern = plain(args.operands[0]) if args.operands else ""
    places = args.operands[1:] or args.values("--search-path", "--base-directory") or ("",)
    for place in places:
        plainly = pattern in ("", ".")
        kept = None if plainly else Filter(form="name" if args.has("-g", "--glob") else "regex", text=pattern)
        kind: TouchKind = "walk" if kept is None else "aimed"
        yield Touch(kind=kind, word=place, cwd=e.cwd, program=e.program, filter=kept)
        for program in args.values("-x", "-X", "--exec", "--exec-batch"):
            below = (place.rstrip("/") or ".") + "/**"
            yield Execution(argv=(program, below), cwd=e.cwd)


def ls(e: Execution) -> Iterator[Touch]:
    """ls, dir, vdir, exa, eza, lsd: a folder's names; only the folder's own line with -d."""
    args = split(e.argv[1:], short="ITw")
    deep = args.has("-R", "--recursive", "--tree") or (e.program in ("exa", "eza", "lsd") and args.has("-T"))
    for place in args.operands or ("",):
        kind: TouchKind = "walk" if deep else "list"
        if args.has("-d", "--directory") and not is_glob(place):
            kind = "ask"
        yield Touch(kind=kind, word=place, cwd=e.cwd, program=e.program)


def tree(e: Execution) -> Iterator[Touch]:
    """tree: everything below."""
    args = split(e.argv[1:], short="LPIoH", long=("--filelimit", "--charset", "--sort"))
    for place in args.operands or ("",):
        yield Touch(kind="walk", word=place, cwd=e.cwd, program=e.program)
