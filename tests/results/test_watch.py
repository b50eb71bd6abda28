"""What was recorded before a run is proved unchanged, while others go on recording."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from harness.model.cell import CellKey
from harness.results.folder import RunFolder
from harness.results.record import TABLE, record
from harness.results.row_codec import encode
from harness.results.watch import ResultsWatch
from tests.results.rows import a_row

KEY = CellKey("s", "R1", "new", "haiku", 1)


def add(results: Path) -> RunFolder:
    folder = RunFolder.create(results, datetime.now(UTC), KEY)
    folder.write("stream.jsonl", "{}\n")
    record(results, folder, a_row(run_id=folder.run_id))
    return folder


@pytest.fixture
def results(tmp_path: Path) -> Path:
    add(tmp_path)
    return tmp_path


def test_nothing_is_found_where_nothing_happened(results: Path) -> None:
    assert ResultsWatch.of(results).changed() == ()


def test_a_folder_without_results_can_be_watched(tmp_path: Path) -> None:
    watch = ResultsWatch.of(tmp_path)
    assert watch.changed() == ()
    add(tmp_path)
    assert watch.changed() == ()


def test_runs_that_others_record_are_no_meddling(results: Path) -> None:
    watch = ResultsWatch.of(results)
    add(results)
    add(results)
    assert watch.changed() == ()


def _forge(results: Path) -> None:
    with (results / TABLE).open("ab") as table:
        table.write(encode(a_row(run_id="made-up")))


def _flip(results: Path) -> None:
    table = results / TABLE
    table.write_bytes(table.read_bytes().replace(b"\tpass\t", b"\tfail\t").replace(b"haiku", b"sonne"))


def _edit(results: Path) -> None:
    with next((results / "runs").glob("*/stream.jsonl")).open("a") as file:
        file.write("x")


def _remove(results: Path) -> None:
    next((results / "runs").glob("*/stream.jsonl")).unlink()


@pytest.mark.parametrize(
    ("meddle", "where", "make"),
    [
        *(
            (meddle, TABLE, make)
            for meddle in (_forge, _flip)
            for make in (ResultsWatch.of, ResultsWatch.near)
        ),
        (_edit, "runs/", ResultsWatch.of),
        (_remove, "runs/", ResultsWatch.of),
    ],
)
def test_meddling_is_found(
    meddle: Callable[[Path], None], where: str, make: Callable[[Path], ResultsWatch], results: Path
) -> None:
    watch = make(results)
    meddle(results)
    (found,) = watch.changed()
    assert where in found


def test_a_forged_row_that_names_a_real_run_is_found(results: Path) -> None:
    watch = ResultsWatch.of(results)
    run_id = next((results / "runs").iterdir()).name
    with (results / TABLE).open("ab") as table:
        table.write(encode(a_row(run_id=run_id, scenario="R9")))
    assert watch.changed() == (str(results / TABLE),)
