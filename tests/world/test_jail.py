"""What a run in the jail can see, reach and leave behind."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from harness.claude.process import Command, supervise
from harness.errors import UserError
from harness.model.run import ProcessExit
from harness.model.scenario import Limits
from harness.world.changes import changes_between
from harness.world.digest import tree_digest
from harness.world.jail import open_jail
from harness.world.kernel import detect, kernel_offers, overlay_works
from harness.world.sandbox import Sandbox, clean_base

FAKES = Path(__file__).resolve().parent.parent / "fakes"
MARK = str(os.getpid())
"""Told to the fakes that sleep, so that each test run looks for its own processes only."""

pytestmark = pytest.mark.skipif(
    kernel_offers().bwrap is None, reason=f"no jail can be had here: {kernel_offers().why}"
)


def _no_overlay() -> bool:
    return not overlay_works(clean_base(os.environ))


WORLDS = [
    pytest.param(False, id="copy"),
    pytest.param(
        True,
        id="overlay",
        marks=pytest.mark.skipif(
            kernel_offers().bwrap is None or _no_overlay(), reason="the kernel mounts no overlay here"
        ),
    ),
]


@pytest.fixture
def fixture(tmp_path: Path) -> Path:
    root = tmp_path / "fixture"
    (root / "docs/adr").mkdir(parents=True)
    (root / "empty").mkdir()
    (root / "a.txt").write_text("one\n")
    (root / "docs/adr/0001-x.md").write_text("# one\n")
    (root / "docs/adr/0002-y.md").write_text("# two\n")
    (root / "link").symlink_to("a.txt")
    (root / "run.sh").write_text("#!/bin/sh\n")
    (root / "run.sh").chmod(0o755)
    return root


def _play(
    jail: Sandbox, fake: str, *words: str, limits: Limits | None = None, stop: threading.Event | None = None
) -> tuple[str, ProcessExit]:
    """What the fake said between its lines, and how it ended."""
    command = Command(
        argv=jail.wrap((jail.seen_as(FAKES / fake), *words)),
        env=jail.env,
        cwd=jail.cwd,
        stdin=None,
        token=f"jail-{os.getpid()}-{time.monotonic_ns()}",
        wrapped=True,
        owned=jail.root,
    )
    out, err = jail.root / "stream.jsonl", jail.root / "stderr.log"
    limits = limits or Limits(timeout_s=30, grace_s=1)
    end = supervise(command, stdout=out, stderr=err, limits=limits, stop=stop)
    lines = [line for line in out.read_text().split("\n") if not line.startswith('{"type"')]
    return "\n".join(lines).strip(), end


@pytest.fixture
def jail(fixture: Path) -> Iterator[Sandbox]:
    with open_jail(fixture, token="t", claude=FAKES / "acts") as opened:
        yield opened


@pytest.mark.parametrize(
    ("script", "said"),
    [
        pytest.param("pwd; ls", "/world\na.txt\ndocs\nempty\nlink\nrun.sh", id="world"),
        pytest.param("echo $HOME; id -un; hostname", "/home/eval\neval\neval", id="who"),
        pytest.param("ls /home /root 2>/dev/null", "/home:\neval", id="no-other-home"),
        pytest.param("ls -A /run /var", "/run:\n\n/var:\ntmp", id="nothing-running"),
        pytest.param("ls -d /proc/[0-9]* | wc -l | awk '{ print ($1 < 10) }'", "1", id="no-other-process"),
        pytest.param(
            "touch /x /usr/x /etc/x /dev/x /opt/x /home/x 2>/dev/null || echo no", "no", id="read-only"
        ),
        pytest.param("cat /etc/shadow 2>/dev/null || echo no", "no", id="no-shadow"),
        pytest.param("unshare -U true 2>/dev/null || echo no", "no", id="no-namespace-of-its-own"),
        pytest.param("mount -t tmpfs t /tmp 2>/dev/null || echo no", "no", id="no-mount"),
        pytest.param("ls /sys 2>/dev/null || echo no", "no", id="no-devices"),
    ],
)
def test_what_is_seen(jail: Sandbox, script: str, said: str) -> None:
    assert _play(jail, "acts", script)[0] == said


@pytest.mark.parametrize("place", ["fixture", "secret", "root"])
def test_no_path_of_this_machine_is_there(jail: Sandbox, fixture: Path, tmp_path: Path, place: str) -> None:
    (tmp_path / "secret").write_text("the answer")
    path = {"fixture": fixture, "secret": tmp_path / "secret", "root": jail.root}[place]
    assert _play(jail, "acts", f"ls -d {path} 2>/dev/null || echo no")[0] == "no"


def test_no_command_line_shows_a_path_of_this_machine(jail: Sandbox) -> None:
    said, _ = _play(jail, "acts", "cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ | tr '\\0' '\\n'")
    assert "/world" in said
    assert str(jail.root) not in said
    assert "HARNESS" not in said


def test_the_world_is_not_the_machines_paths(jail: Sandbox) -> None:
    assert (jail.world_seen_as, jail.home_seen_as) == ("/world", "/home/eval")
    assert jail.seen_as(jail.config_dir / "projects") == "/home/eval/.claude/projects"


@pytest.mark.parametrize("overlay", WORLDS)
@pytest.mark.parametrize(
    "script",
    [
        pytest.param("true", id="nothing"),
        pytest.param("echo two >> a.txt; echo new > docs/new.md; mkdir d", id="edit-and-add"),
        pytest.param("rm a.txt link; rmdir empty", id="delete"),
        pytest.param("rm -r docs", id="delete-folder"),
        pytest.param("rm -r docs; mkdir docs; echo x > docs/adr", id="folder-made-anew"),
        pytest.param("rm -r docs; echo x > docs", id="file-for-folder"),
        pytest.param("rm link; mkdir link; touch link/x", id="folder-for-link"),
        pytest.param("mv docs documents", id="folder-renamed"),
        pytest.param("mv a.txt b.txt; ln b.txt c.txt; ln -sf run.sh link", id="links"),
        pytest.param("chmod 600 a.txt; chmod 700 docs", id="modes"),
        pytest.param("touch a.txt; cp a.txt t; cat t > a.txt; rm t", id="same-content"),
        pytest.param("mkdir c; echo x > c/f; chmod 000 c/f c; chmod 000 docs", id="closed"),
    ],
)
def test_changes_are_those_of_the_world(fixture: Path, overlay: bool, script: str) -> None:
    before = tree_digest(fixture)
    with open_jail(fixture, token="t", claude=FAKES / "acts", overlay=overlay) as jail:
        assert (jail.overlay is not None) == overlay
        _, end = _play(jail, "acts", script)
        assert end.exit_code == 0
        found = jail.changes()
        assert changes_between(fixture, jail.settle()) == found
        assert (len(found) == 0) == (script in ("true", "touch a.txt; cp a.txt t; cat t > a.txt; rm t"))
    assert not jail.root.exists()
    assert tree_digest(fixture) == before


def test_a_small_fixture_is_copied(fixture: Path) -> None:
    with open_jail(fixture, token="t", claude=FAKES / "acts") as jail:
        assert jail.overlay is None


def test_home_and_temporary_files_are_of_the_run_alone(jail: Sandbox) -> None:
    _play(jail, "acts", "touch ~/escape-marker /tmp/escape-abs; git config --global user.name x")
    assert (jail.home / "escape-marker").exists()
    assert (jail.tmp / "escape-abs").exists()
    assert not Path("/tmp/escape-abs").exists()


def test_plugins_and_claude_can_only_be_read(fixture: Path, tmp_path: Path) -> None:
    for place in ("one/demo", "two/demo"):
        (tmp_path / place).mkdir(parents=True)
        (tmp_path / place / "skill.md").write_text(place)
    plugins = [tmp_path / "one/demo", tmp_path / "two/demo"]
    with open_jail(fixture, token="t", claude=FAKES / "acts", plugins=plugins) as jail:
        seen = [jail.seen_as(p / "skill.md") for p in plugins]
        said, _ = _play(jail, "acts", f"cat {' '.join(seen)}; echo x >> {seen[0]}")
    assert said.startswith("one/demotwo/demo")
    assert "Read-only file system" in said
    assert (tmp_path / "one/demo/skill.md").read_text() == "one/demo"


def test_a_claude_that_is_one_binary_is_at_a_fixed_place(fixture: Path) -> None:
    with open_jail(fixture, token="t", claude=Path("/bin/sh")) as jail:
        assert jail.seen_as(Path("/bin/sh").resolve()) == "/opt/claude/claude"
        end = subprocess.run(
            jail.wrap(("/opt/claude/claude", "-c", "exit 7")), env=dict(jail.env), check=False
        )
    assert end.returncode == 7


def test_a_suite_can_add_a_path_to_read(fixture: Path, tmp_path: Path) -> None:
    tool = tmp_path / "toolchain/bin/tool"
    tool.parent.mkdir(parents=True)
    tool.write_text("#!/bin/sh\necho tool\n")
    tool.chmod(0o755)
    environ = {**os.environ, "PATH": f"{tool.parent}:/usr/bin:/bin"}
    with open_jail(
        fixture, token="t", claude=FAKES / "acts", read_only=[tmp_path / "toolchain"], environ=environ
    ) as jail:
        assert _play(jail, "acts", "tool")[0] == "tool"
        assert jail.read_only == (tmp_path / "toolchain",)


@pytest.mark.parametrize("which", ["root", "parent", "missing", "relative"])
def test_a_path_that_shows_the_answers_is_refused(fixture: Path, which: str) -> None:
    path = {"root": Path("/"), "parent": fixture.parent, "missing": fixture / "no", "relative": Path("usr")}[
        which
    ]
    with (
        pytest.raises(UserError, match="The jail cannot show"),
        open_jail(fixture, token="t", claude=FAKES / "acts", read_only=[path]),
    ):
        pass


@pytest.fixture
def port() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@pytest.mark.parametrize(("network", "said"), [(False, "refused"), (True, "open")])
def test_the_network_is_closed_unless_opened(fixture: Path, port: int, network: bool, said: str) -> None:
    script = f"bash -c ': </dev/tcp/127.0.0.1/{port}' 2>/dev/null && echo open || echo refused"
    with open_jail(fixture, token="t", claude=FAKES / "acts", network=network) as jail:
        assert _play(jail, "acts", script)[0] == said
        assert jail.network is network


def test_the_gateway_is_the_one_way_out(fixture: Path, tmp_path: Path) -> None:
    place = tmp_path / "gw.sock"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(place))
        with open_jail(fixture, token="t", claude=FAKES / "acts", gateway=place) as jail:
            assert jail.env["ANTHROPIC_UNIX_SOCKET"] == "/run/gateway.sock"
            assert _play(jail, "acts", "test -S $ANTHROPIC_UNIX_SOCKET && echo there")[0] == "there"


def _alive(*names: str) -> list[str]:
    found = []
    for process in psutil.process_iter():
        try:
            words = process.cmdline()
        except psutil.Error:
            continue
        if words and words[-1] in names and process.status() != psutil.STATUS_ZOMBIE:
            found.append(" ".join(words))
    return found


def test_no_orphan_of_any_kind_outlives_it(fixture: Path) -> None:
    with open_jail(fixture, token="t", claude=FAKES / "leaves-orphans") as jail:
        _, end = _play(jail, "leaves-orphans", MARK)
    assert (end.exit_code, end.survivors_left) == (0, 0)
    assert _alive(*(f"{n}.{MARK}" for n in range(1311, 1320))) == []


def test_a_daemon_without_any_mark_does_not_outlive_it(jail: Sandbox) -> None:
    _play(jail, "acts", f"cd / && (env -i setsid sh -c '(sleep 1321.{MARK} &)' </dev/null >/dev/null 2>&1 &)")
    time.sleep(0.1)
    assert _alive(f"1321.{MARK}") == []


def test_a_limit_ends_it_whole_and_in_time(fixture: Path) -> None:
    with open_jail(fixture, token="t", claude=FAKES / "hangs-with-children") as jail:
        _, end = _play(jail, "hangs-with-children", MARK, limits=Limits(timeout_s=3))
    assert (end.limit, end.survivors_left) == ("timeout", 0)
    assert end.wall_s < 8
    assert _alive(*(f"{n}.{MARK}" for n in (1300, 1301, 1302))) == []


def test_int_reaches_claude_and_not_the_jail_around_it(fixture: Path) -> None:
    with open_jail(fixture, token="t", claude=FAKES / "saves-on-int") as jail:
        _, end = _play(jail, "saves-on-int", limits=Limits(timeout_s=1))
    assert (end.limit, end.exit_code, end.signals_sent, end.result_seen) == ("timeout", 0, ("INT",), True)


def test_cpu_and_memory_are_counted(jail: Sandbox) -> None:
    _, end = _play(jail, "acts", "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done")
    assert end.cpu_s > 0.05


@pytest.mark.skipif(not kernel_offers().process_limit, reason="the kernel bounds no processes here")
def test_a_fork_bomb_is_bounded_and_ended(fixture: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.world.jail.PROCESS_LIMIT", 400)
    most = 0

    def count() -> None:
        nonlocal most
        most = max(most, len(psutil.pids()))

    before = len(psutil.pids())
    stop = threading.Event()
    for delay in (0.5, 1.0, 1.5):
        threading.Timer(delay, count).start()
    threading.Timer(1.7, stop.set).start()
    with open_jail(fixture, token="t", claude=FAKES / "bombs") as jail:
        _, end = _play(jail, "bombs", stop=stop)
    assert end.survivors_left == 0
    assert most - before < 500


@pytest.mark.skipif(kernel_offers().prlimit is None, reason="prlimit is not installed")
def test_no_file_grows_over_its_limit(fixture: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.world.jail.FILE_LIMIT_BYTES", 1 << 20)
    with open_jail(fixture, token="t", claude=FAKES / "acts") as jail:
        _play(jail, "acts", "head -c 3000000 /dev/zero > big; true")
        assert (jail.world / "big").stat().st_size == 1 << 20


@pytest.mark.parametrize("overlay", WORLDS)
def test_it_dies_with_a_harness_that_is_killed(fixture: Path, overlay: bool) -> None:
    script = (
        "import sys; sys.path[:0] = sys.argv[2:]\n"
        "from pathlib import Path\n"
        "from harness.claude.process import Command, supervise\n"
        "from harness.model.scenario import Limits\n"
        "from harness.world.jail import open_jail\n"
        f"fakes, fixture = Path({str(FAKES)!r}), Path(sys.argv[1])\n"
        f"with open_jail(fixture, token='t', claude=fakes / 'acts', overlay={overlay}) as jail:\n"
        "    print(jail.root, flush=True)\n"
        f"    argv = jail.wrap((jail.seen_as(fakes / 'acts'), 'sleep 1322.{MARK}'))\n"
        "    command = Command(argv=argv, env=jail.env, cwd=jail.cwd,\n"
        "        stdin=None, token='killed', wrapped=True)\n"
        "    supervise(command, stdout=jail.root / 'o', stderr=jail.root / 'e', limits=Limits())\n"
    )
    harness = subprocess.Popen(
        [sys.executable, "-c", script, str(fixture), *sys.path], stdout=subprocess.PIPE, text=True
    )
    assert harness.stdout is not None
    root = Path(harness.stdout.readline().strip())
    _until(lambda: _alive(f"1322.{MARK}") != [])
    harness.send_signal(signal.SIGKILL)
    harness.wait()
    harness.stdout.close()
    _until(lambda: _alive(f"1322.{MARK}") == [])
    subprocess.run(["chmod", "-R", "u+rwX", root], check=False)
    subprocess.run(["rm", "-rf", root], check=True)


def _until(true: Callable[[], bool], within_s: float = 10) -> None:
    until = time.monotonic() + within_s
    while not true():
        assert time.monotonic() < until
        time.sleep(0.05)


def test_without_bwrap_the_plain_folder_is_chosen_and_the_reason_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    kernel_offers.cache_clear()
    try:
        kind, why = detect()
    finally:
        kernel_offers.cache_clear()
    assert (kind, "bubblewrap" in why) == ("tempdir", True)
