"""The file format of a recording: JSON lines, compressed so that what requests repeat is stored once.

A conversation's requests repeat each other from the start, 50 kB and more each time: a window of several
requests and long-distance matching make a repeated one cost next to nothing. A line either begins exchange
``n`` (request), gives its status, adds a piece of its answer, or ends it; lines of exchanges that run side by
side are mixed. Every exchange's end is flushed, so that a crash loses at most what was under way.
"""

import io
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Literal

import orjson
import zstandard
from msgspec import Struct, field

from harness.gateway.exchange import Request
from harness.redact import Redactor

VERSION = 1
WINDOW_LOG = 23
"""8 MiB: several of the largest requests that fit a context."""
LEVEL = 3
Ended = Literal["complete", "cut", "reset", "gone", "unfinished"]
"""``gone``: the client left before the end. ``unfinished``: the recording stops before the exchange does."""


_SPARE: list[zstandard.ZstdCompressor] = []
"""Not in use now. The tables of a new one are megabytes, which the kernel clears page by page."""


def _compressor() -> zstandard.ZstdCompressor:
    parameters = zstandard.ZstdCompressionParameters.from_level(LEVEL, window_log=WINDOW_LOG, enable_ldm=True)
    return zstandard.ZstdCompressor(compression_params=parameters)


class Recorded(Struct, frozen=True, kw_only=True):
    """One exchange as it was."""

    n: int
    """From 1, in the order of arrival."""
    at_ms: int
    """Since the recording began."""
    method: str
    path: str
    headers: Mapping[str, str]
    body: object
    """The request's JSON, or its text where it is none."""
    status: int
    """0: no answer began."""
    response_headers: Mapping[str, str]
    chunks: tuple[tuple[int, str], ...]
    """Pieces of the answer, each with its time since the request in milliseconds."""
    ended: Ended

    @property
    def text(self) -> str:
        return "".join(piece for _, piece in self.chunks)


class WireWriter:
    """Appends the lines of one recording. Not thread-safe: belongs to the gateway's thread."""

    def __init__(self, path: Path, secrets: Iterable[str] = ()) -> None:
        self.redactor = Redactor(secrets)
        self._file = path.open("wb")
        self._compressor = _SPARE.pop() if _SPARE else _compressor()
        self._zstd = self._compressor.compressobj()
        self._began = time.monotonic()
        self._count = 0
        self.raw_bytes = 0
        self.write({"wire": VERSION, "began_at_ms": int(time.time() * 1000)})

    def begin(self, request: Request) -> int:
        """Number the request and write it."""
        number = self.number()
        self.write_request(number, self.now_ms(), request)
        return number

    def number(self) -> int:
        """The next exchange's."""
        self._count += 1
        return self._count

    def write_request(self, number: int, at_ms: int, request: Request) -> None:
        body = self.redactor.clean(request.body)
        self.write(
            {
                "n": number,
                "t": at_ms,
                "method": request.method,
                "path": request.path,
                "headers": self.redactor.headers(request.headers.items()),
                "body": orjson.Fragment(body)
                if _is_one_line_json(request)
                else body.decode(errors="replace"),
            }
        )

    def now_ms(self) -> int:
        return int((time.monotonic() - self._began) * 1000)

    def write(self, fields: Mapping[str, object]) -> None:
        line = orjson.dumps(fields, option=orjson.OPT_APPEND_NEWLINE)
        self.raw_bytes += len(line)
        self._file.write(self._zstd.compress(line))

    def flush(self) -> None:
        """Make everything written so far readable from the file."""
        self._file.write(self._zstd.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK))
        self._file.flush()

    def close(self) -> None:
        self._file.write(self._zstd.flush())
        self._file.close()
        _SPARE.append(self._compressor)


def read_wire(path: Path) -> Iterator[Recorded]:
    """The exchanges in the order they ended, those that never ended last. A torn end is left out."""
    open_ones: dict[int, _Draft] = {}
    for fields in _lines(path):
        number = fields.get("n")
        if not isinstance(number, int):
            continue
        if "method" in fields:
            open_ones[number] = _Draft(fields)
        elif number in open_ones:
            open_ones[number].add(fields)
            if "ended" in fields:
                yield open_ones.pop(number).recorded()
    for draft in open_ones.values():
        yield draft.recorded()


def began_at_ms(path: Path) -> int:
    """When the recording began, in milliseconds since the epoch; 0 where the file does not say."""
    first = next(_lines(path), {})
    began = first.get("began_at_ms")
    return began if isinstance(began, int) else 0


class _Draft(Struct):
    begin: Mapping[str, object]
    status: int = 0
    headers: Mapping[str, str] = field(default_factory=dict)
    chunks: list[tuple[int, str]] = field(default_factory=list)
    ended: Ended = "unfinished"

    def add(self, fields: Mapping[str, object]) -> None:
        match fields:
            case {"status": int(status), "headers": dict(headers)}:
                self.status, self.headers = status, headers
            case {"t": int(at), "text": str(text)}:
                self.chunks.append((at - self._at, text))
            case {"ended": ("complete" | "cut" | "reset" | "gone") as ended}:
                self.ended = ended

    @property
    def _at(self) -> int:
        at = self.begin.get("t")
        return at if isinstance(at, int) else 0

    def recorded(self) -> Recorded:
        headers = self.begin.get("headers")
        return Recorded(
            n=int(str(self.begin["n"])),
            at_ms=self._at,
            method=str(self.begin["method"]),
            path=str(self.begin.get("path", "")),
            headers=headers if isinstance(headers, dict) else {},
            body=self.begin.get("body"),
            status=self.status,
            response_headers=self.headers,
            chunks=tuple(self.chunks),
            ended=self.ended,
        )


def _lines(path: Path) -> Iterator[Mapping[str, object]]:
    with path.open("rb") as file:
        unpack = zstandard.ZstdDecompressor(max_window_size=1 << WINDOW_LOG)
        stream = io.BufferedReader(unpack.stream_reader(file), 1 << 16)
        try:
            for line in stream:
                fields = orjson.loads(line)
                if isinstance(fields, dict):
                    yield fields
        except (zstandard.ZstdError, orjson.JSONDecodeError):
            return


def _is_one_line_json(request: Request) -> bool:
    return request.json is not None and b"\n" not in request.body and b"\r" not in request.body
