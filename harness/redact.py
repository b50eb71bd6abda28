"""What a secret looks like, and how it is taken out of bytes and files that are kept."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import BinaryIO
from urllib.parse import quote

import orjson
from ahocorasick_rs import BytesAhoCorasick, Implementation, MatchKind

REMOVED = "[removed]"
SECRET_HEADERS = frozenset(
    {"x-api-key", "authorization", "proxy-authorization", "cookie", "set-cookie", "anthropic-organization-id"}
)
SECRET_NAME = re.compile(
    r"KEY|TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|AUTH(?!OR(?!IZ))|HARNESS_RUN", re.IGNORECASE
)
"""A variable that is called so may hold one."""
SHORTEST = 6
"""Known values shorter than this are left alone: they would match words."""
LONGEST = 32 * 1024
"""No secret is longer; what is read of a file overlaps by this much."""

_CHUNK_BYTES = 4 << 20
_KEY_LINES = r"(?:(?:\\+[nr]|\r?\n)+[A-Za-z0-9+/=]{1,100}){0,200}"
_KEY_END = r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----"
# Of a key that was cut, and has no end, only what still looks like its lines.
_KEY = rf'-----BEGIN [A-Z0-9 ]{{0,40}}PRIVATE KEY-----(?:[^"]{{0,16384}}?{_KEY_END}|{_KEY_LINES})'


def _apart(sign: str) -> str:
    """The sign where it begins a word. It stands first, since only then the search for it is quick."""
    return f"{sign}(?<![A-Za-z0-9]{sign})"


_BY_SIGN: tuple[tuple[tuple[str, ...], str], ...] = (
    (("sk-",), r"sk-(?:ant-[A-Za-z0-9_-]{8,512}|(?<![A-Za-z0-9]sk-)(?:proj-|svcacct-)?[A-Za-z0-9_]{20,512})"),
    (("Bearer ",), r"Bearer[ ]{1,8}[A-Za-z0-9._~+/=-]{16,4096}"),
    (("bearer ",), r"bearer[ ]{1,8}[A-Za-z0-9._~+/=-]{16,4096}"),
    (tuple(f"gh{kind}_" for kind in "pousr"), r"gh(?<![A-Za-z0-9]gh)[pousr]_[A-Za-z0-9]{30,255}"),
    (("github_pat_",), r"github_pat_[A-Za-z0-9_]{22,255}"),
    (("glpat-",), r"glpat-[A-Za-z0-9_-]{20,255}"),
    # Together, since one may end where another begins.
    (
        ("AKIA", "ASIA", "AIza"),
        "|".join(
            (
                *(_apart(sign) + r"[A-Z0-9]{16}(?![A-Za-z0-9])" for sign in ("AKIA", "ASIA")),
                _apart("AIza") + r"[A-Za-z0-9_-]{35}",
            )
        ),
    ),
    (("xox",), _apart("xox") + r"[abeoprs]-[A-Za-z0-9-]{10,255}"),
    (("npm_",), _apart("npm_") + r"[A-Za-z0-9]{36}"),
    (("pypi-",), r"pypi-[A-Za-z0-9_-]{50,512}"),
    (("eyJ",), r"eyJ[A-Za-z0-9_-]{10,4096}\.eyJ[A-Za-z0-9_-]{10,8192}\.[A-Za-z0-9_-]{10,2048}"),
    (("PRIVATE KEY-----",), _KEY),
)
"""What begins or marks a secret, for a quick look, and the whole shape; every length is bounded.

