"""Every way a claude process is known to go wrong, played by real programs."""

import os
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest

from harness.claude.process import STDERR_KEPT_BYTES, Command, supervise
from harness.model.run import ProcessExit
from harness.model.scenario import Limits

FAKES = Path(__file__).resolve().parent.parent / "fakes"
LIMITS = Limits(timeout_s=20, idle_s=20, startup_s=20, grace_s=0.3)


class Stage:
    """One folder for one run at a time: a world, and the two output files beside it."""

    def __init__(self, folder: Path) -> None:
        self.world = folder / "world"
        self.world.mkdir(parents=True)
        self.stdout = folder / "stream.jsonl"
        self.stderr = folder / "stderr.log"
        self.token = f"test-{os.getpid()}-{folder.name}-{time.monotonic_ns()}"

    def run(
        self,
        fake: str | Path,
        *words: str,
        limits: Limits = LIMITS,
        stdin: Path | None = None,
        env: Mapping[str, str] | None = None,
        stop: threading.Event | None = None,
        on_bytes: Callable[[bytes], None] | None = None,
    ) -> ProcessExit:
        command = Command(
            argv=(str(FAKES / fake), *words),
            env={"PATH": os.defpath} if env is None else env,
            cwd=self.world,
            stdin=stdin,
            token=self.token,
            owned=self.world,
        )
        return supervise(
            command, stdout=self.stdout, stderr=self.stderr, limits=limits, stop=stop, on_bytes=on_bytes
        )

    def alive(self) -> list[str]:
        """Everything that the test could have started, found without the code under test."""
        found = []
        for process in psutil.process_iter():
            try:
                if process.status() == psutil.STATUS_ZOMBIE:
                    continue
                marked = process.environ().get("HARNESS_RUN") == self.token
                if marked or process.cwd().startswith(str(self.world)):
                    found.append(" ".join(process.cmdline()))
            except (psutil.Error, OSError):
                continue
        return found


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path / "run")


def test_a_good_run_ends_by_itself(stage: Stage) -> None:
    end = stage.run("finishes")
    assert (end.exit_code, end.limit, end.signals_sent, end.result_seen) == (0, "", (), True)
    assert (end.survivors_killed, end.survivors_left, end.start_error) == (0, 0, "")
    assert end.stdout_bytes == stage.stdout.stat().st_size > 0


def test_the_end_is_noticed_at_once(stage: Stage) -> None:
    assert min(stage.run("finishes").wall_s for _ in range(3)) < 0.1


def test_cpu_and_memory_are_those_of_the_child_and_what_it_reaped(stage: Stage) -> None:
    busy = stage.world / "busy"
    busy.write_text("#!/bin/sh\nsh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done'\n")
    busy.chmod(0o755)
    end = stage.run(busy)
    assert end.cpu_s > 0.05
    assert end.peak_rss_bytes > 500_000


@pytest.mark.parametrize(
    ("fake", "why"),
    [
        pytest.param(Path("/nonexistent/claude"), "No such file", id="absent"),
        pytest.param(FAKES / "lines.sh", "Permission denied", id="not-executable"),
        pytest.param(FAKES, "Permission denied", id="a-folder"),
    ],
)
def test_a_program_that_cannot_start_is_data(stage: Stage, fake: Path, why: str) -> None:
    end = stage.run(fake)
    assert end.exit_code is None
    assert why in end.start_error


def test_a_program_in_no_known_format_is_data(stage: Stage) -> None:
    rubbish = stage.world / "rubbish"
    rubbish.write_bytes(b"\x00\x01\x02\x03")
    rubbish.chmod(0o755)
    assert "Exec format error" in stage.run(rubbish).start_error


@pytest.mark.parametrize(
    "word",
    [pytest.param("x" * 200_000, id="longer-than-the-kernel-takes"), pytest.param("a\0b", id="nul")],
)
def test_a_word_that_no_process_can_get_is_data(stage: Stage, word: str) -> None:
    end = stage.run("finishes", word)
    assert end.exit_code is None
    assert end.start_error


def test_a_prompt_file_that_is_missing_is_data(stage: Stage) -> None:
    assert "gone.txt" in stage.run("finishes", stdin=stage.world / "gone.txt").start_error


def test_st02_exit_zero_without_a_result_is_told_apart(stage: Stage) -> None:
    end = stage.run("ends-without-result")
    assert (end.exit_code, end.limit, end.result_seen) == (0, "", False)


def test_st03_a_hang_after_the_result_is_no_timeout(stage: Stage) -> None:
    end = stage.run("hangs-after-result")
    assert (end.limit, end.result_seen, end.survivors_left) == ("grace", True, 0)
    assert end.wall_s < 5
    assert stage.alive() == []


def test_st03_a_wall_limit_within_the_grace_time_is_no_timeout(stage: Stage) -> None:
    end = stage.run("hangs-after-result", limits=Limits(timeout_s=0.5, grace_s=60))
    assert (end.limit, end.result_seen) == ("grace", True)


