"""Which changes of a real home are noticed."""

from pathlib import Path

import pytest

from harness.world.home import watch_home


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / ".ssh").mkdir()
    (tmp_path / ".bashrc").write_text("# mine\n")
    return tmp_path


@pytest.mark.parametrize(
    "path",
    [
        ".bashrc",
        ".gitconfig",
        ".ssh/authorized_keys",
        ".claude/settings.json",
        ".claude/skills/x/SKILL.md",
        ".config/systemd/user/daemon.service",
        "Library/LaunchAgents/agent.plist",
    ],
)
def test_is09_what_decides_later_behaviour_is_watched(home: Path, path: str) -> None:
    watch = watch_home(home)
    (home / path).parent.mkdir(parents=True, exist_ok=True)
    (home / path).write_text("planted\n")
    assert str(home / path) in watch.changed()


@pytest.mark.parametrize("path", [".bash_history", ".ssh/known_hosts", ".cache/x", "notes.txt"])
def test_what_changes_while_its_owner_works_is_not(home: Path, path: str) -> None:
    watch = watch_home(home)
    (home / path).parent.mkdir(parents=True, exist_ok=True)
    (home / path).write_text("x\n")
    assert watch.changed() == ()
