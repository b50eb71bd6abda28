"""The page of one run: complete, and hostile content in it is dead."""

import re
from html import unescape
from pathlib import Path

import pytest

from harness.errors import UserError
from harness.report.kept import find_run, read_kept
from harness.report.page import run_page
from tests.report.runs import PLAIN, add_run, answer, assistant, call, result, said
from tests.results.rows import a_row

EVIL = '</pre></script><script>alert(1)</script><img src=x onerror="alert(2)"><!--'


def page(results: Path, run_id: str) -> str:
    return run_page(read_kept(results, run_id), results, raw=f"../../runs/{run_id}/", index="../index.html")


def test_a_page_has_all_that_a_person_asks_for(tmp_path: Path) -> None:
    row = a_row(run_id="r1")
    add_run(tmp_path, row)
    html = unescape(page(tmp_path, "r1"))
    for part in ("Add a discount.", "decisions live in docs/adr", "ADR-0007: use cents", "signal: read", "names ADR-0007",
                 "+D = 1", "relied on ADR-0007", "harness repro r1", "<mark>as ADR-0007 says</mark>",
                 "gateway: requests"):  # fmt: skip
        assert part in html, part


def test_markup_from_a_run_is_text(tmp_path: Path) -> None:
    events = [
        assistant(said(EVIL), call("Bash", {"command": EVIL}), message=EVIL),
        answer(EVIL, is_error=True),
        result(EVIL),
    ]
    finding = {"name": EVIL, "value": False, "reason": EVIL, "evidence": [{"where": EVIL, "text": EVIL}]}
    signal = {"kind": EVIL, "tool": "Bash", "index": 0, "detail": EVIL}
    add_run(tmp_path, a_row(run_id="r1", reason=EVIL, scenario=EVIL), events, prompt=EVIL, findings=[finding],
            signals=[signal], diff="+" + EVIL, context=EVIL)  # fmt: skip
    html = page(tmp_path, "r1")
    assert "<img" not in html and html.count("<script>") == 1 and "<!--" not in html
    assert len(re.findall(r"</script>", html)) == 1


def test_the_policy_lets_nothing_in(tmp_path: Path) -> None:
    add_run(tmp_path, a_row(run_id="r1"))
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', page(tmp_path, "r1"))
    parts = dict(part.strip().split(" ", 1) for part in unescape(policy).split(";"))
    assert parts["default-src"] == "'none'"
    assert parts["script-src"].startswith("'sha256-") and parts["style-src"].startswith("'sha256-")
    assert not {"connect-src", "font-src", "frame-src"} & set(parts)


def test_a_result_of_ten_megabytes_is_cut_with_a_way_to_the_whole(tmp_path: Path) -> None:
    events = [PLAIN[0], answer("x" * 10_000_000 + "THE END"), *PLAIN[2:]]
    add_run(tmp_path, a_row(run_id="r1"), events)
    html = page(tmp_path, "r1")
    assert len(html) < 100_000
    assert (
        "THE END" in html
        and "9,980,007 characters are left out" in html
        and "../../runs/r1/stream.jsonl" in html
    )


@pytest.mark.parametrize(
    "name", ["stream.jsonl", "checks.json", "invocation.json", "session.jsonl", "world.diff"]
)
def test_a_run_without_a_file_is_shown_with_what_is_left(tmp_path: Path, name: str) -> None:
    folder = add_run(tmp_path, a_row(run_id="r1"))
    (folder / name).unlink()
    assert name in page(tmp_path, "r1")


def test_broken_files_end_nothing(tmp_path: Path) -> None:
    folder = add_run(tmp_path, a_row(run_id="r1"))
    for name in (
        "stream.jsonl",
        "checks.json",
        "invocation.json",
        "exit.json",
        "gateway.json",
        "session.jsonl",
    ):
        (folder / name).write_bytes(b'\xff\xfe{"a": [\x00')
    assert "cannot be read" in page(tmp_path, "r1")


def test_a_run_that_was_cut_off_says_so(tmp_path: Path) -> None:
    folder = add_run(tmp_path, a_row(run_id="r1"))
    (folder / "row.tsv").unlink()
    (tmp_path / "results.tsv").unlink()
    assert "it was cut off" in page(tmp_path, "r1")


def test_a_rescored_run_is_shown_with_the_stream_of_its_original(tmp_path: Path) -> None:
    add_run(tmp_path, a_row(run_id="r1"))
    later = add_run(tmp_path, a_row(run_id="r1-r2", warnings="rescored from r1"))
    (later / "stream.jsonl").unlink()
    assert "ADR-0007: use cents" in page(tmp_path, "r1-r2")


def test_the_end_of_an_id_finds_a_run(tmp_path: Path) -> None:
    for run_id in ("2026-R1-aaaaaa", "2026-R2-bbbbbb"):
        add_run(tmp_path, a_row(run_id=run_id))
    assert find_run(tmp_path, "bbbbbb").name == "2026-R2-bbbbbb"


@pytest.mark.parametrize(
    ("asked", "says"),
    [("2026", "names 2 runs"), ("zzz", "no run 'zzz'"), ("../runs/2026-R1-a", "no run"), ("", "no run")],
    ids=["ambiguous", "unknown", "outside", "empty"],
)
def test_a_wrong_id_is_one_sentence(tmp_path: Path, asked: str, says: str) -> None:
    for run_id in ("2026-R1-a", "2026-R2-b"):
        add_run(tmp_path, a_row(run_id=run_id))
    with pytest.raises(UserError, match=re.escape(says)):
        find_run(tmp_path, asked)