def test_st21_what_was_written_is_on_disk_to_the_last_byte(stage: Stage) -> None:
    end = stage.run("cut-at-64k")
    assert (end.exit_code, end.stdout_bytes, end.result_seen) == (0, 65_536, False)
    assert not stage.stdout.read_bytes().endswith(b"\n")


def test_lm03_the_wall_limit_ends_a_run_that_is_never_idle(stage: Stage) -> None:
    end = stage.run("never-stops", limits=Limits(timeout_s=1.5, idle_s=1))
    assert (end.limit, end.result_seen) == ("timeout", False)
    assert stage.stdout.read_bytes().count(b'"assistant"') > 7


def test_lm05_a_refused_session_id_keeps_its_reason(stage: Stage) -> None:
    end = stage.run("session-in-use")
    assert (end.exit_code, end.stdout_bytes, end.result_seen) == (1, 0, False)
    assert "already in use" in stage.stderr.read_text()


def test_hk10_a_stuck_hook_meets_the_startup_limit(stage: Stage) -> None:
    end = stage.run("never-starts", limits=Limits(timeout_s=30, idle_s=0.2, startup_s=0.6))
    assert (end.limit, end.result_seen) == ("startup", False)
    assert end.wall_s < 5


def test_rl04_retries_are_no_progress(stage: Stage) -> None:
    end = stage.run("only-retries", limits=Limits(timeout_s=30, idle_s=0.8))
    assert end.limit == "idle"
    assert stage.stdout.read_bytes().count(b"api_retry") > 3


def test_a_silent_run_meets_the_idle_limit(stage: Stage) -> None:
    end = stage.run("hangs-without-result", limits=Limits(timeout_s=30, idle_s=0.5))
    assert (end.limit, end.result_seen) == ("idle", False)


def test_a_second_turn_stops_the_grace_time(stage: Stage) -> None:
    end = stage.run("second-turn", limits=Limits(grace_s=1.0))
    assert (end.exit_code, end.limit) == (0, "")
    assert stage.stdout.read_bytes().count(b'"result"') >= 2


def test_a_subagent_at_work_stops_the_grace_time(stage: Stage) -> None:
    end = stage.run("waits-for-subagent", limits=Limits(grace_s=0.5))
    assert (end.exit_code, end.limit) == (0, "")


def test_pr01_without_a_prompt_file_stdin_is_at_its_end(stage: Stage) -> None:
    end = stage.run("reads-stdin")
    assert end.wall_s < 1
    assert b"read 0 bytes" in stage.stdout.read_bytes()


def test_a_prompt_of_128_kib_comes_through_stdin(stage: Stage, tmp_path: Path) -> None:
    prompt = tmp_path / "prompt.txt"
    prompt.write_bytes(b"p" * (128 << 10))
    stage.run("reads-stdin", stdin=prompt)
    assert b"read 131072 bytes" in stage.stdout.read_bytes()


def test_pr02_a_flood_on_stderr_blocks_nothing_and_is_cut(stage: Stage) -> None:
    end = stage.run("floods-stderr")
    assert (end.exit_code, end.result_seen, end.stderr_bytes) == (0, True, 12_000_000)
    kept = stage.stderr.read_bytes()
    assert STDERR_KEPT_BYTES <= len(kept) < STDERR_KEPT_BYTES + 100
    assert b"bytes left out here" in kept


