"""What a run in a plain folder finds around it."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from harness.errors import UserError
from harness.world.removal import AT_ONCE, Rubbish, remove_tree
from harness.world.sandbox import Sandbox, clean_base, open_tempdir
from harness.world.strays import mark_owned, remove_strays

HOSTILE = {
    "PATH": os.environ["PATH"],
    "LC_TIME": "C",
    "CLAUDECODE": "1",
    "CLAUDE_CODE_CHILD_SESSION": "1",
    "CLAUDE_CONFIG_DIR": "/elsewhere",
    "ANTHROPIC_API_KEY": "sk-planted",
    "ANTHROPIC_BASE_URL": "http://elsewhere",
    "GIT_DIR": "/elsewhere/.git",
    "GIT_CONFIG_COUNT": "1",
    "HTTPS_PROXY": "http://proxy",
    "https_proxy": "http://proxy",
    "NODE_OPTIONS": "--require /x",
    "LD_PRELOAD": "/x.so",
    "AWS_SECRET_ACCESS_KEY": "planted",
    "HOME": "/home/somebody",
    "HARNESS_CLAUDE": "/x",
    "PYTHONPATH": "/x",
}


@pytest.fixture
def fixture(tmp_path: Path) -> Path:
    root = tmp_path / "fixture"
    root.mkdir()
    (root / "a.txt").write_text("one\n")
    return root


def _run(sandbox: Sandbox, script: str) -> str:
    done = subprocess.run(
        sandbox.wrap(("/bin/sh", "-c", script)),
        cwd=sandbox.cwd,
        env=dict(sandbox.env),
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr


def test_pr12_the_environment_holds_nothing_of_the_callers(fixture: Path) -> None:
    with open_tempdir(fixture, token="t", environ=HOSTILE) as sandbox:
        env = sandbox.env
    assert {k: v for k, v in env.items() if HOSTILE.get(k) == v} == {
        "PATH": HOSTILE["PATH"],
        "LC_TIME": "C",
    }
    made = {"CLAUDE_CONFIG_DIR", "CLAUDE_CODE_TMPDIR"}
    assert {k for k in env if k.startswith(("CLAUDE", "ANTHROPIC"))} == made
    assert not any("proxy" in k.lower() for k in env)


def test_is09_home_and_configuration_are_inside(fixture: Path) -> None:
    with open_tempdir(fixture, token="t") as sandbox:
        _run(sandbox, "touch ~/escape-marker; git config --global user.name x")
        assert (sandbox.home / "escape-marker").exists()
        assert "name = x" in (sandbox.home / ".gitconfig").read_text()
        inside = [sandbox.home, sandbox.config_dir, sandbox.tmp, sandbox.world]
        assert all(path.is_relative_to(sandbox.root) for path in inside)


def test_it_is_gone_afterwards(fixture: Path) -> None:
    with open_tempdir(fixture, token="t") as sandbox:
        assert sandbox.root.is_dir()
    assert not sandbox.root.exists()


def test_it_stays_when_it_is_kept(fixture: Path) -> None:
    with open_tempdir(fixture, token="t", keep=True) as sandbox:
        pass
    assert (sandbox.world / "a.txt").read_text() == "one\n"
    remove_tree(sandbox.root)


def test_it_is_gone_after_an_error_too(fixture: Path) -> None:
    with pytest.raises(KeyboardInterrupt), open_tempdir(fixture, token="t") as sandbox:
        raise KeyboardInterrupt
    assert not sandbox.root.exists()


def test_closed_folders_do_not_keep_it(fixture: Path) -> None:
    with open_tempdir(fixture, token="t") as sandbox:
        _run(sandbox, "mkdir -p d/e && touch d/e/f && chmod 400 d/e/f && chmod 000 d/e d && chmod 500 .")
    assert not sandbox.root.exists()


def test_changes_are_those_of_the_run(fixture: Path) -> None:
    with open_tempdir(fixture, token="t") as sandbox:
        _run(sandbox, "echo two >> a.txt; echo new > b.txt")
        assert [(c.path, c.kind) for c in sandbox.changes()] == [("a.txt", "modified"), ("b.txt", "added")]
        assert sandbox.settle() == sandbox.world
    assert (fixture / "a.txt").read_text() == "one\n"


@pytest.mark.parametrize("name", ["CLAUDE.md", "CLAUDE.local.md", ".claude", ".git"])
def test_is03_a_folder_under_a_project_is_passed_over(tmp_path: Path, name: str) -> None:
    project = tmp_path / "proj"
    (project / "tmp").mkdir(parents=True)
    (project / name).write_text("CANARY-PARENT")
    assert not clean_base({"TMPDIR": str(project / "tmp")}).is_relative_to(project)


def test_is03_with_no_clean_folder_it_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.world.sandbox._LOADED_FROM_ABOVE", ("usr",))
    with pytest.raises(UserError, match="Set TMPDIR to a folder outside of any project"):
        clean_base({"TMPDIR": str(tmp_path)})


def test_a_link_to_a_folder_is_followed_before_it_is_judged(tmp_path: Path) -> None:
    project = tmp_path / "proj"
    (project / "tmp").mkdir(parents=True)
    (project / "CLAUDE.md").write_text("x")
    (tmp_path / "link").symlink_to(project / "tmp")
    assert not clean_base({"TMPDIR": str(tmp_path / "link")}).is_relative_to(project)


def test_fx04_a_commit_is_the_same_whatever_the_host_is_configured_to(
    fixture: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home/.gitconfig").write_text(
        "[commit]\n gpgsign = true\n[core]\n hooksPath = /h\n[init]\n defaultBranch = trunk\n"
    )
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    script = (
        "git init -q && git add a.txt && git commit -qm i && git rev-parse HEAD && git branch --show-current"
    )
    said = []
    for token in ("one", "two"):
        with open_tempdir(fixture, token=token) as sandbox:
            said.append(_run(sandbox, script))
    assert said[0] == said[1]
    assert said[0].endswith("main\n")
    assert len(said[0].split()) == 2


def test_git_does_not_look_above_the_world(fixture: Path) -> None:
    with open_tempdir(fixture, token="t") as sandbox:
        subprocess.run(["git", "init", "-q", sandbox.root], check=True)
        assert "not a git repository" in _run(sandbox, "git status")


def _killed_harness(fixture: Path, base: Path, mark: str) -> Path:
    """The root of a sandbox whose harness was killed while a run that resists was going on in it."""
    script = (
        "import os, sys; sys.path[:0] = sys.argv[2:]\n"
        "from pathlib import Path\n"
        "from harness.claude.process import Command, supervise\n"
        "from harness.model.scenario import Limits\n"
        "from harness.world.sandbox import open_tempdir\n"
        "with open_tempdir(Path(sys.argv[1]), token='t') as s:\n"
        "    print(s.root, flush=True)\n"
        f"    argv = s.wrap(('/bin/sh', '-c', \"trap '' TERM; sleep 1331.{mark}; sleep 1331.{mark}\"))\n"
        "    command = Command(argv=argv, env=s.env, cwd=s.cwd, stdin=None, token='stray')\n"
        "    supervise(command, stdout=s.root / 'o', stderr=s.root / 'e', limits=Limits())\n"
    )
    harness = subprocess.Popen(
        [sys.executable, "-c", script, str(fixture), *sys.path],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(base)},
    )
    assert harness.stdout is not None
    root = Path(harness.stdout.readline().strip())
    _until(lambda: _sleepers(mark) > 0)
    harness.kill()
    harness.wait()
    harness.stdout.close()
    return root


def _sleepers(mark: str) -> int:
    count = 0
    for process in psutil.process_iter():
        try:
            count += process.cmdline()[-1:] == [f"1331.{mark}"]
        except psutil.Error:
            continue
    return count


def _until(true: Callable[[], bool], within_s: float = 10) -> None:
    until = time.monotonic() + within_s
    while not true():
        assert time.monotonic() < until
        time.sleep(0.05)


def test_what_a_killed_harness_left_is_cleared_by_the_next(fixture: Path, tmp_path: Path) -> None:
    base = tmp_path / "base"
    base.mkdir()
    mark = str(os.getpid())
    root = _killed_harness(fixture, base, mark)
    assert root.is_dir()
    remove_strays.cache_clear()
    assert remove_strays(base) == (root,)
    _until(lambda: _sleepers(mark) == 0)
    assert not root.exists()


@pytest.mark.parametrize(
    "leave",
    [
        pytest.param(mark_owned, id="of-a-living-harness"),
        pytest.param(lambda root: None, id="to-be-kept"),
        pytest.param(
            lambda root: (root / ".owner").write_text("1 0.0 another boot\n"), id="of-another-machine"
        ),
        pytest.param(lambda root: (root / ".owner").write_text("rubbish"), id="unreadable"),
    ],
)
def test_what_is_not_certainly_left_behind_stays(tmp_path: Path, leave: Callable[[Path], object]) -> None:
    root = tmp_path / "w-x"
    root.mkdir()
    leave(root)
    remove_strays.cache_clear()
    assert remove_strays(tmp_path) == ()
    assert root.is_dir()


def test_what_was_thrown_away_goes_at_the_latest_when_it_is_emptied(fixture: Path, tmp_path: Path) -> None:
    rubbish = Rubbish()
    with open_tempdir(
        fixture, token="t", environ={"TMPDIR": str(tmp_path)}, discard=rubbish.throw
    ) as sandbox:
        (sandbox.world / "closed").mkdir(mode=0)
    rubbish.empty()
    assert not sandbox.root.exists()


def test_what_was_thrown_away_does_not_pile_up(tmp_path: Path) -> None:
    rubbish = Rubbish()
    for number in range(3 * AT_ONCE):
        (tmp_path / str(number) / "in").mkdir(parents=True)
        rubbish.throw(tmp_path / str(number))
        assert len(list(tmp_path.iterdir())) < AT_ONCE
