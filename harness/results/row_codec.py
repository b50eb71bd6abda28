r"""How a row stands in ``results.tsv``: one UTF-8 line, tab between cells, no quoting.

The file is read by ``cut``, ``sort``, pandas, DuckDB and spreadsheets alike, with their default settings, so a cell is kept
harmless for all of them:

- a control character or a line separator stands as a visible escape (``\t``, ``\n``, ``\x1b``, ``\u2028``); this is not undone
  on reading, so a backslash in a text stays a single backslash;
- a lone surrogate becomes U+FFFD;
- a cell that starts with ``"`` (an opening quote for pandas and DuckDB) or with ``= + - @`` (a formula for a spreadsheet) gets one
  ``'`` in front, and loses it on reading.

Everything else comes back as it was.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from msgspec import NODEFAULT, Struct
from msgspec.structs import fields

from harness.errors import UserError
from harness.model.row import Row

_FIELDS: tuple[str, ...] = Row.__struct_fields__
COLUMNS: tuple[str, ...] = tuple(name.rstrip("_") for name in _FIELDS)
REQUIRED: tuple[str, ...] = tuple(f.name.rstrip("_") for f in fields(Row) if f.default is NODEFAULT)
"""The columns of the first schema: a file without one of them was not written by harness."""
HEADER: bytes = "\t".join(COLUMNS).encode() + b"\n"

_FIELD_OF: dict[str, str] = dict(zip(COLUMNS, _FIELDS, strict=True))
_ALLOWED: dict[str, frozenset[str]] = {
    "axis_a": frozenset({"true", "false", "n/a"}),
    "axis_b": frozenset({"true", "false", "n/a"}),
    "pass": frozenset({"pass", "fail", "invalid"}),
}
_SHORT = {"\t": "\\t", "\n": "\\n", "\r": "\\r", "\0": "\\0"}
_CONTROLS = [chr(code) for code in (*range(0x20), *range(0x7F, 0xA0))]
_ESCAPES: dict[int, str] = {
    **{ord(char): _SHORT.get(char, f"\\x{ord(char):02x}") for char in _CONTROLS},
    0x2028: "\\u2028",
    0x2029: "\\u2029",
}
_HARMFUL = re.compile("[\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029\\ud800-\\udfff]")
_SURROGATE = re.compile("[\\ud800-\\udfff]")
_GUARDED = re.compile("'*[\"=+\\-@＝＋－＠]")


class RowFault(Struct, frozen=True, kw_only=True):
    """One line that is not a row; ``line`` counts from 1, the header included."""

    line: int
    why: str
    torn: bool = False
    """The last line, without its newline: whoever wrote it was cut off."""


class Rows(Struct, frozen=True, kw_only=True):
    rows: tuple[Row, ...]
    faults: tuple[RowFault, ...]
    columns: tuple[str, ...] = COLUMNS
    """As the file has them: fewer than ``COLUMNS`` in an older file, more in a newer one."""


def axis_cell(value: bool | None) -> str:
    return "n/a" if value is None else str(value).lower()


def usd_cell(value: float) -> str:
    return f"{value:.6f}"


def seconds_cell(value: float) -> str:
    return f"{value:.3f}"


def time_cell(moment: datetime) -> str:
    """ISO 8601 in UTC with milliseconds; ``moment`` must know its zone."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def clean(text: str) -> str:
    """``text`` as one harmless cell."""
    if _HARMFUL.search(text):
        text = _SURROGATE.sub("�", text.translate(_ESCAPES))
    return "'" + text if _GUARDED.match(text) else text


def uncover(cell: str) -> str:
    """The text that a cell stands for."""
    return cell[1:] if cell[:1] == "'" and _GUARDED.match(cell, 1) else cell


def encode(row: Row, columns: Sequence[str] = COLUMNS) -> bytes:
    """The line of ``row``, newline included; a column that this version does not know stays empty."""
    cells = [clean(getattr(row, _FIELD_OF[name])) if name in _FIELD_OF else "" for name in columns]
    return "\t".join(cells).encode() + b"\n"


def decode(line: bytes, columns: Sequence[str] = COLUMNS) -> Row:
    """The row of one line, with or without its newline. Raises ValueError that says what is wrong with the line."""
    if b"\0" in line:
        raise ValueError("holds NUL bytes (the disk lost part of it)")
    try:
        text = line.rstrip(b"\r\n").decode()
    except UnicodeDecodeError as error:
        raise ValueError(f"is not UTF-8 (byte {error.start})") from None
    cells = text.split("\t")
    if len(cells) != len(columns):
        raise ValueError(f"has {len(cells)} cells where the header has {len(columns)}")
    values = dict(zip(columns, cells, strict=True))
    for name, allowed in _ALLOWED.items():
        if values[name] not in allowed:
            raise ValueError(
                f"has {values[name][:40]!r} in column {name} (expected {', '.join(sorted(allowed))})"
            )
    if not values["run_id"]:
        raise ValueError("has no run_id")
    return Row(**{_FIELD_OF[name]: uncover(cell) for name, cell in values.items() if name in _FIELD_OF})


def parse_header(line: bytes, path: Path) -> tuple[str, ...]:
    """The columns of a file. Raises UserError where the line is not a header that harness wrote."""
    columns = tuple(line.rstrip(b"\r\n").decode(errors="replace").split("\t"))
    missing = [name for name in REQUIRED if name not in columns]
    if missing or len(set(columns)) != len(columns):
        raise UserError(
            f"{path}:1: not the header of a results table ({_what_is_wrong(missing)}).\n"
            "Move the file away, or name another results folder."
        )
    return columns


def _what_is_wrong(missing: list[str]) -> str:
    if not missing:
        return "a column stands twice"
    return f"no column {missing[0]}" + (f" and {len(missing) - 1} more" if len(missing) > 1 else "")


def read_rows(path: Path) -> Rows:
    """All rows of a table, in file order; lines that are none are reported beside them. A missing file has no rows."""
    try:
        with path.open("rb") as file:
            header = file.readline()
            if not header.endswith(b"\n"):
                return Rows(rows=(), faults=_torn_header(header, path))
            columns = parse_header(header, path)
            found = list(_decode_lines(file, columns))
    except FileNotFoundError:
        return Rows(rows=(), faults=())
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from error
    return Rows(
        rows=tuple(item for item in found if isinstance(item, Row)),
        faults=tuple(item for item in found if isinstance(item, RowFault)),
        columns=columns,
    )


def _decode_lines(lines: Iterator[bytes], columns: tuple[str, ...]) -> Iterator[Row | RowFault]:
    # Iterating a binary file cuts at b"\n" only, unlike str.splitlines.
    for number, line in enumerate(lines, start=2):
        if not line.endswith(b"\n"):
            yield RowFault(line=number, why="ends without a newline: its writer was cut off", torn=True)
            continue
        try:
            yield decode(line, columns)
        except ValueError as error:
            yield RowFault(line=number, why=str(error))


def _torn_header(start: bytes, path: Path) -> tuple[RowFault, ...]:
    if not start:
        return ()
    if not HEADER.startswith(start):
        parse_header(start, path)
    return (RowFault(line=1, why="the header ends without a newline: its writer was cut off", torn=True),)
