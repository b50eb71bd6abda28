"""The lint rules on the project's own suite: silent on it as it is, and loud at the line once it is made dishonest."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import orjson
import pytest

from harness.lint.rules import lint_suites
from harness.loaders.suite import load_suites

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name in ("scenarios", "fixtures"):
        shutil.copytree(ROOT / name, tmp_path / name, symlinks=True)
    return tmp_path


def lint(project: Path) -> list[str]:
    return [
        f"{p.path.relative_to(project)}:{p.line}: {p.text}"
        for p in lint_suites(load_suites(project, ["os-adr"]))
    ]


def edit(path: Path, change: Callable[[str], str]) -> None:
    text = path.read_text()
    changed = change(text)
    assert changed != text
    path.write_text(changed)


def prompt(text: str) -> Callable[[str], str]:
    """Make ``text`` the second line of the prompt."""
    return lambda old: re.sub(r"prompt: \|\n", f"prompt: |\n  Please hurry.\n  {text}\n", old, count=1)


def test_the_projects_own_suite_is_clean() -> None:
    assert lint(ROOT) == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("See the ADR first.", "says 'ADR', which never_say forbids; reword it"),
        ("Keep ADR-0003 in mind.", "holds the id 'ADR-0003'; take it out"),
        ("Run adr-list.", "names 'adr-list', a part of the plugin; reword it"),
        ("Use the supersede command.", "says 'supersede', which never_say forbids; reword it"),
    ],
    ids=["forbidden-word", "id", "command", "skill-word"],
)
def test_a_prompt_that_gives_the_answer_away_is_told_at_its_line(project: Path, text: str, told: str) -> None:
    path = project / "scenarios/os-adr/R1/scenario.yaml"
    edit(path, prompt(text))
    line = next(n for n, t in enumerate(path.read_text().split("\n"), 1) if text in t)
    assert f"scenarios/os-adr/R1/scenario.yaml:{line}: the prompt {told}" in lint(project)


def test_five_words_of_a_decision_in_the_prompt_are_told(project: Path) -> None:
    adr = next((project / "fixtures/os-adr/shop/docs/adr").glob("0001-*.md"))
    decision = adr.read_text().split("## Decision")[1].split()[:6]
    edit(project / "scenarios/os-adr/R2/scenario.yaml", prompt(" ".join(decision)))
    assert any("with the Decision of ADR-0001" in told for told in lint(project))


def test_four_words_of_a_decision_are_no_giveaway(project: Path) -> None:
    adr = next((project / "fixtures/os-adr/shop/docs/adr").glob("0001-*.md"))
    decision = adr.read_text().split("## Decision")[1].split()[:4]
    edit(project / "scenarios/os-adr/R2/scenario.yaml", prompt(" ".join(decision)))
    assert lint(project) == []


def test_a_near_miss_set_has_two_or_three_distractors(project: Path) -> None:
    edit(
        project / "scenarios/os-adr/R2/scenario.yaml",
        lambda t: re.sub(r"distractors: \[(ADR-\d+).*?\]", r"distractors: [\1]", t),
    )
    assert any("has 1 distractors; a near-miss set has 2 to 3" in told for told in lint(project))


def test_the_correct_decision_must_be_accepted(project: Path) -> None:
    (scenario,) = [s for s in load_suites(project, ["os-adr"])[0].scenarios if s.id == "R2"]
    number = getattr(scenario.expect, "adr")[-4:]  # noqa: B009  (the union's other member has no such field)
    path = next((scenario.fixture / "docs/adr").glob(f"{number}-*.md"))
    edit(path, lambda t: t.replace("status: Accepted", "status: Rejected"))
    assert any(f"expects ADR-{number}, which is Rejected" in told for told in lint(project))


def test_a_hop_that_the_graph_does_not_have_is_told(project: Path) -> None:
    graph = next((project / "fixtures/os-adr").glob("*/graphify-out/graph.json"))
    data = orjson.loads(graph.read_bytes())
    data["links"] = [link for link in data["links"] if link["relation"] != "imports_from"]
    graph.write_bytes(orjson.dumps(data))
    assert any("claims a hop from" in told for told in lint(project))


def test_a_missing_kind_of_playbook_is_told(project: Path) -> None:
    for path in (project / "scenarios/os-adr/W2/playbooks").glob("*.yaml"):
        if "kind: lucky" in path.read_text():
            path.unlink()
    assert "scenarios/os-adr/W2/scenario.yaml:1: has no playbook of kind lucky; add one" in lint(project)


def test_a_missing_scenario_is_told(project: Path) -> None:
    shutil.rmtree(project / "scenarios/os-adr/R3")
    assert any("requires R3, which has no folder here; add it" in told for told in lint(project))


def test_a_scenario_of_a_held_out_suite_must_be_held_out(project: Path) -> None:
    edit(
        project / "scenarios/os-adr/W1/scenario.yaml",
        lambda t: t.replace("held_out: true", "held_out: false"),
    )
    assert any("is not held out although its suite is" in told for told in lint(project))


def test_an_id_that_two_decisions_share_is_told(project: Path) -> None:
    folder = project / "fixtures/os-adr/shop/docs/adr"
    shutil.copy(next(folder.glob("0001-*.md")), folder / "0001-another.md")
    assert any("has the id ADR-0001 of" in told for told in lint(project))
