"""JUnit XML as CI systems read it."""

from pathlib import Path
from xml.etree import ElementTree

from harness.report.junit import junit_xml
from tests.report.runs import add_run
from tests.results.rows import a_row


def test_a_fail_is_a_failure_with_its_evidence(tmp_path: Path) -> None:
    row = a_row(run_id="r1", pass_="fail", reason="did not consult")
    add_run(tmp_path, row)
    (found,) = ElementTree.fromstring(junit_xml([row], tmp_path)).iter("failure")
    text = found.text or ""
    assert found.get("message") == "did not consult"
    assert "names ADR-0007" in text and "as ADR-0007 says" in text and "again: harness repro" in text


def test_an_invalid_cell_is_an_error_and_no_failure(tmp_path: Path) -> None:
    row = a_row(pass_="invalid", status="api_error", reason="overloaded")
    top = ElementTree.fromstring(junit_xml([row], tmp_path))
    assert (top.get("failures"), top.get("errors"), [e.get("type") for e in top.iter("error")]) == (
        "0",
        "1",
        ["api_error"],
    )


def test_a_suite_stands_for_each_arm_and_model(tmp_path: Path) -> None:
    rows = [a_row(run_id="r1", arm="new"), a_row(run_id="r2", arm="baseline"), a_row(run_id="r3", trial="2")]
    top = ElementTree.fromstring(junit_xml(rows, tmp_path))
    assert [(s.get("name"), s.get("tests")) for s in top] == [
        ("os-adr.new.haiku", "2"),
        ("os-adr.baseline.haiku", "1"),
    ]


def test_any_text_makes_xml(tmp_path: Path) -> None:
    row = a_row(run_id="..", pass_="fail", reason="]]>\x00\x1b[31m\ufffe\ud800<&\"'")
    (found,) = ElementTree.fromstring(junit_xml([row], tmp_path)).iter("failure")
    assert (found.get("message") or "").endswith("<&\"'")
