"""What a table says last about each cell, read line by line, so that memory does not grow with the table."""

from collections.abc import Iterator
from pathlib import Path

from harness.errors import UserError
from harness.model.row import Row
from harness.results.row_codec import decode, parse_header


def iterate(path: Path) -> Iterator[Row]:
    """The rows in file order; lines that are none are passed over. A missing file has no rows."""
    try:
        with path.open("rb") as lines:
            header = lines.readline()
            if not header.endswith(b"\n"):
                return
            columns = parse_header(header, path)
            for line in lines:
                row = _row(line, columns)
                if row is not None:
                    yield row
    except FileNotFoundError:
        return
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from error


def _row(line: bytes, columns: tuple[str, ...]) -> Row | None:
    if not line.endswith(b"\n"):
        return None
    try:
        return decode(line, columns)
    except ValueError:
        return None
