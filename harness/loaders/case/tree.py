"""A tree of skills and the tests that mirror it: which case belongs to which skill."""

import fnmatch
import os
import re
from collections.abc import Iterator
from pathlib import Path

import frontmatter
import yaml

from harness.errors import UserError
from harness.loaders.case.load import read_case
from harness.model.case import Case, Discovery, Skill
from harness.model.problem import Problem

SKILL_FILE = "SKILL.md"
HOMES = (Path("skills"), Path(), Path(".claude") / "skills")
"""Where the skills of a tree can stand, from its root; the first that holds one. The second: the root is a skill itself."""
_NOT_OURS = {".git", "node_modules", "__pycache__", ".venv"}
_FOLDER_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")


def skills_home(root: Path) -> Path | None:
    """The folder below which the skills of the tree stand, or None; the root itself where that is one skill."""
    homes = [root / home for home in HOMES if (root / home).is_dir()]
    holding = (h for h in homes if (h / SKILL_FILE).is_file() or (h != root and any(h.rglob(SKILL_FILE))))
    return next(holding, next((h for h in homes if h != root), None))


def tree_root(start: Path) -> Path:
    """The nearest tree of skills from ``start`` upwards, within the repository. Raises UserError where there is none."""
    for folder in (start, *start.parents):
        if skills_home(folder) is not None:
            return folder
        # Beyond it stand other people's skills, the user's own in HOME among them.
        if (folder / ".git").exists() or folder == Path.home():
            break
    raise UserError(
        f"no {SKILL_FILE} under skills/ or .claude/skills/ in {start} or above it; run this in a tree of skills"
    )


def only_tree(start: Path) -> Path | None:
    """The tree that an evaluation is about where nothing is named: one with cases, where there are no suites."""
    if any((folder / "scenarios").is_dir() for folder in (start, *start.parents)):
        return None
    try:
        root = tree_root(start)
    except UserError:
        return None
    return root if (root / "tests" / "skills").is_dir() else None


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


def skill_title(folder: Path) -> str:
    """The name in the front matter of a skill's file, or ''."""
    return _title(folder / SKILL_FILE, [])


def _own_skill(root: Path, problems: list[Problem]) -> Skill:
    """The skill that the root is, called as its front matter says: the folder's name is whatever a clone was given."""
    title = _title(root / SKILL_FILE, problems)
    return Skill(path=title if _FOLDER_NAME.fullmatch(title) else root.name, folder=root, title=title)


def _skills(root: Path, top: Path, problems: list[Problem]) -> list[Skill]:
    if top == root:
        return [_own_skill(root, problems)]
    found = list[Skill]()
    for folder, folders, files in _walk(top, problems):
        strays = [n for n in folders if n == "fixture"] + [n for n in files if n == "case.md"]
        for name in strays:
            text = "tests must never ride along with a skill; move it to tests/skills/<same path>/<case>/"
            problems.append(Problem(path=folder / name, line=1, text=text))
        if SKILL_FILE in files:
            path = folder.relative_to(top).as_posix()
            if path == ".":
                text = "stands in skills/ itself; give the skill a folder"
                problems.append(Problem(path=folder / SKILL_FILE, line=1, text=text))
                continue
            found.append(Skill(path=path, folder=folder, title=_title(folder / SKILL_FILE, problems)))
    return found


def _names(root: Path, skills: list[Skill]) -> frozenset[str]:
    folders = (root / "commands", root / ".claude" / "commands")
    commands = {p.stem for folder in folders for p in folder.glob("**/*.md")}
    return frozenset({s.name for s in skills} | {s.title for s in skills if s.title} | commands)


def discover(root: Path) -> Discovery:
    """Every skill of the tree with its cases under ``root/tests/skills``, and all that is wrong there.

    Raises UserError where there are no skills.
    """
    home = skills_home(root)
    if home is None:
        raise UserError(
            f"{root} has no skills/ folder, no .claude/skills/ and no {SKILL_FILE}; give the folder that holds skills/ and tests/skills/"
        )
    problems: list[Problem] = []
    skills = _skills(root, home, problems)
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
        raise UserError(f"no skill under {skills_home(found.root)} matches {pattern!r}; there is: {there}")
    return chosen
