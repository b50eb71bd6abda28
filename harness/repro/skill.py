"""What the repetition of a skill's run has of its own: the skill in the place of a plugin, and the tree that it came from."""

from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec.structs import replace

from harness.engine.invocation import Invocation
from harness.engine.skill_tree import case_scenario, suite_of
from harness.errors import UserError
from harness.loaders.case.load import read_case
from harness.loaders.case.tree import SKILL_FILE, skill_title, skills_home
from harness.model.case import ARMS, Skill
from harness.model.cell import Arm
from harness.model.problem import Problem
from harness.model.scenario import SKILLS
from harness.plan.digest import scenario_digest
from harness.skills.arms import copy_skill
from harness.skills.suite import load_skills_suite
from harness.world.digest import tree_digest


def other_skill(path: Path, arm: Arm, target: Path) -> Arm:
    """The arm with another content of its skill, put under ``target``. Raises UserError where ``path`` is not that skill."""
    skill = path.resolve()
    if arm.skill is None:
        raise UserError(f"the run was of the arm {arm.name}, which has no skill; leave out --plugin")
    if not (skill / SKILL_FILE).is_file():
        raise UserError(
            f"--plugin {path} has no {SKILL_FILE}; the run is of a skill, so give the folder of that skill"
        )
    name = arm.skill.name
    if name not in (skill.name, skill_title(skill)):
        raise UserError(
            f"--plugin {path} is another skill than {name}; neither its folder nor its file is called so"
        )
    root = skill if skills_home(skill) == skill else None
    copy = copy_skill(skill, target / "other" / name, root=root)
    return replace(arm, skill=copy, plugin_digest=tree_digest(copy))


def skill_changes(invocation: Invocation, *, what_if: bool) -> tuple[str, ...]:
    """What of the tree that a case's run came from is no longer as it was then; nothing where it is gone."""
    path = invocation.suite.removeprefix(SKILLS)
    case = Path(invocation.case)
    if not (invocation.case and case.is_file()):
        return ()
    root = case.parents[len(Path(path).parts) + 3]
    home = skills_home(root)
    folder = root if home in (root, None) else home / path
    told: list[str] = []
    if _digest_now(invocation, case, root) != invocation.scenario_digest:
        told.append(f"the case {path}/{invocation.scenario} has changed since; this is the one of then")
    if invocation.arm == "new" and not what_if and _digest_of(folder, root) != invocation.plugin_digest:
        told.append(
            f"the skill has changed since; this is the one of then, --plugin {folder} tries the present one"
        )
    return tuple(told)


def _digest_now(invocation: Invocation, case: Path, root: Path) -> str:
    """Of the case as it is in the tree; '' where that does not make one."""
    path = invocation.suite.removeprefix(SKILLS)
    problems: list[Problem] = []
    arm = next(name for name in ARMS if name == invocation.arm)
    with TemporaryDirectory(prefix="harness-") as empty:
        try:
            settings = load_skills_suite(root)
            read = read_case(case, f"{path}/{invocation.scenario}", (), problems, committed=False)
            if read is None:
                return ""
            suite = suite_of(Skill(path=path, folder=root, title=""), root, settings, root, [arm])
            scenario = case_scenario(read, suite, arm, invocation.model, Path(empty))
        except UserError:
            return ""
        return scenario_digest(suite, scenario, invocation.model)


def _digest_of(folder: Path, root: Path) -> str:
    """As an arm's copy of the skill; '' where it is gone."""
    if not (folder / SKILL_FILE).is_file():
        return ""
    with TemporaryDirectory(prefix="harness-") as place:
        return tree_digest(copy_skill(folder, Path(place) / folder.name, root=root))
