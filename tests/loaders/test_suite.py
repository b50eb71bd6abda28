"""Loading a suite: what comes out, and that every mistake is told at its line, all at once."""

from pathlib import Path

import pytest

from harness.errors import AuthoringError, UserError
from harness.loaders.suite import default_suites, load_suites, project_root
from harness.model.scenario import RetrievalExpectation, ToolUse


def problems_of(project: Path) -> list[str]:
    with pytest.raises(AuthoringError) as caught:
        load_suites(project, ["demo"])
    base = project / "scenarios" / "demo"
    return [f"{p.path.relative_to(base)}:{p.line}: {p.text}" for p in caught.value.problems]


def edit(project: Path, name: str, old: str, new: str) -> None:
    path = project / "scenarios" / "demo" / name
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_a_whole_suite_loads(project: Path) -> None:
    (suite,) = load_suites(project, ["demo"])
    (scenario,) = suite.scenarios
    assert (scenario.id, scenario.prompt) == ("R1", "Add a discount to the invoice.\n")
    assert isinstance(scenario.expect, RetrievalExpectation)
    assert scenario.expect.adr == "ADR-0001"


def test_shared_turns_are_spliced_with_their_values(project: Path) -> None:
    (suite,) = load_suites(project, ["demo"])
    first, last = suite.scenarios[0].playbooks["ideal"].turns
    assert first.tools == (ToolUse(name="Read", input={"file_path": "{{world}}/docs/adr/0001-x.md"}),)
    assert last.text == "Done."


def test_a_scenario_inherits_the_suites_limits(project: Path) -> None:
    (suite,) = load_suites(project, ["demo"])
    assert suite.scenarios[0].limits.timeout_s == 60


@pytest.mark.parametrize(
    ("name", "old", "new", "told"),
    [
        ("suite.yaml", "limits:", "limts:", "suite.yaml:9: limts is not a known key; did you mean limits?"),
        (
            "suite.yaml",
            "timeout_s: 60",
            "timeout_s: soon",
            "suite.yaml:9: limits.timeout_s must be a number above 0, not 'soon'",
        ),
        (
            "suite.yaml",
            "suite: demo",
            "suite: other",
            "suite.yaml:1: suite is 'other' but the folder is 'demo'; make them the same",
        ),
        (
            "suite.yaml",
            "plugins/demo",
            "plugins/gone",
            (
                "suite.yaml:2: plugin names fixtures/plugins/gone, which has no .claude-plugin/plugin.json;"
                " give the plugin's folder"
            ),
        ),
        (
            "R1/scenario.yaml",
            "kind: retrieval",
            "kind: retreival",
            "R1/scenario.yaml:2: kind must be one of retrieval, write-trigger, not 'retreival'; did you mean retrieval?",
        ),
        ("R1/scenario.yaml", "id: R1", "", "R1/scenario.yaml:2: id is missing; add it"),
        (
            "R1/scenario.yaml",
            "adr: ADR-0001",
            "adr: 7",
            "R1/scenario.yaml:7: expect.adr holds '7'; write ids as ADR-0007",
        ),
        (
            "R1/scenario.yaml",
            'matches: "Decimal"',
            'matches: "("',
            (
                "R1/scenario.yaml:9: expect.acted[0].matches is not a regular expression:"
                " missing ), unterminated subpattern at position 0"
            ),
        ),
        (
            "R1/scenario.yaml",
            'matches: "Decimal"',
            "match: x",
            "R1/scenario.yaml:9: expect.acted[0].match is not a known key; did you mean matches?",
        ),
        (
            "R1/playbooks/ideal.yaml",
            "use: look",
            "use: lok",
            "R1/playbooks/ideal.yaml:4: turns[0].use names turns that no turns.yaml has: 'lok' (known: look)",
        ),
        (
            "R1/playbooks/ideal.yaml",
            "axis_b: true",
            "axis_c: true",
            "R1/playbooks/ideal.yaml:2: expect.axis_c is not a known key; did you mean axis_b?",
        ),
        (
            "R1/playbooks/ideal.yaml",
            "kind: ideal",
            "kind: [",
            "R1/playbooks/ideal.yaml:3: is not valid YAML: ",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) and len(value) < 20 else "",
)
def test_a_mistake_is_told_at_its_line(project: Path, name: str, old: str, new: str, told: str) -> None:
    edit(project, name, old, new)
    assert any(p.startswith(told) for p in problems_of(project)), problems_of(project)


def test_mistakes_of_all_files_are_told_at_once(project: Path) -> None:
    edit(project, "suite.yaml", "limits:", "limts:")
    edit(project, "R1/scenario.yaml", "kind: retrieval", "kind: x")
    edit(project, "R1/playbooks/ideal.yaml", "use: look", "use: lok")
    assert {p.split(":")[0] for p in problems_of(project)} == {
        "suite.yaml",
        "R1/scenario.yaml",
        "R1/playbooks/ideal.yaml",
    }


def test_a_key_that_stands_twice_is_a_mistake(project: Path) -> None:
    edit(project, "R1/scenario.yaml", "kind: retrieval", "kind: retrieval\nkind: retrieval")
    assert "R1/scenario.yaml:3: kind stands here a second time; keep one" in problems_of(project)


def test_a_secret_may_not_stand_in_the_environment(project: Path) -> None:
    edit(project, "suite.yaml", "limits:", "env: {MY_API_KEY: x}\nlimits:")
    assert problems_of(project) == [
        "suite.yaml:9: env holds 'MY_API_KEY'; a plain variable name, and no secret, may stand here"
    ]


def test_a_missing_fixture_is_a_mistake(project: Path) -> None:
    edit(project, "R1/scenario.yaml", "fixture: world", "fixture: gone")
    assert "which is not a folder" in problems_of(project)[0]


def test_an_unknown_suite_names_those_there_are(project: Path) -> None:
    with pytest.raises(UserError, match="there is: demo"):
        load_suites(project, ["dmeo"])


def test_a_folder_without_scenarios_is_told_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no scenarios/ folder"):
        project_root(tmp_path)


@pytest.mark.parametrize(
    ("there", "meant"), [(["tidy"], "tidy"), (["os-adr"], "os-adr"), (["a", "os-adr"], "os-adr")]
)
def test_where_no_suite_is_named_the_usual_or_the_only_one_is_meant(
    tmp_path: Path, there: list[str], meant: str
) -> None:
    for name in there:
        (tmp_path / "scenarios" / name).mkdir(parents=True)
        (tmp_path / "scenarios" / name / "suite.yaml").write_text("")
    assert default_suites(tmp_path) == (meant,)


def test_where_one_of_several_suites_must_be_named_they_are_told(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / "scenarios" / name).mkdir(parents=True)
        (tmp_path / "scenarios" / name / "suite.yaml").write_text("")
    with pytest.raises(UserError, match="name one or more of a, b"):
        default_suites(tmp_path)
