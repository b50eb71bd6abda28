"""JUnit XML, as CI systems read it: a fail is a ``failure`` with its evidence, an invalid cell an ``error``."""

import re
from collections.abc import Iterable
from pathlib import Path
from xml.etree import ElementTree

from harness.model.outcome import Verdict
from harness.model.row import Row
from harness.report.inert import inert, one_line
from harness.report.kept import findings_at, is_safe_name, origin_of
from harness.report.terminal import again
from harness.scoring.current import current, number

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit_xml(rows: Iterable[Row], results: Path) -> str:
    """A suite for each suite, arm and model, of the rows that count."""
    counted = current(rows).rows
    top = ElementTree.Element("testsuites", _counts(counted) | {"name": "harness"})
    groups: dict[tuple[str, str, str], list[Row]] = {}
    for row in counted:
        groups.setdefault((row.suite, row.arm, row.model), []).append(row)
    for key, group in groups.items():
        name = ".".join(map(_xml, key))
        suite = ElementTree.SubElement(top, "testsuite", _counts(group) | {"name": name})
        for row in group:
            _case(suite, row, name, results)
    ElementTree.indent(top)
    return ElementTree.tostring(top, encoding="unicode", xml_declaration=True) + "\n"


def _counts(rows: Iterable[Row]) -> dict[str, str]:
    listed = list(rows)
    return {
        "tests": str(len(listed)),
        "failures": str(sum(row.pass_ == Verdict.FAIL for row in listed)),
        "errors": str(sum(row.pass_ == Verdict.INVALID for row in listed)),
        "time": f"{sum(number(row.duration_s) for row in listed):.3f}",
    }


def _case(suite: ElementTree.Element, row: Row, class_name: str, results: Path) -> None:
    case = ElementTree.SubElement(
        suite,
        "testcase",
        {
            "name": _xml(f"{row.scenario} #{row.trial}"),
            "classname": class_name,
            "time": _xml(row.duration_s or "0"),
        },
    )
    if row.pass_ != Verdict.PASS:
        kind = "failure" if row.pass_ == Verdict.FAIL else "error"
        told = ElementTree.SubElement(case, kind, {"message": _xml(row.reason), "type": _xml(row.status)})
        told.text = _xml(evidence_text(row, results))


def evidence_text(row: Row, results: Path) -> str:
    """What a person needs who sees only the CI's page: findings, where they stand, where the run is, how to repeat it."""
    lines = [f"{row.pass_} ({row.status}), axis a {row.axis_a}, axis b {row.axis_b}: {row.reason}"]
    folder = results / "runs" / row.run_id
    for finding in findings_at(folder) if is_safe_name(row.run_id) else ():
        value = {True: "true", False: "false", None: "n/a"}[finding.value]
        lines.append(f"{finding.name} {value}: {finding.reason}")
        lines += [f"  {evidence.where}: {one_line(evidence.text)}" for evidence in finding.evidence]
    return "\n".join([*lines, f"run:   runs/{origin_of(row)}", f"again: {again(row, results)}"])


def _xml(text: str) -> str:
    return _NOT_XML.sub("\ufffd", inert(text))
