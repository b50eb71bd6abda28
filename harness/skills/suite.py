"""``tests/skills/suite.yaml``: how the cases of a tree are run and what they must reach; all of it optional."""

from pathlib import Path

from msgspec import Struct

from harness.errors import AuthoringError
from harness.loaders.limits import read_limits
from harness.loaders.playbook import load_playbook
from harness.loaders.suite import PERMISSION_MODES
from harness.loaders.yamlfile import YamlFile
from harness.model.case import ARMS, ArmName, Case
from harness.model.problem import Problem
from harness.model.scenario import Limits, Playbook
from harness.skills.verdict import PassRule, read_rule

JUDGE_RULES, GRADER_RULES = "judge.yaml", "grader.yaml"
"""Beside the playbooks of a case: what stands in for the comparator's and the grader's model."""


class SkillsSuite(Struct, frozen=True, kw_only=True):
    old: str | None = None
    """A git ref or ``path:FOLDER``; None: there is no old arm unless ``--old`` names one."""
    trials: int = 3
    judge_model: str = "haiku"
    permission_mode: str = "bypassPermissions"
    allowed_tools: tuple[str, ...] = ()
    trigger_turns: int = 4
    """Turns within which the skill must come in at a query of ``trigger_eval.json``."""
    limits: Limits
    rule: PassRule


def load_skills_suite(root: Path) -> SkillsSuite:
    """The settings of the tree at ``root``. Raises AuthoringError."""
    path, problems = root / "tests" / "skills" / "suite.yaml", list[Problem]()
    if not path.is_file():
        return SkillsSuite(limits=Limits(), rule=PassRule())
    top = YamlFile(path, problems).top()
    if top is not None:
        made = SkillsSuite(
            old=top.text("old", "") or None,
            trials=top.whole("trials") or 3,
            judge_model=top.text("judge_model", "haiku"),
            permission_mode=top.choice("permission_mode", PERMISSION_MODES, "bypassPermissions"),
            allowed_tools=top.texts("tools") or (),
            trigger_turns=top.whole("trigger_turns") or 4,
            limits=read_limits(top.mapping("limits"), Limits()),
            rule=read_rule(top.mapping("rule")),
        )
        top.done()
    if problems:
        raise AuthoringError(problems)
    return made


def playbook_names(case: Case) -> frozenset[str]:
    """NAME of every playbooks/NAME.yaml and playbooks/NAME.ARM.yaml."""
    found = (p.name.removesuffix(".yaml") for p in (case.path.parent / "playbooks").glob("*.yaml"))
    bare = (name.rpartition(".")[0] if name.rpartition(".")[2] in ARMS else name for name in found)
    return frozenset(bare) - {"judge", "grader"}


def playbook_path(case: Case, name: str, arm: ArmName) -> Path | None:
    """The playbook that plays the model in this arm: of this arm, of any arm, else the ideal one of this arm."""
    folder = case.path.parent / "playbooks"
    places = [folder / f"{n}.yaml" for n in (f"{name}.{arm}", name, f"ideal.{arm}")]
    return next((p for p in places if p.is_file()), None)


def case_playbook(case: Case, name: str, arm: ArmName) -> Playbook:
    """Raises AuthoringError where there is none, or where it has mistakes."""
    path, problems = playbook_path(case, name, arm), list[Problem]()
    if path is None:
        text = f"has no playbooks/{name}.{arm}.yaml and none to stand in for it; write one"
        raise AuthoringError([Problem(path=case.path, line=1, text=text)])
    made = load_playbook(path, {}, (), problems)
    if made is None or problems:
        raise AuthoringError(problems)
    return made
