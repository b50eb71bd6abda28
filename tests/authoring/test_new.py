"""New scenarios and cases load as they are written."""

import json
from pathlib import Path

import pytest

from harness.authoring.new import new_case, new_scenario
from harness.errors import UserError
from harness.loaders.case.tree import discover
from harness.loaders.suite import load_suites
from tests.engine.conftest import FILES, write


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write(tmp_path, FILES)
    write(
        tmp_path,
        {"skills/review/SKILL.md": "---\nname: review\ndescription: d\n---\nx\n", "fixtures/a/b/c": ""},
    )
    return tmp_path


@pytest.mark.parametrize("kind", ["retrieval", "write-trigger"])
def test_a_new_scenario_loads(root: Path, kind: str) -> None:
    new_scenario(root, "demo", "X1", kind=kind, fixture="world")
    (suite,) = load_suites(root, ["demo"])
    (made,) = [s for s in suite.scenarios if s.id == "X1"]
    assert (made.kind, sorted(made.playbooks)) == (kind, ["ideal", "silent"])


def test_a_new_case_loads(root: Path) -> None:
    new_case(root, "review", "misses-a-null", "One line")
    found = discover(root)
    assert [(c.name, c.description) for s in found.skills for c in s.cases] == [("misses-a-null", "One line")]
    assert found.problems == ()


def test_the_schema_that_a_file_names_is_there(root: Path) -> None:
    made = [*new_scenario(root, "demo", "X1", kind="retrieval", fixture="world").written]
    made += new_case(root, "review", "c1", "").written
    named = [
        (p, line.partition("$schema=")[2])
        for p in made
        for line in p.read_text().split("\n")[:1]
        if "$schema=" in line
    ]
    assert len(named) == 5
    assert [json.loads((path.parent / name).read_text())["type"] for path, name in named] == ["object"] * 5


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("nope", "X1", "retrieval", "world"), "no suite 'nope'"),
        (("demo", "../X", "retrieval", "world"), "cannot be a folder's name"),
        (("demo", "R1", "retrieval", "world"), "is there already"),
        (("demo", "X1", "other", "world"), "--kind is 'other'"),
        (("demo", "X1", "retrieval", "nowhere"), "no fixtures/nowhere"),
    ],
    ids=["suite", "name", "taken", "kind", "fixture"],
)
def test_a_mistake_is_one_sentence_and_writes_nothing(
    root: Path, words: tuple[str, str, str, str], says: str
) -> None:
    suite, name, kind, fixture = words
    with pytest.raises(UserError, match=says):
        new_scenario(root, suite, name, kind=kind, fixture=fixture)
    assert not (root / "scenarios/.schema").exists()
