"""A run had again on the real claude: the same, or the first thing that is not."""

import shutil
from pathlib import Path

import pytest
import zstandard

from harness.engine.run_cell import WIRE
from harness.errors import UserError
from tests.repro.lab import Lab

PLUGIN = "fixtures/plugins/demo"


@pytest.fixture
def changed(tmp_path: Path, done: Lab) -> Path:
    """The plugin with another sentence in its hook."""
    plugin = tmp_path / "changed"
    shutil.copytree(done.root / PLUGIN, plugin)
    (plugin / "told").write_text("decisions live in docs/adr: look there before you change anything\n")
    return plugin


def test_a_run_comes_to_the_same_from_its_recording(done: Lab, ids: dict[str, str]) -> None:
    again = done.again(ids["parallel"])
    assert (again.how, again.differs, again.same_verdict, again.failure, again.notes) == (
        "replay",
        False,
        True,
        "",
        (),
    )


@pytest.mark.parametrize("playbook", ["background", "race", "command"])
def test_what_goes_on_in_the_background_ends_at_the_same_turn(lab: Lab, playbook: str) -> None:
    (run_id,) = lab.run(playbook)
    replays = [lab.again(run_id) for _ in range(2)]
    assert [(r.difference, r.failure, r.notes, r.code) for r in replays] == [(None, "", (), 0)] * 2


def test_a_repetition_leaves_neither_rows_nor_folders(done: Lab, ids: dict[str, str]) -> None:
    before = sorted(done.results.rglob("*"))
    done.again(ids["ideal"])
    assert sorted(done.results.rglob("*")) == before


def test_a_strict_replay_in_the_jail_is_equal_to_the_byte(done: Lab, ids: dict[str, str]) -> None:
    if done.again(ids["ideal"]).row.sandbox != "jail":
        pytest.skip("no jail here, so paths differ")
    assert done.again(ids["ideal"], strict=True).code == 0


@pytest.mark.parametrize(
    ("then", "playbook"), [("tempdir", "parallel"), ("auto", "ideal")], ids=["plain", "jail"]
)
def test_paths_of_another_place_are_mapped(lab: Lab, then: str, playbook: str) -> None:
    (run_id,) = lab.run(playbook, sandbox=then)
    again = lab.again(run_id, sandbox="tempdir")
    assert (again.code, again.difference) == (0, None)


def test_what_the_harness_could_not_answer_then_it_cannot_now(done: Lab, ids: dict[str, str]) -> None:
    again = done.again(ids["short"])
    assert (again.code, again.then.status, again.now.status) == (0, "setup_error", "setup_error")


def test_a_changed_hook_shows_what_the_model_would_have_seen(
    done: Lab, ids: dict[str, str], changed: Path
) -> None:
    again = done.again(ids["ideal"], plugin=changed)
    assert again.difference is not None
    assert (again.code, again.difference.request, again.stopped_there) == (1, 1, True)
    assert "-SessionStart:startup hook success: decisions live in docs/adr: look there\n" in again.seen
    assert "look there before you change anything" in again.seen


def test_a_changed_skill_shows_too(done: Lab, ids: dict[str, str], tmp_path: Path) -> None:
    plugin = tmp_path / "demo"
    shutil.copytree(done.root / PLUGIN, plugin)
    skill = plugin / "skills/look/SKILL.md"
    skill.write_text(skill.read_text().replace("Find decisions", "Find the decision that governs a file"))
    again = done.again(ids["ideal"], plugin=plugin)
    assert "Find the decision that governs a file" in again.seen


def test_a_change_that_no_model_sees_is_none(done: Lab, ids: dict[str, str], tmp_path: Path) -> None:
    plugin = tmp_path / "elsewhere"
    shutil.copytree(done.root / PLUGIN, plugin)
    (plugin / "NOTES.md").write_text("for authors")
    assert done.again(ids["ideal"], plugin=plugin).code == 0


def test_with_live_the_model_goes_on_from_the_difference(
    done: Lab, ids: dict[str, str], changed: Path
) -> None:
    again = done.again(ids["ideal"], plugin=changed, live=True)
    assert (again.how, again.now.verdict, again.failure) == ("replay, then live", "pass", "")
    assert again.went_live.startswith("request 1 differs")


def test_live_asks_the_model_again(done: Lab, ids: dict[str, str]) -> None:
    again = done.again(ids["ideal"], live=True)
    assert (again.how, again.code, again.row.wire) == ("live", 0, "scripted")


