"""A bundle has its run again where nothing else of it is, carries no secret, and is opened without trust."""

import hashlib
import shutil
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import orjson
import pytest

from harness.engine.run_cell import WIRE
from harness.errors import UserError
from harness.repro.bundle import make_bundle
from harness.repro.opening import open_bundle
from harness.repro.past import open_past
from harness.results.archive import pack, unpack
from tests.repro.lab import Lab

SECRET = "sk-ant-api03-0123456789abcdefghij"


def bundle(lab: Lab, run_id: str, place: Path, **env: str) -> Path:
    past = open_past(run_id, lab.results, place)
    return make_bundle(past, place / "b.tar.zst", root=lab.root, environ=lab.environ | env).path


@pytest.fixture
def file(done: Lab, ids: dict[str, str], tmp_path: Path) -> Path:
    return bundle(done, ids["parallel"], tmp_path)


def test_a_bundle_has_the_run_again_in_an_empty_folder(done: Lab, file: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "empty"
    elsewhere.mkdir()
    if done.again(str(file), root=elsewhere, trust=True).row.sandbox == "jail":
        again = done.again(str(file), root=elsewhere)
        assert (again.code, again.how, again.requests) == (0, "replay", 3)


def test_a_bundle_is_small(file: Path) -> None:
    assert file.stat().st_size < 200_000


def test_without_a_jail_a_bundle_is_not_run_unless_trusted(done: Lab, file: Path) -> None:
    with pytest.raises(UserError, match="--trust does it all the same"):
        done.again(str(file), sandbox="tempdir")


@pytest.mark.parametrize(
    ("line", "asked"),
    [("jail: {network: true}", "the network"), ("env: {LD_PRELOAD: /x.so}", "LD_PRELOAD")],
    ids=["network", "environment"],
)
def test_a_bundle_opens_no_jail(lab: Lab, tmp_path: Path, line: str, asked: str) -> None:
    lab.edit("scenarios/demo/suite.yaml", "hook:", f"{line}\nhook:")
    (run_id,) = lab.run("silent", sandbox="tempdir")
    file = bundle(lab, run_id, tmp_path)
    with pytest.raises(UserError, match=f"asks for {asked}, which opens the jail|without a jail"):
        lab.again(str(file))


def test_it_is_made_of_the_project_where_no_copy_was_kept(lab: Lab, tmp_path: Path) -> None:
    (run_id,) = lab.run("ideal")
    shutil.rmtree(lab.results / "inputs")
    file = bundle(lab, run_id, tmp_path)
    assert lab.again(str(file), root=tmp_path, trust=True).code == 0


@pytest.mark.parametrize(
    ("where", "plant"),
    [
        ("fixture", lambda lab: (lab.root / "fixtures/world/.env").write_text(f"A=1\nKEY={SECRET}\n")),
        ("plugin", lambda lab: (lab.root / "fixtures/plugins/demo/notes").write_text("ghp_" + "a" * 36)),
        (
            "scenario",
            lambda lab: lab.edit("scenarios/demo/R1/scenario.yaml", "Add a", "Add my-own-secret-1 a"),
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_secret_anywhere_is_named_and_nothing_is_written(
    lab: Lab, tmp_path: Path, where: str, plant: Callable[[Lab], object]
) -> None:
    plant(lab)
    (run_id,) = lab.run("silent")
    with pytest.raises(
        UserError, match=r"^no bundle was made: \S+:\d+ holds what looks like a secret"
    ) as caught:
        bundle(lab, run_id, tmp_path, MY_API_KEY="my-own-secret-1")
    assert SECRET not in str(caught.value)
    assert not (tmp_path / "b.tar.zst").exists()


def tampered(file: Path, change: Callable[[Path], object]) -> Path:
    """The bundle packed again after a change in it."""
    with TemporaryDirectory() as name:
        place = Path(name) / "in"
        unpack(file, place)
        change(place)
        made = file.with_name("tampered.tar.zst")
        pack(made, [(p.name, p) for p in sorted(place.iterdir())])
    return made


def _label(place: Path, **fields: object) -> None:
    label = place / "bundle.json"
    label.write_bytes(orjson.dumps(orjson.loads(label.read_bytes()) | fields))


def _run(place: Path) -> Path:
    (run,) = (place / "runs").iterdir()
    return run


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda p: (p / "bundle.json").unlink(), r"it has no bundle\.json"),
        (lambda p: (p / "bundle.json").write_text("[]"), "is not as harness writes it"),
        (lambda p: _label(p, bundle=2), "was made by a newer harness"),
        (lambda p: _label(p, run_id="../x"), "does not hold the run"),
        (lambda p: (p / "more").write_text("x"), "does not hold what its label says"),
        (lambda p: (_run(p) / "stream.jsonl").unlink(), "does not hold what its label says"),
        (lambda p: (_run(p) / "link").symlink_to("stream.jsonl"), "does not hold what its label says"),
        (lambda p: (_run(p) / WIRE).write_bytes(b"x"), "is damaged"),
    ],
    ids=["no-label", "odd-label", "newer", "path", "more", "less", "link", "changed"],
)
def test_a_bundle_that_was_changed_is_refused(
    file: Path, tmp_path: Path, change: Callable[[Path], object], told: str
) -> None:
    with pytest.raises(UserError, match=told):
        open_bundle(tampered(file, change), tmp_path / "out")


def test_a_file_that_is_no_bundle_is_told_so(done: Lab, tmp_path: Path) -> None:
    (tmp_path / "x").write_text("text")
    with pytest.raises(UserError, match="is no bundle"):
        done.again(str(tmp_path / "x"))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("fixture_path", "/etc"),
        ("plugin_path", "../../../../x"),
        ("fixture", "../../secret"),
        ("suite", "../x"),
        ("root", 7),
    ],
)
def test_a_bundle_that_points_out_of_itself_is_refused(
    done: Lab, file: Path, tmp_path: Path, name: str, value: object
) -> None:
    def change(place: Path) -> None:
        (index,) = (place / "inputs").glob("*.json")
        _forge(place, index, **{name: value})

    with pytest.raises(UserError):
        done.again(str(tampered(file, change)), root=tmp_path, trust=True)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("limits", {"timeout_s": "x"}),
        ("limits", [1]),
        ("env", {"HOME": 1}),
        ("model", "scripted:no"),
        ("trial", "x"),
        ("scenario_digest", "../x"),
        ("argv", [1]),
    ],
)
def test_a_bundle_with_an_odd_invocation_is_refused(
    done: Lab, file: Path, tmp_path: Path, name: str, value: object
) -> None:
    forged = tampered(file, lambda place: _forge(place, _run(place) / "invocation.json", **{name: value}))
    with pytest.raises(UserError):
        done.again(str(forged), root=tmp_path, trust=True)


def _forge(place: Path, file: Path, **fields: object) -> None:
    """Change a JSON file of a bundle so that the label still agrees."""
    file.write_bytes(orjson.dumps(orjson.loads(file.read_bytes()) | fields))
    files = orjson.loads((place / "bundle.json").read_bytes())["files"]
    files[file.relative_to(place).as_posix()] = hashlib.sha256(file.read_bytes()).hexdigest()
    _label(place, files=files)
