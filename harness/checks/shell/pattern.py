"""Words as patterns: text in which ``*``, ``?`` and ``[`` are live unless a backslash stands before them."""

import re
from functools import lru_cache

UNKNOWN = "\x00"
"""Stands for text that only the running shell knows."""
SPLIT = "\x01"
"""Stands for white space that the shell splits words at."""
MAX_WORDS = 64

_SPECIAL = re.compile(r"([\\*?\[\]{},~])")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_LIVE = re.compile(r"[*?\[]")
_TOKEN = re.compile(r"\\.|.", re.DOTALL)
_RANGE = re.compile(r"(-?\d{1,4}|[a-zA-Z])\.\.(-?\d{1,4}|[a-zA-Z])$")


@lru_cache(maxsize=256)
def quote(text: str) -> str:
    """``text`` as a pattern that means itself."""
    return _SPECIAL.sub(r"\\\1", text)


def plain(pattern: str) -> str:
    """The text of ``pattern`` with its escapes taken away."""
    return _ESCAPED.sub(r"\1", pattern)


def is_glob(pattern: str) -> bool:
    return _LIVE.search(_ESCAPED.sub("", pattern)) is not None


def braces(word: str) -> list[str]:
    """``a{b,c}`` as ``ab`` and ``ac``, and ``{1..3}`` counted out; at most MAX_WORDS of them."""
    if "{" not in word:
        return [word]
    done: list[str] = []
    todo = [word]
    while todo and len(done) < MAX_WORDS:
        current = todo.pop(0)
        group = _first_group(current)
        if group is None:
            done.append(current)
            continue
        start, end, choices = group
        todo = [current[:start] + c + current[end:] for c in choices][:MAX_WORDS] + todo
    return done


def _first_group(word: str) -> tuple[int, int, list[str]] | None:
    tokens = [(m.start(), m.group()) for m in _TOKEN.finditer(word)]
    for first, (start, token) in enumerate(tokens):
        if token != "{":
            continue
        depth, cuts = 0, [start + 1]
        for at, inner in tokens[first:]:
            if inner == "{":
                depth += 1
            elif inner == "}":
                depth -= 1
            elif inner == "," and depth == 1:
                cuts.append(at + 1)
            if depth == 0:
                ends = [c - 1 for c in cuts[1:]] + [at]
                choices = [word[a:b] for a, b in zip(cuts, ends, strict=True)]
                counted = _count(choices[0]) if len(choices) == 1 else choices
                if counted is not None:
                    return start, at + 1, counted
                break
    return None


def _count(text: str) -> list[str] | None:
    found = _RANGE.match(text)
    if not found:
        return None
    low, high = found.groups()
    if low.lstrip("-").isdigit() != high.lstrip("-").isdigit():
        return None
    if low.lstrip("-").isdigit():
        width = max(len(low), len(high)) if low.startswith("0") or high.startswith("0") else 0
        step = 1 if int(low) <= int(high) else -1
        return [str(n).zfill(width) for n in range(int(low), int(high) + step, step)][:MAX_WORDS]
    step = 1 if low <= high else -1
    return [chr(c) for c in range(ord(low), ord(high) + step, step)][:MAX_WORDS]
