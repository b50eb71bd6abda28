"""Shards become one table in which every cell counts once."""

from pathlib import Path

import pytest

from harness.errors import UserError
from harness.model.row import Row
from harness.results.merge import merge
from harness.results.row_codec import HEADER, read_rows
from harness.results.table import append_all
from tests.results.rows import a_row


def results(folder: Path, *rows: Row, runs: bool = False) -> Path:
    append_all(folder / "results.tsv", rows)
    for row in rows if runs else ():
        (folder / "runs" / row.run_id).mkdir(parents=True)
        (folder / "runs" / row.run_id / "stream.jsonl").write_text(row.run_id)
    return folder


def ids(folder: Path) -> list[str]:
    return [row.run_id for row in read_rows(folder / "results.tsv").rows]


ONE = a_row(run_id="r1", cell_digest="c1", started_at="2026-11-30T02:00:00.000Z")
TWO = a_row(run_id="r2", cell_digest="c2", started_at="2026-11-30T01:00:00.000Z")


def test_rows_of_all_sources_stand_in_the_order_of_time(tmp_path: Path) -> None:
    merge([results(tmp_path / "a", ONE), results(tmp_path / "b", TWO)], tmp_path / "all")
    assert ids(tmp_path / "all") == ["r2", "r1"]


def test_run_folders_come_along(tmp_path: Path) -> None:
    merged = merge([results(tmp_path / "a", ONE, runs=True)], tmp_path / "all")
    assert (merged.folders, (tmp_path / "all/runs/r1/stream.jsonl").read_text()) == (1, "r1")


def test_merging_again_changes_nothing(tmp_path: Path) -> None:
    sources = [results(tmp_path / "a", ONE, runs=True), results(tmp_path / "b", TWO)]
    merge(sources, tmp_path / "all")
    before = (tmp_path / "all/results.tsv").read_bytes()
    merged = merge(sources, tmp_path / "all")
    assert (merged.added, merged.known, merged.folders) == (0, 2, 0)
    assert (tmp_path / "all/results.tsv").read_bytes() == before


def test_the_same_row_in_two_files_counts_once(tmp_path: Path) -> None:
    merge([results(tmp_path / "a", ONE), results(tmp_path / "b", ONE)], tmp_path / "all")
    assert ids(tmp_path / "all") == ["r1"]


def test_a_run_id_that_is_a_path_copies_nothing(tmp_path: Path) -> None:
    source = results(tmp_path / "a", a_row(run_id="../../elsewhere"))
    (source / "runs").mkdir()
    (tmp_path / "elsewhere").mkdir()
    assert merge([source], tmp_path / "deep/er/all").folders == 0


def test_a_table_can_be_named_in_place_of_its_folder(tmp_path: Path) -> None:
    merge([results(tmp_path / "a", ONE) / "results.tsv"], tmp_path / "all")
    assert ids(tmp_path / "all") == ["r1"]


def test_two_answers_to_one_cell_are_refused_by_name(tmp_path: Path) -> None:
    sources = [results(tmp_path / "a", ONE), results(tmp_path / "b", a_row(run_id="r9", cell_digest="c1"))]
    with pytest.raises(
        UserError, match=r"(?s)count twice.*R1 new haiku trial 1 .*a/results\.tsv.*r1.*b/results\.tsv.*r9"
    ):
        merge(sources, tmp_path / "all")
    assert not (tmp_path / "all").exists()


def test_an_answer_that_the_target_has_already_is_refused(tmp_path: Path) -> None:
    target = results(tmp_path / "all", ONE)
    with pytest.raises(UserError, match="count twice"):
        merge([results(tmp_path / "b", a_row(run_id="r9", cell_digest="c1"))], target)


def test_one_run_with_two_contents_is_refused(tmp_path: Path) -> None:
    sources = [
        results(tmp_path / "a", ONE),
        results(tmp_path / "b", a_row(run_id="r1", cell_digest="c1", pass_="fail")),
    ]
    with pytest.raises(UserError, match="run r1 differs between"):
        merge(sources, tmp_path / "all")


def test_rows_without_a_digest_are_told_apart_by_what_they_have(tmp_path: Path) -> None:
    old = {"cell_digest": "", "plugin_digest": "p1"}
    sources = [
        results(tmp_path / "a", a_row(run_id="r1", **old)),
        results(tmp_path / "b", a_row(run_id="r2", **old)),
    ]
    with pytest.raises(UserError, match="count twice"):
        merge(sources, tmp_path / "all")


def test_an_invalid_row_beside_an_answer_is_no_second_answer(tmp_path: Path) -> None:
    sources = [
        results(tmp_path / "a", ONE),
        results(tmp_path / "b", a_row(run_id="r9", cell_digest="c1", pass_="invalid")),
    ]
    assert merge(sources, tmp_path / "all").added == 2


def test_a_cell_run_afresh_in_one_file_is_kept(tmp_path: Path) -> None:
    source = results(tmp_path / "a", ONE, a_row(run_id="r9", cell_digest="c1"))
    assert merge([source], tmp_path / "all").added == 2


def test_a_torn_line_is_left_behind_and_said(tmp_path: Path) -> None:
    source = results(tmp_path / "a", ONE)
    with (source / "results.tsv").open("ab") as file:
        file.write(b"R1\tha")
    merged = merge([source], tmp_path / "all")
    assert [(path, fault.line) for path, fault in merged.faults] == [(source / "results.tsv", 3)]


def test_a_folder_without_a_table_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"cannot merge .*: there is no results\.tsv in it"):
        merge([tmp_path], tmp_path / "all")


def test_merging_a_folder_into_itself_changes_nothing(tmp_path: Path) -> None:
    source = results(tmp_path / "a", ONE)
    assert merge([source], source).added == 0


def test_an_empty_shard_is_fine(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a/results.tsv").write_bytes(HEADER)
    assert merge([tmp_path / "a"], tmp_path / "all").added == 0


def test_what_the_runs_were_made_of_comes_along_once(tmp_path: Path) -> None:
    sources = [results(tmp_path / name, row) for name, row in (("a", ONE), ("b", TWO))]
    for source in sources:
        (source / "inputs").mkdir()
        (source / "inputs/d1.tar.zst").write_bytes(b"same")
    (sources[1] / "inputs/d2.tar.zst").write_bytes(b"other")
    merge(sources, tmp_path / "all")
    kept = {p.name: p.read_bytes() for p in (tmp_path / "all/inputs").iterdir()}
    assert kept == {"d1.tar.zst": b"same", "d2.tar.zst": b"other"}


def test_what_judges_said_comes_along(tmp_path: Path) -> None:
    source = results(tmp_path / "a", a_row())
    (source / "skills").mkdir()
    (source / "skills" / "20261130T1-x-haiku.json").write_text("{}")
    merge([source], tmp_path / "all")
    assert [p.name for p in (tmp_path / "all" / "skills").iterdir()] == ["20261130T1-x-haiku.json"]