No sign overlaps one of another line: the quick look finds signs that stand apart.
"""
SHAPES = "|".join(shape for _, shape in _BY_SIGN)
_SHAPES = [re.compile(shape.encode()) for _, shape in _BY_SIGN]
_SIGNS = [(sign.encode(), number) for number, (signs, _) in enumerate(_BY_SIGN) for sign in signs]


def _quick(words: Iterable[bytes]) -> BytesAhoCorasick:
    """Looks for all of them at once, a hundred times as fast as for one after the other."""
    return BytesAhoCorasick(words, matchkind=MatchKind.LeftmostFirst, implementation=Implementation.DFA)


_ANY_SIGN = _quick(sign for sign, _ in _SIGNS)


class Redactor:
    """Replaces known secrets and everything of a secret's shape."""

    def __init__(self, known: Iterable[str] = ()) -> None:
        every = {form for value in known if len(value) >= SHORTEST for form in _forms(value)}
        self._known = sorted(every, key=len, reverse=True)
        self._any_known = _quick(self._known)

    def spans(self, data: bytes) -> list[tuple[int, int]]:
        """Where secrets stand, in order and apart."""
        found = sorted(chain(self._shaped(data), self._exact(data)))
        apart: list[tuple[int, int]] = []
        for start, end in found:
            if apart and start <= apart[-1][1]:
                apart[-1] = (apart[-1][0], max(end, apart[-1][1]))
            else:
                apart.append((start, end))
        return apart

    def _shaped(self, data: bytes) -> Iterator[tuple[int, int]]:
        for number in {_SIGNS[sign][1] for sign, _, _ in _ANY_SIGN.find_matches_as_indexes(data)}:
            yield from (match.span() for match in _SHAPES[number].finditer(data))

    def _exact(self, data: bytes) -> Iterator[tuple[int, int]]:
        if not self._any_known.find_matches_as_indexes(data):
            return
        for value in self._known:
            at = data.find(value)
            while at >= 0:
                yield at, at + len(value)
                at = data.find(value, at + len(value))

    def clean(self, data: bytes) -> bytes:
        return _without(data, self.spans(data))

    def text(self, text: str) -> str:
        return self.clean(text.encode(errors="surrogatepass")).decode(errors="surrogatepass")

    def headers(self, headers: Iterable[tuple[str, str]]) -> dict[str, str]:
        """Names in lower case; the values of headers that carry credentials are never kept."""
        return self._values(
            {n.lower(): REMOVED if n.lower() in SECRET_HEADERS else value for n, value in headers}
        )

    def variables(self, env: Mapping[str, str]) -> dict[str, str]:
        """An environment as it may be kept, in the order of names."""
        return self._values({k: REMOVED if SECRET_NAME.search(k) else v for k, v in sorted(env.items())})

    def _values(self, kept: dict[str, str]) -> dict[str, str]:
        # One look at all of them: where names tell nothing, there is a secret once in a blue moon.
        if not self.spans("\n".join(kept.values()).encode(errors="surrogatepass")):
            return kept
        return {name: self.text(value) for name, value in kept.items()}

    def file(self, path: Path) -> int:
        """Clean a file in place; how many secrets were in it. Memory is bounded, and a clean file is only read."""
        if not any(self.spans(piece) for piece in _overlapping(path)):
            return 0
        clean = path.with_name(f".{path.name}.redacting")
        count = 0
        with path.open("rb") as source, clean.open("wb") as target:
            rest = b""
            while chunk := source.read(_CHUNK_BYTES):
                rest += chunk
                count += self._pass_on(rest, safe := self._safe_end(rest), target)
                rest = rest[safe:]
            count += self._pass_on(rest, len(rest), target)
        clean.replace(path)
        return count

    def _safe_end(self, data: bytes) -> int:
        """How far nothing can change any more, whatever follows."""
        end = max(0, len(data) - LONGEST)
        return next((start for start, after in self.spans(data) if start < end < after), end)

    def _pass_on(self, data: bytes, end: int, target: BinaryIO) -> int:
        spans = [span for span in self.spans(data) if span[1] <= end]
        target.write(_without(data[:end], spans))
        return len(spans)


def _without(data: bytes, spans: list[tuple[int, int]]) -> bytes:
    if not spans:
        return data
    pieces: list[bytes] = []
    done = 0
    for start, end in spans:
        pieces += (data[done:start], REMOVED.encode())
        done = end
    return b"".join((*pieces, data[done:]))


def _overlapping(path: Path) -> Iterator[bytes]:
    with path.open("rb", buffering=0) as file:
        # A buffer of the largest size costs more than to read a small file.
        most = min(os.fstat(file.fileno()).st_size + 1, _CHUNK_BYTES)
        tail = b""
        while chunk := file.read(most):
            yield tail + chunk
            tail = (tail + chunk)[-LONGEST:]


def _forms(value: str) -> set[bytes]:
    """The value as it stands in text, in JSON, in JSON within JSON, and in a URL."""
    once = orjson.dumps(value.encode(errors="replace").decode())[1:-1]
    twice = orjson.dumps(once.decode())[1:-1]
    return {value.encode(errors="surrogatepass"), once, twice, quote(value, safe="").encode()}


def secrets_of(environ: Mapping[str, str]) -> tuple[str, ...]:
    """The values of an environment that are secrets by their variable's name and by their look."""
    return tuple(v for k, v in environ.items() if SECRET_NAME.search(k) and _looks_secret(v))


def _looks_secret(value: str) -> bool:
    """Not a path, a number, a word or a switch: those stand everywhere, and hide nothing."""
    if len(value) < 8 or value.startswith("/") or value.isdecimal() or any(c.isspace() for c in value):
        return False
    return any(c.isdigit() for c in value) or (value.lower() != value and value.upper() != value)
