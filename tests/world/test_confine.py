"""What a small command of an author can and cannot do in its jail."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.world.confine import Wrap, open_confinement
from harness.world.kernel import kernel_offers

needs_jail = pytest.mark.skipif(kernel_offers().bwrap is None, reason=kernel_offers().why)


@pytest.fixture
def wrap() -> Iterator[Wrap]:
    with open_confinement() as made:
        assert made is not None
        yield made


def run(wrap: Wrap, room: Path, line: str) -> "subprocess.CompletedProcess[str]":
    (room / "world").mkdir(parents=True, exist_ok=True)
    argv = wrap(["/bin/sh", "-c", line], room)
    return subprocess.run(argv, cwd=room, capture_output=True, text=True, timeout=20, check=False)


@needs_jail
def test_its_room_is_there_and_can_be_written(wrap: Wrap, tmp_path: Path) -> None:
    done = run(wrap, tmp_path / "room", "pwd; echo hi > made; exit 5")
    assert (done.returncode, done.stdout.strip()) == (5, str(tmp_path / "room/world"))
    assert (tmp_path / "room/world/made").read_text() == "hi\n"


@needs_jail
@pytest.mark.parametrize(
    "line",
    [
        pytest.param("test -e '{secret}'", id="sees-nothing-else"),
        pytest.param("touch /usr/made", id="the-system-is-read-only"),
        pytest.param("touch /made", id="the-root-is-read-only"),
        pytest.param("grep -q : /proc/net/route && grep -vq Iface /proc/net/route", id="no-network"),
    ],
)
def test_the_rest_of_the_machine_is_out_of_reach(wrap: Wrap, tmp_path: Path, line: str) -> None:
    secret = tmp_path / "secret"
    secret.write_text("x")
    assert run(wrap, tmp_path / "room", line.format(secret=secret)).returncode != 0
