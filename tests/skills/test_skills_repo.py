"""The example tree, played by its playbooks through the real claude: a win, a tie and a regression."""

import shutil
from pathlib import Path

import pytest

from harness.errors import AuthoringError
from harness.gateway.scripted import ScriptedModel
from harness.judges.comparator import Comparator, Comparison
from harness.judges.scripted import load_rules, scripted_comparator
from harness.model.case import ARMS, Case, Skill
from harness.model.event import Usage
from harness.model.judge import Output
from harness.model.outcome import Verdict
from harness.skills import discover, select
from harness.skills.arms import SkillArm, install_personal, prepare_arms
from harness.skills.evaluate import ArmRun, CaseOutcome, evaluate_case
from harness.skills.session import plant_session
from harness.skills.suite import JUDGE_RULES, case_playbook, load_skills_suite
from harness.skills.trigger import load_triggers, trigger_path
from harness.skills.verdict import PassRule
from tests.skills.real import Place, run_claude

ROOT = Path(__file__).parents[2] / "fixtures" / "skills-repo"
SID = "7f1b6f0e-1111-4222-8333-444455556666"


def _files(world: Path) -> dict[str, str]:
    return {p.relative_to(world).as_posix(): p.read_text() for p in world.rglob("*") if p.is_file()}


def _run(case: Case, arm: SkillArm, name: str, root: Path) -> ArmRun:
    place = Place.below(root)
    if case.fixture is not None:
        shutil.copytree(case.fixture, place.world, dirs_exist_ok=True)
    before = _files(place.world)
    listed = install_personal(arm.skill, place.config)
    variables = {"world": str(place.world), "home": str(place.home), "skill": listed}
    resume = plant_session(
        case.seed, config_dir=place.config, cwd=str(place.world), session_id=SID, version="2.1.332"
    )
    model = ScriptedModel(case_playbook(case, name, arm.name), variables)
    events = run_claude(place, model, resume, case.prompt)
    result = next(e for e in events if e["type"] == "result")
    assert result["is_error"] is False, result
    message = str(result["result"])
    (root / "output.md").write_text(message)
    after = _files(place.world)
    return ArmRun(
        arm=arm.name,
        trial=1,
        invalid="",
        world=place.world,
        output_file=root / "output.md",
        output=Output(message=message, files={p: t for p, t in after.items() if before.get(p) != t}),
        usage=Usage(input_tokens=1),
        roots=(str(root),),
    )


def _evaluate(skill: Skill, case: Case, name: str, tmp_path: Path) -> CaseOutcome:
    suite = load_skills_suite(ROOT)
    arms = prepare_arms(skill, ROOT, suite.old, tmp_path / "arms")
    assert [a.name for a in arms] == list(ARMS)
    runs = [_run(case, arm, name, tmp_path / f"run-{n}") for n, arm in enumerate(arms)]
    rules = load_rules(case.path.parent / "playbooks" / JUDGE_RULES)
    by = Comparator(ask=scripted_comparator(rules), model="scripted")
    return evaluate_case(skill, case, runs, by=by, rule=PassRule(min_valid_trials=1))


@pytest.fixture(scope="module")
def skills() -> dict[str, Skill]:
    found = discover(ROOT)
    assert (found.problems, found.orphans, found.untested) == ((), (), ())
    return {s.name: s for s in found.skills}


@pytest.mark.parametrize(
    ("name", "playbook", "verdict", "baseline", "old"),
    [
        pytest.param(
            "change-review",
            "ideal",
            Verdict.PASS,
            "1 won, 0 lost, 0 tied",
            "1 won, 0 lost, 0 tied",
            id="a-win",
        ),
        pytest.param(
            "settled-notes",
            "ideal",
            Verdict.FAIL,
            "0 won, 0 lost, 1 tied",
            "0 won, 0 lost, 1 tied",
            id="a-tie",
        ),
        pytest.param(
            "release-notes",
            "ideal",
            Verdict.FAIL,
            "0 won, 0 lost, 1 tied",
            "0 won, 1 lost, 0 tied",
            id="worse",
        ),
        pytest.param("change-review", "red-gate", Verdict.FAIL, None, None, id="a-red-gate"),
    ],
)
def test_each_verdict_can_be_seen(
    skills: dict[str, Skill],
    tmp_path: Path,
    name: str,
    playbook: str,
    verdict: Verdict,
    baseline: str | None,
    old: str | None,
) -> None:
    skill = skills[name]
    got = _evaluate(skill, skill.cases[0], playbook, tmp_path)
    assert got.authoring_errors == ()
    assert all(isinstance(c, Comparison) for c in got.comparisons.values()), got.comparisons
    assert got.verdict.verdict == verdict, got.verdict
    assert got.verdict.gate_red == (1 if playbook == "red-gate" else 0)
    if baseline is not None:
        assert (str(got.verdict.vs_baseline), str(got.verdict.vs_old)) == (baseline, old)


def test_every_playbook_of_the_tree_can_be_read(skills: dict[str, Skill]) -> None:
    for skill in skills.values():
        for case in skill.cases:
            kinds = {case_playbook(case, "ideal", arm).kind for arm in ARMS}
            assert kinds == {"ideal"}
            load_rules(case.path.parent / "playbooks" / JUDGE_RULES)


def test_its_trigger_cases_hold_both_kinds(skills: dict[str, Skill]) -> None:
    paths = [trigger_path(ROOT, skill) for skill in skills.values()]
    found = [load_triggers(path) for path in paths if path is not None]
    assert [{c.should_trigger for c in cases} for cases in found] == [{True, False}]


def test_a_case_without_playbooks_says_so(skills: dict[str, Skill], tmp_path: Path) -> None:
    copy = tmp_path / "repo"
    shutil.copytree(ROOT, copy)
    shutil.rmtree(copy / "tests/skills/settled-notes/moving-the-release/playbooks")
    case = select(discover(copy), "settled-notes")[0].cases[0]
    with pytest.raises(AuthoringError, match="write one"):
        case_playbook(case, "ideal", "new")
