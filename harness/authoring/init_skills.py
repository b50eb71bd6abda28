"""A first case for a repository of skills: it passes with one stand-in for the model and fails with another."""

import os
import subprocess
from pathlib import Path

from harness.authoring.discover import may_be_called
from harness.authoring.init import Made
from harness.authoring.sample import Sample, sample_without
from harness.authoring.schemas import CASE_KINDS, CASE_SCHEMA_FOLDER, schema_files
from harness.authoring.write import Writer, ignore_results
from harness.errors import UserError
from harness.loaders.case.tree import SKILL_FILE, discover, select
from harness.model.case import Discovery, Skill
from harness.skills.suite import JUDGE_RULES

FIRST = "settled-question"
_SHOWN = 8
_WRONG = {
    "ideal.baseline": (
        "ideal",
        "The same stand-in without the skill: what the skill is compared with.",
        "nobody told it to look, and the code is wrong; the gate of this arm decides nothing",
    ),
    "silent": (
        "silent",
        "A stand-in that has the skill and never looks. `harness eval --skills . --model scripted:silent` must fail.",
        "never looks, so the hard assertions fail",
    ),
}
_NEXT = """
  harness eval --skills .                                 a stand-in that does right: passes
  harness eval --skills . --model scripted:silent         one that never looks: fails
  harness eval --skills . --model haiku                   with the skill and without, on a real model
  harness report
"""


def init_skills(root: Path, pattern: str | None = None) -> Made:
    """Write a case for the first skill (or the first that ``pattern`` matches), and what goes with it. Raises UserError."""
    found = discover(root)
    skill = _chosen(found, pattern)
    names = [n for s in found.skills for n in (s.path, s.name, s.title) if n]
    commands = [p.stem for p in (*root.glob("commands/**/*.md"), *root.glob(".claude/commands/**/*.md"))]
    _check_repository(root)
    writer = Writer(root)
    case = f"tests/skills/{skill.path}/{FIRST}"
    _write_case(writer, case, sample_without((*names, *commands)))
    writer.render("tests/skills/suite.yaml", "skills/suite.yaml")
    writer.render("grids/nightly.yaml", "skills/grid.yaml")
    writer.render(".github/workflows/harness.yml", "suite/workflow.yml", suite="")
    for name, text in schema_files(CASE_KINDS).items():
        writer.write(f"{CASE_SCHEMA_FOLDER}/{name}", text)
    notes = (*ignore_results(root), *_tell_git(root, case))
    now = discover(root)
    return Made(
        found=_told(found),
        names={"skill": skill.path, "case": case},
        written=tuple(writer.written),
        kept=tuple(writer.kept),
        notes=(*notes, *_untested(now)),
        problems=now.problems,
        next=_NEXT.strip("\n"),
    )


def _chosen(found: Discovery, pattern: str | None) -> Skill:
    asked = select(found, pattern or "*")
    callable_ones = [s for s in asked if may_be_called(s.folder / SKILL_FILE)]
    if not callable_ones:
        raise UserError(
            f"the model may not call {', '.join(s.path for s in asked)} by itself (disable-model-invocation),"
            " so there is nothing to compare; choose another with --skill, or take the key out"
        )
    return callable_ones[0]


def _write_case(writer: Writer, case: str, sample: Sample) -> None:
    playbooks = f"{case}/playbooks"
    schema = os.path.relpath(writer.root / CASE_SCHEMA_FOLDER / "playbook.json", writer.root / playbooks)
    values = {"sample": sample, "schema": schema}
    writer.render(f"{case}/case.md", "skills/case.md", **values)
    writer.world(f"{case}/fixture", sample)
    writer.render(f"{playbooks}/ideal.yaml", "skills/ideal.yaml", **values)
    for name, (kind, about, note) in _WRONG.items():
        writer.render(
            f"{playbooks}/{name}.yaml", "skills/wrong.yaml", kind=kind, about=about, note=note, **values
        )
    writer.render(f"{playbooks}/{JUDGE_RULES}", "skills/judge.yaml", **values)


def _told(found: Discovery) -> str:
    count = len(found.skills)
    return f"{count} skill{'s' if count > 1 else ''}: {_listed(found.skills)}"


def _listed(skills: tuple[Skill, ...]) -> str:
    more = f" and {len(skills) - _SHOWN} more" if len(skills) > _SHOWN else ""
    return ", ".join(s.path for s in skills[:_SHOWN]) + more


def _untested(found: Discovery) -> tuple[str, ...]:
    if not found.untested:
        return ()
    return (
        f"without a case: {_listed(found.untested)}; `harness new case {found.untested[0].path} NAME` writes one to fill in",
    )


def _git(root: Path, *words: str) -> bool:
    done = subprocess.run(
        ["git", "-C", str(root), *words], stdin=subprocess.DEVNULL, capture_output=True, check=False
    )
    return done.returncode == 0


def _check_repository(root: Path) -> None:
    if not _git(root, "rev-parse", "--git-dir"):
        raise UserError(
            f"{root} is in no git repository, which must hold the fixtures of cases; type `git init` first"
        )


def _tell_git(root: Path, case: str) -> tuple[str, ...]:
    """A fixture that git knows nothing of is refused, and what is written here must run at once."""
    if not _git(root, "add", "--intent-to-add", "--", f"{case}/fixture"):
        return ()
    return (
        f"told git of {case}/fixture (git add --intent-to-add), where a fixture must be; commit it with the rest",
    )
