"""What was recorded before a run is proved unchanged, while others go on recording."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from harness.model.cell import CellKey
from harness.results.folder import RunFolder
from harness.results.record import TABLE, record
from harness.results.row_codec import encode
from harness.results.watch import SealedRuns, TableWatch
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


Changed = Callable[[], tuple[str, ...]]
MAKERS: dict[str, Callable[[Path], Changed]] = {
    "runs": lambda results: SealedRuns(results).changed,
    "table": lambda results: TableWatch.of(results).changed,
    "near": lambda results: TableWatch.near(results).changed,
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_nothing_is_found_where_nothing_happened(results: Path, make: Callable[[Path], Changed]) -> None:
    assert make(results)() == ()


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_a_folder_without_results_can_be_watched(tmp_path: Path, make: Callable[[Path], Changed]) -> None:
    changed = make(tmp_path)
    assert changed() == ()
    add(tmp_path)
    assert changed() == ()


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_runs_that_others_record_are_no_meddling(results: Path, make: Callable[[Path], Changed]) -> None:
    changed = make(results)
    add(results)
    add(results)
    assert changed() == ()


def test_a_run_is_watched_from_its_completion_on(results: Path) -> None:
    sealed = SealedRuns(results)
    folder = add(results)
    sealed.add(folder.run_id)
    assert sealed.changed() == ()
    (folder.path / "stream.jsonl").write_text("x")
    assert sealed.changed() == (str(folder.path),)


def test_no_more_than_the_newest_runs_are_watched(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.results.watch.WATCHED_RUNS", 2)
    sealed = SealedRuns(results)
    folders = [add(results) for _ in range(3)]
    for folder in folders:
        sealed.add(folder.run_id)
    for path in (results / "runs").glob("*/stream.jsonl"):
        path.write_text("x")
    assert sealed.changed() == tuple(sorted(str(folder.path) for folder in folders[1:]))


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
    ("meddle", "maker", "where"),
    [
        *((meddle, maker, TABLE) for meddle in (_forge, _flip) for maker in ("table", "near")),
        (_edit, "runs", "runs/"),
        (_remove, "runs", "runs/"),
    ],
)
def test_meddling_is_found(meddle: Callable[[Path], None], maker: str, where: str, results: Path) -> None:
    changed = MAKERS[maker](results)
    meddle(results)
    (found,) = changed()
    assert where in found


def test_a_forged_row_that_names_a_real_run_is_found(results: Path) -> None:
    watch = TableWatch.of(results)
    run_id = next((results / "runs").iterdir()).name
    with (results / TABLE).open("ab") as table:
        table.write(encode(a_row(run_id=run_id, scenario="R9")))
    assert watch.changed() == (str(results / TABLE),)