def test_a_flood_on_stdout_is_ended(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.claude.process.OUTPUT_LIMIT_BYTES", 5_000_000)
    end = stage.run("floods-stdout")
    assert (end.limit, end.survivors_left) == ("output", 0)
    assert stage.stdout.stat().st_size <= 5_000_000


@pytest.mark.parametrize(
    "fake",
    [
        pytest.param("leaves-server", id="PR03-server-in-its-own-session"),
        pytest.param("leaves-stdout-held", id="grandchild-holds-stdout"),
    ],
)
def test_what_outlives_claude_is_ended_and_counted(stage: Stage, fake: str) -> None:
    end = stage.run(fake)
    assert (end.exit_code, end.limit, end.survivors_killed, end.survivors_left) == (0, "", 1, 0)
    assert end.wall_s < 3
    assert stage.alive() == []


def test_pr04_a_limit_ends_the_whole_tree_within_its_time(stage: Stage) -> None:
    end = stage.run("hangs-with-children", limits=Limits(timeout_s=3))
    assert (end.limit, end.survivors_left) == ("timeout", 0)
    assert end.descendants_seen >= 4
    assert end.wall_s < 8
    assert stage.alive() == []


def test_pr06_who_ignores_signals_is_killed(stage: Stage) -> None:
    end = stage.run("ignores-signals", limits=Limits(timeout_s=0.5))
    assert (end.limit, end.exit_code) == ("timeout", -9)
    assert end.signals_sent[:3] == ("INT", "TERM", "KILL")
    assert end.wall_s < 5.5


def test_the_accounts_are_saved_by_int(stage: Stage) -> None:
    end = stage.run("saves-on-int", limits=Limits(timeout_s=0.5))
    assert (end.limit, end.exit_code, end.signals_sent, end.result_seen) == ("timeout", 0, ("INT",), True)


def test_pr06_an_interrupt_ends_it_as_a_limit_does(stage: Stage) -> None:
    stop = threading.Event()
    threading.Timer(0.5, stop.set).start()
    end = stage.run("hangs-with-children", stop=stop)
    assert (end.limit, end.survivors_left) == ("interrupt", 0)
    assert stage.alive() == []


def test_an_error_of_the_caller_leaves_nothing_alive(stage: Stage) -> None:
    def fail(_: bytes) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stage.run("hangs-with-children", on_bytes=fail)
    assert stage.alive() == []


@pytest.mark.parametrize(
    ("words", "prompt"),
    [pytest.param(("-p", "--"), None, id="after-dashes"), pytest.param(("-p",), "stdin", id="on-stdin")],
)
def test_pr08_a_prompt_that_starts_with_a_dash_arrives_whole(
    stage: Stage, tmp_path: Path, words: tuple[str, ...], prompt: str | None
) -> None:
    text = "- Read docs/adr and answer"
    file = tmp_path / "prompt.txt"
    file.write_text(text)
    end = stage.run("refuses-dash", *words, *(() if prompt else (text,)), stdin=file if prompt else None)
    assert end.exit_code == 0
    assert f"asked: {text}".encode() in stage.stdout.read_bytes()


def test_pr12_nothing_of_the_callers_environment_arrives(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDECODE", "1")
    monkeypatch.setenv("CLAUDE_CODE_CHILD_SESSION", "1")
    assert stage.run("refuses-nested").exit_code == 0


def test_pr12_a_refusal_keeps_its_reason(stage: Stage) -> None:
    end = stage.run("refuses-nested", env={"PATH": os.defpath, "CLAUDECODE": "1"})
    assert (end.exit_code, end.result_seen) == (1, False)
    assert "inside another" in stage.stderr.read_text()


def test_the_bytes_are_handed_on_as_they_are_on_disk(stage: Stage) -> None:
    seen: list[bytes] = []
    stage.run("second-turn", on_bytes=seen.append)
    assert b"".join(seen) == stage.stdout.read_bytes()


def test_no_process_of_200_runs_is_alive_afterwards(tmp_path: Path) -> None:
    stages = [Stage(tmp_path / f"run-{number}") for number in range(200)]
    mark = str(os.getpid())
    with ThreadPoolExecutor(16) as lanes:
        ends = list(lanes.map(lambda stage: stage.run("leaves-orphans", mark), stages))
    assert {end.exit_code for end in ends} == {0}
    assert {end.survivors_left for end in ends} == {0}
    assert min(end.survivors_killed for end in ends) >= 8
    assert [words for words in _command_lines() if words[-1].endswith(f".{mark}")] == []


def _command_lines() -> list[list[str]]:
    found = []
    for process in psutil.process_iter():
        try:
            found.append(process.cmdline())
        except psutil.Error:
            continue
    return [words for words in found if words]


@pytest.mark.parametrize(
    ("script", "foreign"),
    [
        pytest.param("true", False, id="nobody-else"),
        pytest.param("echo forged >>/proc/$$/fd/1; sleep 0.1", True, id="appended-at-the-end"),
        pytest.param("sleep 0.6; printf XXXX 1<>/proc/$$/fd/1", True, id="rewritten"),
        pytest.param("(echo from a child)", False, id="a-child-that-inherited-it"),
    ],
)
def test_a_stream_that_somebody_else_wrote_to_is_told(script: str, foreign: bool, tmp_path: Path) -> None:
    command = Command(
        argv=("/bin/sh", "-c", f"echo one; {script}"),
        env={"PATH": "/usr/bin:/bin"},
        cwd=tmp_path,
        stdin=None,
        token="t-foreign",
    )
    end = supervise(
        command, stdout=tmp_path / "out", stderr=tmp_path / "err", limits=Limits(timeout_s=20, startup_s=20)
    )
    assert end.stdout_foreign == foreign


def test_a_limit_is_told_while_everything_still_stands(tmp_path: Path) -> None:
    told: list[tuple[str, bool]] = []
    command = Command(
        argv=("/bin/sh", "-c", "echo $$ >pid; exec sleep 60"),
        env={"PATH": "/usr/bin:/bin"},
        cwd=tmp_path,
        stdin=None,
        token="t-limit",
    )

    def look(limit: str) -> None:
        pid = (tmp_path / "pid").read_text().strip()
        told.append((limit, Path(f"/proc/{pid}").exists()))

    limits = Limits(timeout_s=0.5, startup_s=20)
    supervise(command, stdout=tmp_path / "o", stderr=tmp_path / "e", limits=limits, on_limit=look)
    assert told == [("timeout", True)]
