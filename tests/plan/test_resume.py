"""A finished cell is not run again, an invalid one a few times, an edited one as what it is: a new cell."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import UserError
from harness.plan.resume import Outcome, read_outcomes, remaining, sift
from harness.results.row_codec import HEADER, REQUIRED, encode
from tests.results.rows import a_row


class Planned(NamedTuple):
    digest: str


A, B = Planned("a"), Planned("b")


def outcomes(*verdicts: str, status: str = "completed") -> list[Outcome]:
    return [Outcome("a", verdict, status) for verdict in verdicts]


def tries(rows: Sequence[Outcome], max_invalid_tries: int = 2) -> list[tuple[str, int]]:
    return [
        (cell.digest, attempt)
        for cell, attempt in remaining([A, B], rows, max_invalid_tries=max_invalid_tries)
    ]


@pytest.mark.parametrize(
    ("verdicts", "attempt"),
    [
        ((), 1),
        (("pass",), None),
        (("fail",), None),
        (("invalid",), 2),
        (("invalid", "invalid"), 3),
        (("invalid",) * 3, None),
        (("invalid", "pass"), None),
        (("pass", "invalid"), 3),
    ],
    ids=[
        "new",
        "passed",
        "failed",
        "once-invalid",
        "twice",
        "exhausted",
        "then-passed",
        "withdrawn-by-a-rescore",
    ],
)
def test_what_the_rows_say_decides_whether_a_cell_runs(
    verdicts: tuple[str, ...], attempt: int | None
) -> None:
    expected = [("b", 1)] if attempt is None else [("a", attempt), ("b", 1)]
    assert tries(outcomes(*verdicts)) == expected


def test_interrupted_runs_do_not_use_up_the_tries() -> None:
    assert tries(outcomes(*["invalid"] * 5, status="interrupted")) == [("a", 6), ("b", 1)]


def test_the_number_of_tries_can_be_chosen() -> None:
    assert tries(outcomes("invalid"), max_invalid_tries=0) == [("b", 1)]


def test_a_cell_that_stays_invalid_is_named() -> None:
    assert sift([A, B], outcomes(*["invalid"] * 3)).exhausted == [A]


def test_fresh_runs_everything_again_under_the_next_attempt() -> None:
    assert [t.attempt for t in remaining([A, B], outcomes("pass"), fresh=True)] == [2, 1]


def test_ts07_an_edited_input_is_a_new_cell_and_the_old_row_answers_nothing_for_it() -> None:
    assert [t.cell for t in remaining([Planned("a-edited")], outcomes("pass"))] == [Planned("a-edited")]


def test_rows_of_a_schema_without_digests_answer_nothing() -> None:
    assert tries([Outcome("", "pass", "completed")]) == [("a", 1), ("b", 1)]


def test_a_whole_row_will_do() -> None:
    assert [t.cell for t in remaining([A, B], [a_row(cell_digest="a")])] == [B]


@given(st.lists(st.sampled_from("abcdef")), st.lists(st.sampled_from("abcdef")))
def test_planning_again_after_all_ran_leaves_nothing(planned: list[str], done: list[str]) -> None:
    cells = [Planned(name) for name in planned]
    rows = [Outcome(name, "pass", "completed") for name in done]
    rows += [Outcome(t.cell.digest, "fail", "completed") for t in remaining(cells, rows)]
    assert remaining(cells, rows) == []


def test_outcomes_are_read_past_lines_that_are_no_rows(tmp_path: Path) -> None:
    path = tmp_path / "results.tsv"
    good = encode(a_row(cell_digest="a", status="crashed", pass_="invalid"))
    path.write_bytes(HEADER + b"junk\n\xff\xfe\n" + good + encode(a_row(pass_="maybe")) + good[:-1])
    assert list(read_outcomes(path)) == [Outcome("a", "invalid", "crashed")]


def test_ts02_a_torn_row_is_run_again_and_the_row_before_it_is_not(tmp_path: Path) -> None:
    path = tmp_path / "results.tsv"
    path.write_bytes(HEADER + encode(a_row(cell_digest="a")) + encode(a_row(cell_digest="b"))[:-9])
    assert [t.cell for t in remaining([A, B], read_outcomes(path))] == [B]


def test_ts03_separators_inside_a_cell_do_not_hide_its_row(tmp_path: Path) -> None:
    path = tmp_path / "results.tsv"
    raw = encode(a_row(cell_digest="a", reason="@@")).replace(b"@@", "a\x85b\u2028c\x0bd".encode())
    path.write_bytes(HEADER + raw)
    assert [t.cell for t in remaining([A, B], read_outcomes(path))] == [B]


@pytest.mark.parametrize("content", [None, b"", HEADER[:20], "\t".join(REQUIRED).encode() + b"\n"])
def test_a_table_that_knows_no_digests_has_no_outcomes(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "results.tsv"
    if content is not None:
        path.write_bytes(content)
    assert list(read_outcomes(path)) == []


def test_somebody_elses_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "results.tsv"
    path.write_bytes(b"a\tb\n")
    with pytest.raises(UserError, match="not the header"):
        list(read_outcomes(path))
