"""A finished run has its row, an unfinished one has none, whenever the harness is killed."""

import os
import subprocess
import sys
import time
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest

from harness.model.cell import CellKey
from harness.results.folder import ROW_FILE, RunFolder
from harness.results.record import PENDING, TABLE, record, recover
from harness.results.row_codec import HEADER, encode, read_rows
from tests.results import soak
from tests.results.rows import a_row

KEY = CellKey("os-adr", "R1", "new", "haiku", 1)


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    return RunFolder.create(tmp_path, datetime(2026, 11, 30, tzinfo=UTC), KEY)


def ids(results: Path) -> list[str]:
    return [row.run_id for row in read_rows(results / TABLE).rows]


def test_a_recorded_run_has_its_row_in_the_table_and_in_its_folder(tmp_path: Path, folder: RunFolder) -> None:
    row = a_row(run_id=folder.run_id)
    record(tmp_path, folder, row)
    assert (read_rows(tmp_path / TABLE).rows, read_rows(folder.path / ROW_FILE).rows) == ((row,), (row,))


def test_a_recorded_run_leaves_nothing_pending(tmp_path: Path, folder: RunFolder) -> None:
    record(tmp_path, folder, a_row(run_id=folder.run_id))
    assert list((tmp_path / PENDING).iterdir()) == []


def leave_pending(results: Path, folder: RunFolder, *, complete: bool) -> None:
    (results / PENDING).mkdir()
    (results / PENDING / folder.run_id).touch()
    if complete:
        folder.write(ROW_FILE, HEADER + encode(a_row(run_id=folder.run_id)))


def test_a_complete_run_that_missed_the_table_is_recovered(tmp_path: Path, folder: RunFolder) -> None:
    leave_pending(tmp_path, folder, complete=True)
    recovery = recover(tmp_path)
    assert ([row.run_id for row in recovery.rows], ids(tmp_path)) == ([folder.run_id], [folder.run_id])


def test_recovering_twice_adds_nothing(tmp_path: Path, folder: RunFolder) -> None:
    leave_pending(tmp_path, folder, complete=True)
    recover(tmp_path)
    assert (recover(tmp_path).rows, ids(tmp_path)) == ((), [folder.run_id])


def test_a_partial_run_is_not_counted(tmp_path: Path, folder: RunFolder) -> None:
    leave_pending(tmp_path, folder, complete=False)
    assert (recover(tmp_path).rows, ids(tmp_path)) == ((), [])


@pytest.mark.parametrize(("age_s", "left"), [(0, 1), (7200, 0)], ids=["perhaps-alive", "dead"])
def test_the_note_of_a_partial_run_goes_when_its_writer_must_be_dead(
    tmp_path: Path, folder: RunFolder, age_s: float, left: int
) -> None:
    leave_pending(tmp_path, folder, complete=False)
    then = time.time() - age_s
    os.utime(tmp_path / PENDING / folder.run_id, (then, then))
    recover(tmp_path)
    assert len(list((tmp_path / PENDING).iterdir())) == left


def test_a_row_taken_out_by_hand_does_not_come_back(tmp_path: Path, folder: RunFolder) -> None:
    record(tmp_path, folder, a_row(run_id=folder.run_id))
    (tmp_path / TABLE).write_bytes(HEADER)
    assert (recover(tmp_path).rows, ids(tmp_path)) == ((), [])


def test_an_empty_results_folder_has_nothing_to_recover(tmp_path: Path) -> None:
    assert recover(tmp_path).rows == ()


def test_two_hundred_kills_lose_tear_and_double_nothing(tmp_path: Path) -> None:
    root = Path(__file__).parents[2]
    command = [sys.executable, "-m", soak.__name__, str(tmp_path), "200", "7"]
    subprocess.run(command, check=True, timeout=60, cwd=root)
    recover(tmp_path)
    found = read_rows(tmp_path / TABLE)
    complete = [folder.parent.name for folder in (tmp_path / "runs").glob(f"*/{ROW_FILE}")]
    # A kill may tear the last line of all; the next append, here if any, sets it aside.
    assert [fault for fault in found.faults if not fault.torn] == []
    assert Counter(row.run_id for row in found.rows) == Counter(complete)
    assert len(complete) > 50
