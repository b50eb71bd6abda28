"""A tree of skills and the tests that mirror it: which case belongs to which skill."""

import fnmatch
import os
from collections.abc import Iterator
from pathlib import Path

import frontmatter
import yaml

from harness.errors import UserError
from harness.loaders.case.load import read_case
from harness.model.case import Case, Discovery, Skill
from harness.model.problem import Problem

_NOT_OURS = {".git", "node_modules", "__pycache__", ".venv"}


def _walk(top: Path, problems: list[Problem]) -> Iterator[tuple[Path, list[str], list[str]]]:
    """Folders below ``top`` in order; a linked folder is reported, for it would be passed over in silence."""
    for folder, folders, files in os.walk(top):
        here = Path(folder)
        links = [n for n in sorted(folders) if (here / n).is_symlink() and n != "fixture"]
        text = "is a link to a folder and is not followed; put the folder itself here"
        problems.extend(Problem(path=here / n, line=1, text=text) for n in links)
        folders[:] = sorted(n for n in folders if n not in _NOT_OURS)
        yield here, folders, sorted(files)


def _title(skill_md: Path, problems: list[Problem]) -> str:
    try:
        data, _ = frontmatter.parse(skill_md.read_text(encoding="utf-8-sig"))
    except (yaml.YAMLError, UnicodeDecodeError, OSError) as error:
        first = str(getattr(error, "problem", error)).split("\n")[0]
        problems.append(Problem(path=skill_md, line=1, text=f"its front matter cannot be read: {first}"))
        return ""
    name = data.get("name")
    return name if isinstance(name, str) else ""


def _skills(root: Path, problems: list[Problem]) -> list[Skill]:
    top, found = root / "skills", list[Skill]()
    for folder, folders, files in _walk(top, problems):
        strays = [n for n in folders if n == "fixture"] + [n for n in files if n == "case.md"]
        for name in strays:
            text = "tests must never ride along with a skill; move it to tests/skills/<same path>/<case>/"
            problems.append(Problem(path=folder / name, line=1, text=text))
        if "SKILL.md" in files:
            path = folder.relative_to(top).as_posix()
            if path == ".":
                text = "stands in skills/ itself; give the skill a folder"
                problems.append(Problem(path=folder / "SKILL.md", line=1, text=text))
                continue
            found.append(Skill(path=path, folder=folder, title=_title(folder / "SKILL.md", problems)))
    return found


def _names(root: Path, skills: list[Skill]) -> frozenset[str]:
    commands = {p.stem for p in (root / "commands").glob("**/*.md")}
    return frozenset({s.name for s in skills} | {s.title for s in skills if s.title} | commands)


def discover(root: Path) -> Discovery:
    """Every skill under ``root/skills`` with its cases under ``root/tests/skills``, and all that is wrong there.

    Raises UserError where there is no ``skills/``.
    """
    if not (root / "skills").is_dir():
        raise UserError(f"{root} has no skills/ folder; give the folder that holds skills/ and tests/skills/")
    problems: list[Problem] = []
    skills = _skills(root, problems)
    names, paths = _names(root, skills), {s.path for s in skills}
    cases: dict[str, list[Case]] = {path: [] for path in paths}
    orphans: list[Path] = []
    top = root / "tests" / "skills"
    for folder, folders, files in _walk(top, problems):
        here = folder.relative_to(top).as_posix()
        owner = folder.parent.relative_to(top).as_posix() if folder != top else ""
        if "case.md" not in files:
            if owner in paths and here not in paths and not any(p.startswith(here + "/") for p in paths):
                problems.append(
                    Problem(path=folder, line=1, text="is a case folder without a case.md; write one")
                )
            continue
        folders.clear()
        if owner not in paths:
            orphans.append(folder / "case.md")
            continue
        case = read_case(folder / "case.md", here, names, problems)
        if case is not None:
            cases[owner].append(case)
    made = tuple(
        Skill(path=s.path, folder=s.folder, title=s.title, cases=tuple(cases[s.path])) for s in skills
    )
    return Discovery(root=root, skills=made, orphans=tuple(orphans), problems=tuple(problems))


def select(found: Discovery, pattern: str) -> tuple[Skill, ...]:
    """The skills whose path or name the glob matches. Raises UserError where none does."""
    chosen = tuple(s for s in found.skills if any(fnmatch.fnmatchcase(n, pattern) for n in (s.path, s.name)))
    if not chosen:
        there = ", ".join(s.path for s in found.skills) or "none"
        raise UserError(f"no skill under {found.root / 'skills'} matches {pattern!r}; there is: {there}")
    return chosen
