"""What judges said of skills, on the pages of the report and of the runs."""

import json
from html import unescape
from pathlib import Path

from harness.report.index import write_report
from harness.report.skill_verdicts import read_pairs, read_skills
from tests.report.runs import add_run
from tests.results.rows import a_row

EVIL = "<script>alert(1)</script>"


def document(reasoning: str, verdict: str = "pass") -> str:
    runs = [{"arm": arm, "trial": 1, "run_id": arm} for arm in ("baseline", "new")]
    comparison = {
        "for_new": "win",
        "comparison": {"preferred": "A", "confidence": 0.9, "reasoning": reasoning},
    }
    case = {"case": "review/null", "verdict": verdict, "reason": "more wins than losses", "runs": runs,
            "vs_baseline": {"wins": 1, "losses": 0, "ties": 0, "invalid": 0}, "vs_old": None,
            "comparisons": {"baseline/1": comparison}}  # fmt: skip
    return json.dumps({"skill": "review", "model": "haiku", "judge_model": "haiku", "verdict": verdict,
                       "recommendation": "keep", "reason": "all cases pass", "cases": [case]})  # fmt: skip


def test_the_reasoning_stands_on_the_pages_of_both_runs(tmp_path: Path) -> None:
    for arm in ("baseline", "new"):
        folder = add_run(tmp_path, a_row(run_id=arm, arm=arm))
        gate = {
            "line": 7,
            "text": 'test -s "$OUTPUT"',
            "outcome": "fail",
            "stderr": EVIL,
            "stdout": "",
            "reason": "exit code 1",
        }
        (folder / "gate.json").write_text(json.dumps({"results": [gate], "no_evidence": ""}))
    (tmp_path / "skills").mkdir()
    (tmp_path / "skills/20261130T1-review-haiku.json").write_text(document(f"A names the line. {EVIL}"))
    index = write_report(tmp_path, tmp_path / "report").index
    for arm in ("baseline", "new"):
        html = (tmp_path / f"report/runs/{arm}.html").read_text()
        assert "A names the line." in html and 'line 7: <code>test -s "$OUTPUT"' in unescape(html)
        assert EVIL not in html
    assert "1 won, 0 lost, 0 tied" in index.read_text()


def test_only_the_latest_verdict_of_a_skill_counts(tmp_path: Path) -> None:
    (tmp_path / "skills").mkdir()
    (tmp_path / "skills/20261130T1-review-haiku.json").write_text(document("x", "fail"))
    (tmp_path / "skills/20261130T2-review-haiku.json").write_text(document("x", "pass"))
    (tmp_path / "skills/20261130T3-review-haiku.json").write_text("{torn")
    assert [(s.skill, s.verdict) for s in read_skills(tmp_path)] == [("review", "pass")]


def test_every_judged_pair_is_read_with_its_runs_oldest_first(tmp_path: Path) -> None:
    (tmp_path / "skills").mkdir()
    (tmp_path / "skills/20261130T1-review-haiku.json").write_text(document("x"))
    (tmp_path / "skills/20261130T2-review-haiku.json").write_text(document("x").replace('"win"', '"tie"'))
    assert list(read_pairs(tmp_path)) == [("new", "baseline", "win"), ("new", "baseline", "tie")]
