"""Rows reach the shared file whole and once, whoever else writes and whoever dies."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from harness.errors import UserError
from harness.results.row_codec import COLUMNS, HEADER, REQUIRED, encode, read_rows
from harness.results.table import append, torn_path, upgrade
from tests.results.rows import a_row

WRITER = """
import sys
from pathlib import Path
from harness.results.table import append
from tests.results.rows import a_row
name, path, rows = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
for n in range(rows):
    append(path, a_row(run_id=f"{name}-{n}", reason="x" * 9000))
"""

HOLDER = """
import sys, time
from pathlib import Path
from harness.results.table import locked
with locked(Path(sys.argv[1])):
    print(flush=True)
    time.sleep(60)
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "results" / "results.tsv"


def ids(path: Path) -> list[str]:
    return [row.run_id for row in read_rows(path).rows]


def test_the_first_row_comes_after_one_header(path: Path) -> None:
    append(path, a_row(run_id="r1"))
    append(path, a_row(run_id="r2"))
    assert path.read_bytes() == HEADER + encode(a_row(run_id="r1")) + encode(a_row(run_id="r2"))


def test_an_append_to_a_good_table_has_nothing_to_repair(path: Path) -> None:
    assert append(path, a_row()) is None


def test_the_same_run_is_added_once(path: Path) -> None:
    append(path, a_row(run_id="r1"))
    append(path, a_row(run_id="r1", pass_="fail"))
    assert ids(path) == ["r1"]


def test_a_run_that_another_process_added_is_not_added_again(path: Path) -> None:
    append(path, a_row(run_id="r1"))
    with path.open("ab") as other:
        other.write(encode(a_row(run_id="r2")))
    append(path, a_row(run_id="r2"))
    assert ids(path) == ["r1", "r2"]


def test_ts02_a_torn_line_is_set_aside_and_the_new_row_starts_on_its_own_line(path: Path) -> None:
    append(path, a_row(run_id="r1"))
    with path.open("ab") as killed:
        killed.write(b"R2\thaiku\ttr")
    repair = append(path, a_row(run_id="r2"))
    assert repair is not None
    assert (repair.fragment, torn_path(path).read_bytes()) == (b"R2\thaiku\ttr", b"R2\thaiku\ttr\n")
    assert (ids(path), read_rows(path).faults) == (["r1", "r2"], ())


def test_a_repair_says_what_happened_and_where_the_fragment_is(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(HEADER + b"torn")
    repair = append(path, a_row())
    assert repair is not None
    assert f"torn line of 4 bytes (a writer was killed); it was moved to {torn_path(path)}" in repair.text


def test_a_torn_line_longer_than_one_read_is_found_whole(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(HEADER + b"x" * 200_000)
    repair = append(path, a_row())
    assert repair is not None and len(repair.fragment) == 200_000
    assert path.read_bytes() == HEADER + encode(a_row())


@pytest.mark.parametrize(
    "start", [b"", HEADER, HEADER[:-1], HEADER[:30]], ids=["empty", "header", "no-newline", "torn"]
)
def test_ts02_a_table_that_was_only_begun_takes_rows(path: Path, start: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(start)
    append(path, a_row())
    assert path.read_bytes() == HEADER + encode(a_row())


@pytest.mark.parametrize(
    "content", [b"iteration\tcommit\n0\tabc\n", b"my notes"], ids=["other-table", "no-newline"]
)
def test_a_foreign_file_is_refused_and_left_alone(path: Path, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    with pytest.raises(UserError, match="not the header of a results table"):
        append(path, a_row())
    assert path.read_bytes() == content


def test_a_table_that_was_removed_begins_anew(path: Path) -> None:
    append(path, a_row(run_id="r1"))
    path.unlink()
    append(path, a_row(run_id="r1"))
    assert ids(path) == ["r1"]


def test_a_newer_harness_columns_get_empty_cells(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(HEADER[:-1] + b"\tmood\n")
    append(path, a_row())
    assert path.read_bytes().split(b"\n")[1] == encode(a_row())[:-1] + b"\t"


def test_an_older_table_is_upgraded_and_kept_beside(path: Path) -> None:
    path.parent.mkdir()
    old = "\t".join(REQUIRED).encode() + b"\n" + encode(a_row(run_id="r1"), REQUIRED)
    path.write_bytes(old)
    repair = append(path, a_row(run_id="r2"))
    assert repair is not None and repair.upgraded_copy == path.with_name("results.v1.tsv")
    assert repair.upgraded_copy.read_bytes() == old
    assert (ids(path), read_rows(path).columns) == (["r1", "r2"], COLUMNS)


def test_an_upgrade_never_overwrites_an_earlier_copy(path: Path) -> None:
    path.parent.mkdir()
    path.with_name("results.v1.tsv").write_text("mine")
    path.write_bytes("\t".join(REQUIRED).encode() + b"\n")
    assert upgrade(path) == path.with_name("results.v1.2.tsv")


def test_an_up_to_date_table_is_not_upgraded(path: Path) -> None:
    append(path, a_row())
    assert upgrade(path) is None


def test_a_folder_in_the_way_is_one_sentence(path: Path) -> None:
    path.mkdir(parents=True)
    with pytest.raises(UserError, match=r"cannot write .*results\.tsv: Is a directory"):
        append(path, a_row())


def test_threads_of_one_process_share_the_table(path: Path) -> None:
    with ThreadPoolExecutor(16) as pool:
        list(pool.map(lambda n: append(path, a_row(run_id=f"r{n % 100}")), range(200)))
    assert sorted(ids(path)) == sorted(f"r{n}" for n in range(100))


def test_ts04_eight_processes_at_once_lose_tear_and_double_nothing(path: Path) -> None:
    # Two of a name: a grid started twice writes the same runs twice.
    writers = [start_writer(f"w{n % 4}", path, 25) for n in range(8)]
    assert [writer.wait(60) for writer in writers] == [0] * 8
    found = read_rows(path)
    assert sorted(row.run_id for row in found.rows) == sorted(
        f"w{n}-{m}" for n in range(4) for m in range(25)
    )
    assert (found.faults, torn_path(path).exists()) == ((), False)


def test_ts04_the_lock_of_a_killed_writer_is_free_again(path: Path) -> None:
    path.parent.mkdir()
    holder = subprocess.Popen([sys.executable, "-c", HOLDER, path], stdout=subprocess.PIPE, env=environment())
    assert holder.stdout is not None
    with holder, holder.stdout:
        holder.stdout.readline()
        holder.kill()
    append(path, a_row())
    assert len(ids(path)) == 1


def start_writer(name: str, path: Path, rows: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", WRITER, name, path, str(rows)], env=environment())


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
