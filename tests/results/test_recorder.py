"""Runs recorded together: each is in the table at once, and its note stays until the disk has it."""

from datetime import UTC, datetime
from pathlib import Path

from harness.model.cell import CellKey
from harness.results.folder import RunFolder
from harness.results.record import recover
from harness.results.recorder import Recorder
from harness.results.row_codec import read_rows
from tests.results.rows import a_row

KEY = CellKey("s", "R1", "new", "haiku", 1)


def made(results: Path) -> RunFolder:
    return RunFolder.create(results, datetime.now(UTC), KEY)


def test_a_row_goes_into_the_table_after_its_files_are_on_the_disk(tmp_path: Path) -> None:
    with Recorder(tmp_path) as recorder:
        folder = made(tmp_path)
        recorder.record(folder, a_row(run_id=folder.run_id))
        assert not (tmp_path / "results.tsv").exists()
        assert [p.name for p in (tmp_path / "pending").iterdir()] == [folder.run_id]
        recorder.flush()
        assert [r.run_id for r in read_rows(tmp_path / "results.tsv").rows] == [folder.run_id]


def test_a_torn_last_line_is_set_aside_and_told(tmp_path: Path) -> None:
    with Recorder(tmp_path) as recorder:
        for number in range(2):
            folder = made(tmp_path)
            recorder.record(folder, a_row(run_id=folder.run_id))
            recorder.flush()
            if number == 0:
                with (tmp_path / "results.tsv").open("ab") as table:
                    table.write(b"R1\thaiku\ttr")
        assert [r.fragment for r in recorder.repairs()] == [b"R1\thaiku\ttr"]
    assert len(read_rows(tmp_path / "results.tsv").rows) == 2


def test_at_the_end_no_note_is_left(tmp_path: Path) -> None:
    with Recorder(tmp_path) as recorder:
        for _ in range(3):
            folder = made(tmp_path)
            recorder.record(folder, a_row(run_id=folder.run_id))
    assert not list((tmp_path / "pending").iterdir())


def test_what_a_killed_recorder_left_is_counted_once(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path)  # never entered, never left: as if it was killed
    folder = made(tmp_path)
    recorder.record(folder, a_row(run_id=folder.run_id))
    recover(tmp_path)
    assert [r.run_id for r in read_rows(tmp_path / "results.tsv").rows] == [folder.run_id]
    assert not list((tmp_path / "pending").iterdir())