def test_a_run_is_had_again_as_it_was_when_its_files_have_changed(lab: Lab) -> None:
    (run_id,) = lab.run("ideal")
    lab.edit(f"{PLUGIN}/told", "look there", "nothing")
    lab.edit("fixtures/world/src/price.py", "TAX", "VAT")
    again = lab.again(run_id)
    assert again.code == 0
    assert [note.split(" since;")[0] for note in again.notes] == [
        "the scenario R1 or its fixture has changed",
        "the plugin has changed",
    ]


def test_without_a_copy_the_project_serves_while_it_is_the_same(lab: Lab) -> None:
    (run_id,) = lab.run("ideal")
    shutil.rmtree(lab.results / "inputs")
    assert lab.again(run_id).code == 0
    lab.edit("fixtures/world/src/price.py", "TAX", "VAT")
    with pytest.raises(UserError, match=r"its fixture has changed since .*, and no copy was kept"):
        lab.again(run_id)


def test_a_hook_that_broke_is_the_first_difference_and_shows_in_the_verdict(lab: Lab) -> None:
    (run_id,) = lab.run("ideal")
    shutil.rmtree(lab.results / "inputs")
    lab.edit(f"{PLUGIN}/hooks/hooks.json", "cat ", "false ")
    with pytest.raises(UserError, match=r"--plugin .* tries the present one"):
        lab.again(run_id)
    again = lab.again(run_id, plugin=lab.root / PLUGIN)
    assert again.difference is not None
    assert (again.difference.request, "look there" in again.difference.old) == (1, True)


def test_a_request_without_a_recording_ends_the_replay_and_is_named(lab: Lab) -> None:
    (run_id,) = lab.run("ideal")
    _forget(lab.results / "runs" / run_id / WIRE, 2)
    again = lab.again(run_id)
    assert again.failure.startswith("no recorded answer for request 2: turn 2 of the main conversation")
    assert (again.code, again.now.status) == (3, "setup_error")


def _forget(wire: Path, number: int) -> None:
    """Take one exchange out of a recording."""
    with wire.open("rb") as file:
        lines = zstandard.ZstdDecompressor(max_window_size=1 << 23).stream_reader(file).readall().split(b"\n")
    kept = [line for line in lines if not line.startswith(b'{"n":%d,' % number)]
    wire.write_bytes(zstandard.compress(b"\n".join(kept)))


def test_a_run_without_a_recording_is_told_so(lab: Lab) -> None:
    (run_id,) = lab.run("silent")
    (lab.results / "runs" / run_id / WIRE).unlink()
    with pytest.raises(UserError, match=r"no recording of .*; --live asks the model again"):
        lab.again(run_id)


def test_upto_stops_before_the_call_and_keeps_the_world(done: Lab, ids: dict[str, str]) -> None:
    again = done.again(ids["parallel"], upto=3)
    world = Path(again.kept["world"])
    try:
        assert again.stopped_before.startswith("tool call 3: Write ")
        assert (again.code, (world / "src/price.py").exists(), (world / "src/new.py").exists()) == (
            0,
            True,
            False,
        )
    finally:
        shutil.rmtree(world.parent)
        shutil.rmtree(Path(again.kept["record"]).parents[2])


def test_upto_says_how_many_calls_there_are(done: Lab, ids: dict[str, str]) -> None:
    with pytest.raises(UserError, match="--upto 4: the run made 3 tool calls"):
        done.again(ids["parallel"], upto=4)


def test_keep_leaves_the_world_as_it_ended(done: Lab, ids: dict[str, str]) -> None:
    again = done.again(ids["parallel"], keep=True)
    world = Path(again.kept["world"])
    try:
        assert (world / "src/new.py").read_text() == "from decimal import Decimal"
        assert Path(again.kept["home"]).is_dir()
    finally:
        shutil.rmtree(world.parent)
        shutil.rmtree(Path(again.kept["record"]).parents[2])


@pytest.mark.parametrize("target", ["gone", "../x", "runs/../../etc"])
def test_a_run_that_is_not_there_is_told_so(done: Lab, target: str) -> None:
    with pytest.raises(UserError, match="there is no run"):
        done.again(target)


def test_a_plugin_must_be_one(done: Lab, ids: dict[str, str], tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"has no \.claude-plugin/plugin\.json"):
        done.again(ids["ideal"], plugin=tmp_path)
