"""A running evaluation as it is seen from another process."""

import os
import time
from pathlib import Path

from harness.report.progress import NAME, ProgressFile, read_standing, standing_text
from tests.report.runs import harness
from tests.results.rows import a_row


def begun(results: Path, total: int = 4) -> ProgressFile:
    made = ProgressFile(path=results / NAME, total=total, began_at=time.time() - 10)
    made.started("os-adr R1 new haiku 1")
    return made


def test_a_started_run_is_running_and_a_finished_one_is_counted(tmp_path: Path) -> None:
    progress = begun(tmp_path)
    progress.finished(a_row(cost_usd="0.25"))
    progress.started("os-adr R2 new haiku 1")
    progress.told("waiting 300 s, until 04:00:00: the API is overloaded")
    standing = read_standing(tmp_path)
    assert standing is not None
    assert (standing.done, standing.total, standing.spent_usd, standing.verdicts) == (1, 4, 0.25, {"pass": 1})
    assert list(standing.running) == ["os-adr R2 new haiku 1"] and standing.alive


def test_the_text_says_why_it_waits_and_when_it_ends(tmp_path: Path) -> None:
    progress = begun(tmp_path)
    progress.finished(a_row())
    progress.told("waiting 300 s: the API is overloaded")
    standing = read_standing(tmp_path)
    assert standing is not None
    text = standing_text(standing)
    assert "1 of 4 done (1 pass, 0 fail, 0 invalid), 0 running, 3 waiting" in text
    assert "about 30 s left" in text and "waiting 300 s: the API is overloaded" in text


def test_there_is_no_estimate_before_the_first_run_ended(tmp_path: Path) -> None:
    begun(tmp_path)._write(now=True)
    standing = read_standing(tmp_path)
    assert standing is not None and standing.left_s is None


def test_a_process_that_is_gone_is_told(tmp_path: Path) -> None:
    begun(tmp_path)._write(now=True)
    path = tmp_path / NAME
    path.write_text(path.read_text().replace(f'"pid":{os.getpid()}', '"pid":2147483646'))
    done = harness("tail", "--results", str(tmp_path), cwd=tmp_path)
    assert (done.code, "its process is gone" in done.out) == (3, True)


def test_tail_ends_when_the_evaluation_has_ended(tmp_path: Path) -> None:
    begun(tmp_path).ended()
    done = harness("tail", "--results", str(tmp_path), cwd=tmp_path)
    assert (done.code, done.out.strip().endswith("ended")) == (0, True)


def test_where_nothing_began_tail_says_so(tmp_path: Path) -> None:
    done = harness("tail", cwd=tmp_path)
    assert (done.code, "no evaluation has begun there" in done.err) == (2, True)
