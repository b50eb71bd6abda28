"""A row survives the file, whatever text stands in it, and no file can make reading fail."""

import csv
import io
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import UserError
from harness.results.row_codec import (
    COLUMNS,
    HEADER,
    REQUIRED,
    axis_cell,
    decode,
    encode,
    read_rows,
    seconds_cell,
    time_cell,
    usd_cell,
)
from tests.results.rows import a_row

HARMLESS = st.text(st.characters(exclude_categories=("Cc", "Cs", "Zl", "Zp")))
ANY_TEXT = st.text(st.characters(exclude_categories=()))


def test_the_first_five_columns_are_fixed() -> None:
    assert COLUMNS[:5] == ("scenario", "model", "axis_a", "axis_b", "pass")


def test_the_first_schema_ends_with_the_harness_version() -> None:
    assert (len(REQUIRED), REQUIRED[-1]) == (26, "harness_version")


@given(HARMLESS)
def test_text_without_controls_comes_back_as_it_was(text: str) -> None:
    row = a_row(reason=text, warnings=text)
    assert decode(encode(row)) == row


@given(ANY_TEXT)
def test_any_text_makes_one_line_of_as_many_cells_as_columns(text: str) -> None:
    line = encode(a_row(reason=text))
    assert line.decode().splitlines() == [line.decode()[:-1]]
    assert line.count(b"\t") == len(COLUMNS) - 1


@given(ANY_TEXT)
def test_writing_what_was_read_changes_nothing(text: str) -> None:
    line = encode(a_row(reason=text))
    assert encode(decode(line)) == line


@given(st.lists(ANY_TEXT, min_size=1, max_size=5))
def test_a_reader_with_default_quoting_sees_the_same_cells(texts: list[str]) -> None:
    lines = b"".join(encode(a_row(reason=text)) for text in texts).decode()
    read = list(csv.reader(io.StringIO(lines, newline=""), dialect="excel-tab"))
    assert ["\t".join(cells) for cells in read] == lines.removesuffix("\n").split("\n")


@pytest.mark.parametrize("start", ["=", "+", "-", "@", '"', "'=", "＝"])
def test_no_cell_starts_as_a_formula_or_a_quote(start: str) -> None:
    cell = encode(a_row(reason=start + "1")).decode().split("\t")[COLUMNS.index("reason")]
    assert cell == "'" + start + "1"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\tb", "a\\tb"),
        ("a\r\nb", "a\\r\\nb"),
        ("a\0b", "a\\0b"),
        ("\x1b[31m", "\\x1b[31m"),
        ("a\x85b\u2028c\x0bd\x1ce", "a\\x85b\\u2028c\\x0bd\\x1ce"),
        ("a\ud800b", "a�b"),
        (r"C:\new", r"C:\new"),
    ],
    ids=["tab", "crlf", "nul", "terminal", "TS03-separators", "surrogate", "backslash-stays"],
)
def test_a_control_character_stands_as_a_visible_escape(text: str, shown: str) -> None:
    assert decode(encode(a_row(reason=text))).reason == shown


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"R1\thaiku\n", "2 cells"),
        (encode(a_row()).replace(b"haiku", b"\xff", 1), "UTF-8"),
        (encode(a_row()).replace(b"haiku", b"\0", 1), "NUL"),
        (encode(a_row(pass_="maybe")), "column pass"),
        (encode(a_row(axis_a="yes")), "column axis_a"),
        (encode(a_row(run_id="")), "no run_id"),
    ],
    ids=["short", "not-utf8", "nul", "pass", "axis", "run-id"],
)
def test_a_line_that_is_no_row_says_why(line: bytes, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        decode(line)


def test_ts03_separators_inside_a_cell_do_not_break_a_row(tmp_path: Path) -> None:
    path = tmp_path / "results.tsv"
    raw = encode(a_row(reason="tables: @@")).replace(b"@@", "a\x85b\u2028c\x0bd".encode())
    path.write_bytes(HEADER + raw)
    assert [row.reason for row in read_rows(path).rows] == ["tables: a\x85b\u2028c\x0bd"]


def test_ts02_a_torn_last_line_is_reported_and_the_rows_before_it_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "results.tsv"
    path.write_bytes(HEADER + encode(a_row(run_id="r1")) + b"R2\thaiku\ttr")
    found = read_rows(path)
    assert [row.run_id for row in found.rows] == ["r1"]
    assert [(fault.line, fault.torn) for fault in found.faults] == [(3, True)]


@given(st.binary(max_size=200))
def test_reading_never_fails_on_what_follows_the_header(
    tmp_path_factory: pytest.TempPathFactory, tail: bytes
) -> None:
    path = tmp_path_factory.mktemp("table") / "results.tsv"
    path.write_bytes(HEADER + encode(a_row()) + tail)
    assert read_rows(path).rows[0] == a_row()


@pytest.mark.parametrize(
    "content", [None, b"", HEADER, HEADER[:40]], ids=["missing", "empty", "header-only", "torn-header"]
)
def test_a_table_without_rows_has_none(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "results.tsv"
    if content is not None:
        path.write_bytes(content)
    assert read_rows(path).rows == ()


def test_a_foreign_header_is_refused_with_the_missing_column(tmp_path: Path) -> None:
    path = tmp_path / "results.tsv"
    path.write_bytes(b"iteration\tcommit\tmetric\n")
    with pytest.raises(
        UserError, match=r"results\.tsv:1: not the header of a results table \(no column scenario"
    ):
        read_rows(path)


def test_columns_of_a_newer_harness_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "results.tsv"
    path.write_bytes(HEADER[:-1] + b"\tmood\n" + encode(a_row())[:-1] + b"\tfine\n")
    assert read_rows(path).rows == (a_row(),)


def test_an_older_table_reads_with_empty_newer_cells(tmp_path: Path) -> None:
    path = tmp_path / "results.tsv"
    path.write_bytes("\t".join(REQUIRED).encode() + b"\n" + encode(a_row(), REQUIRED))
    assert read_rows(path).rows == (a_row(cell_digest="", attempt="", api_kind=""),)


@pytest.mark.parametrize(("value", "cell"), [(True, "true"), (False, "false"), (None, "n/a")])
def test_an_axis_is_true_false_or_not_applicable(value: bool | None, cell: str) -> None:
    assert axis_cell(value) == cell


def test_dollars_have_six_decimals() -> None:
    assert usd_cell(0.1 + 0.2) == "0.300000"


def test_seconds_have_three_decimals() -> None:
    assert seconds_cell(12.34567) == "12.346"


def test_a_time_is_written_in_utc_with_milliseconds() -> None:
    moment = datetime(2026, 11, 30, 18, 13, 20, 123456, tzinfo=timezone(timedelta(hours=1)))
    assert time_cell(moment) == "2026-11-30T17:13:20.123Z"
