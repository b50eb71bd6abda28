"""Whether a machine and a project are fit, told with what to do."""

import shutil
from pathlib import Path

import pytest

from harness.engine.doctor import Examined, Patient, examine
from tests.engine.conftest import FILES, write

FAKE = """#!/bin/sh
echo "{version} (Claude Code)"
"""


def examined(
    tmp_path: Path, *, version: str = "2.1.332", jobs: int = 1, **environ: str
) -> dict[str, Examined]:
    claude = tmp_path / "claude"
    claude.write_text(FAKE.format(version=version))
    claude.chmod(0o755)
    home = tmp_path / "home"
    home.mkdir(exist_ok=True)
    patient = Patient(
        root=tmp_path / "project",
        results=tmp_path / "project/results",
        jobs=jobs,
        claude=str(claude),
        environ={"PATH": "/usr/bin:/bin", **environ},
        home=home,
    )
    return {one.name: one for one in examine(patient)}


@pytest.fixture(autouse=True)
def project(tmp_path: Path) -> Path:
    write(tmp_path / "project", FILES)
    return tmp_path / "project"


def test_a_fit_machine_has_nothing_to_mend(tmp_path: Path) -> None:
    found = examined(tmp_path, ANTHROPIC_API_KEY="k")
    assert not [one for one in found.values() if one.state == "bad"]
    assert (found["claude"].state, found["login"].state, found["project"].found) == (
        "ok",
        "ok",
        "demo (1 scenarios)",
    )


def test_another_version_of_claude_is_noted_with_the_tested_one(tmp_path: Path) -> None:
    found = examined(tmp_path, version="3.0.0")["claude"]
    assert (found.state, "tested with 2.1.332 only" in found.found, bool(found.todo)) == ("note", True, True)


def test_a_missing_credential_is_a_note(tmp_path: Path) -> None:
    found = examined(tmp_path)["login"]
    assert (found.state, "ANTHROPIC_API_KEY" in found.todo) == ("note", True)


def test_too_many_jobs_for_the_memory_is_told_with_a_number(tmp_path: Path) -> None:
    found = examined(tmp_path, jobs=100_000)["memory"]
    assert found.state == "note" and found.todo.startswith("Give --jobs ")


def test_a_broken_suite_is_bad(tmp_path: Path, project: Path) -> None:
    (project / "scenarios/demo/suite.yaml").write_text("suite: other\n")
    assert examined(tmp_path)["project"].state == "bad"


def test_every_finding_that_is_not_well_says_what_to_do(tmp_path: Path) -> None:
    assert not [
        one for one in examined(tmp_path, version="9.9.9").values() if one.state == "bad" and not one.todo
    ]


def test_a_tree_of_skills_is_a_project_too(tmp_path: Path, project: Path) -> None:
    shutil.rmtree(project)
    write(project, {"skills/a/SKILL.md": "---\nname: a\n---\n", ".git/HEAD": ""})
    found = examined(tmp_path)["project"]
    assert (found.state, found.found) == ("ok", "1 skills, 0 with cases")
    write(project, {"tests/skills/a/x/case.md": "x"})
    assert examined(tmp_path)["project"].state == "bad"
