"""Grids on real Dask workers: processes that are killed, that come without claude, and that are told to stop."""

import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import psutil
import pytest

from tests.engine.project import Project, environment, make_project

pytest.importorskip("distributed")

LOCAL = "suites: [demo]\nsandbox: tempdir\nmodels: [scripted:ideal]\njobs: 4\nengine: dask\nworkers: 2\n"


@pytest.fixture
def small(tmp_path: Path) -> Project:
    return make_project(tmp_path)


def wait_for(condition: Callable[[], bool], what: str) -> None:
    until = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < until, what
        time.sleep(0.05)


def workers_of(child: "subprocess.Popen[str]") -> list[psutil.Process]:
    children = psutil.Process(child.pid).children(recursive=True)
    return [p for p in children if "spawn_main" in " ".join(p.cmdline())]


def test_local_workers_run_every_cell_once_and_folders_come_back(small: Project) -> None:
    code, said = small.grid(LOCAL + "arms: [baseline, new]\ntrials: 2\n")

    assert code == 0, said
    assert set(Counter((r.scenario, r.arm, r.trial) for r in small.rows()).values()) == {1}
    names = {"stream.jsonl", "exit.json", "checks.json", "invocation.json", "row.tsv", "world.diff"}
    for row in small.rows():
        assert names <= {p.name for p in (small.results / "runs" / row.run_id).iterdir()}


def test_a_killed_worker_costs_a_retry_and_nothing_else(small: Project) -> None:
    small.say("sleep", "1")
    (small.root / "g.yaml").write_text(LOCAL + "trials: 5\n")
    with small.popen("grid", "g.yaml", "--claude", str(small.claude)) as child:
        wait_for(lambda: len(small.started()) >= 4, "cells run on both workers")
        workers_of(child)[0].kill()
        said, _ = child.communicate(timeout=90)

    assert child.returncode == 0, said
    cells = Counter((r.scenario, r.trial) for r in small.rows())
    assert len(cells) == 10 and set(cells.values()) == {1}
    assert len(small.started()) > 10, "what the dead worker ran was run again"


def test_the_second_signal_ends_what_runs_on_the_workers(small: Project) -> None:
    small.say("sleep", "60")
    (small.root / "g.yaml").write_text(LOCAL)
    with small.popen("grid", "g.yaml", "--claude", str(small.claude)) as child:
        wait_for(lambda: len(small.started()) == 2, "both cells run")
        child.send_signal(signal.SIGINT)
        time.sleep(0.5)
        child.send_signal(signal.SIGINT)
        said, _ = child.communicate(timeout=60)

    assert child.returncode == 130, said
    assert [r.status for r in small.rows()] == ["interrupted"] * 2, said


@contextmanager
def cluster(small: Project, *claudes: str) -> Iterator[str]:
    """A scheduler and a worker process for each claude; its address."""
    with ExitStack() as stack:

        def start(*words: str, **env: str) -> "subprocess.Popen[str]":
            child = subprocess.Popen(
                [sys.executable, "-m", *words],
                cwd=small.root,
                env={**environment(), **env},
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
            stack.callback(child.communicate)
            stack.callback(child.kill)
            return child

        address_file = small.root.parent / "scheduler.json"
        start(
            "distributed.cli.dask_scheduler",
            "--port",
            "0",
            "--no-dashboard",
            "--scheduler-file",
            str(address_file),
        )
        wait_for(address_file.exists, "the scheduler is up")
        found = re.search(r"tcp://[\d.]+:\d+", address_file.read_text())
        assert found
        for claude in claudes:
            words = ("--nthreads", "2", "--no-nanny", "--no-dashboard", "--resources", "claude=2")
            start("distributed.cli.dask_worker", found[0], *words, HARNESS_CLAUDE=claude)
        yield found[0]


def on_cluster(small: Project, address: str) -> tuple[int, str]:
    (small.root / "g.yaml").write_text(
        f"suites: [demo]\nsandbox: tempdir\nmodels: [scripted:ideal]\nengine: dask\nscheduler: {address}\n"
    )
    deadline = time.monotonic() + 30
    while True:
        code, said = small.harness("grid", "g.yaml", HARNESS_CLAUDE=str(small.claude))
        if "no workers" not in said or time.monotonic() > deadline:
            return code, said


def test_a_scheduler_elsewhere_is_used(small: Project) -> None:
    with cluster(small, str(small.claude)) as address:
        code, said = on_cluster(small, address)

    assert code == 0, said
    assert len(small.rows()) == 2


@pytest.mark.parametrize(
    ("other", "why"),
    [("/nonexistent", "HARNESS_CLAUDE names /nonexistent"), ("other", "has claude 9.9.9, here is 2.1.332")],
    ids=["no claude", "another version"],
)
def test_a_worker_that_is_equipped_otherwise_is_refused(small: Project, other: str, why: str) -> None:
    claude = small.root.parent / "other" / "claude"
    claude.parent.mkdir()
    claude.write_text("#!/bin/sh\necho 9.9.9\n")
    claude.chmod(0o755)
    with cluster(small, str(claude) if other == "other" else other) as address:
        code, said = on_cluster(small, address)

    assert code == 2 and why in said, said
    assert not small.started()


def test_a_scheduler_that_is_not_there_is_told(small: Project) -> None:
    code, said = small.grid(
        "suites: [demo]\nsandbox: tempdir\nmodels: [scripted:ideal]\nengine: dask\nscheduler: tcp://127.0.0.1:1\n"
    )
    assert code == 2 and "no scheduler answers at tcp://127.0.0.1:1" in said, said
