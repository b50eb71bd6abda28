"""Every run has its own folder, under a name that a person and a file system can bear."""

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import UserError
from harness.model.cell import CellKey
from harness.results.folder import RunFolder, new_run_id

STARTED = datetime(2026, 11, 30, 17, 13, 20, tzinfo=UTC)
KEY = CellKey("os-adr", "R1", "new", "haiku", 1)


def test_a_run_id_tells_time_and_cell() -> None:
    assert re.fullmatch(r"20261130T171320Z-os-adr-R1-new-haiku-t1-[0-9a-f]{6}", new_run_id(STARTED, KEY))


def test_a_second_try_shows_in_the_run_id() -> None:
    assert "-t1a2-" in new_run_id(STARTED, KEY, attempt=2)


@given(st.text(), st.text(), st.text(), st.text(), st.integers(1, 9999), st.integers(1, 9))
def test_a_run_id_is_one_safe_short_name(
    suite: str, scenario: str, arm: str, model: str, trial: int, attempt: int
) -> None:
    run_id = new_run_id(STARTED, CellKey(suite, scenario, arm, model, trial), attempt)
    assert re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,119}", run_id)


def test_a_model_with_a_colon_gives_a_plain_name() -> None:
    assert "-scripted-ideal-t1-" in new_run_id(STARTED, KEY._replace(model="scripted:ideal"))


def test_runs_of_the_same_cell_and_second_have_their_own_folders(tmp_path: Path) -> None:
    folders = {RunFolder.create(tmp_path, STARTED, KEY).path for _ in range(50)}
    assert len(folders) == 50 and all(folder.is_dir() for folder in folders)


def test_text_that_is_not_utf8_is_still_written(tmp_path: Path) -> None:
    folder = RunFolder.create(tmp_path, STARTED, KEY)
    assert folder.write("output.md", "a\ud800b").read_text() == "a?b"


def test_sealing_passes_over_links_and_subfolders(tmp_path: Path) -> None:
    folder = RunFolder.create(tmp_path, STARTED, KEY)
    folder.write("stream.jsonl", b"{}\n")
    (folder.path / "dangling").symlink_to("nowhere")
    (folder.path / "world").mkdir()
    folder.seal()
    assert sorted(path.name for path in folder.path.iterdir()) == ["dangling", "stream.jsonl", "world"]


def test_a_file_in_the_way_of_the_runs_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "runs").touch()
    with pytest.raises(UserError, match="it is not a folder"):
        RunFolder.create(tmp_path, STARTED, KEY)
