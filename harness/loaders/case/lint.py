"""Rules that keep a case honest: what no prompt and no criterion may name, and what no fixture may hold."""

import re
import stat
import subprocess
from collections.abc import Iterable
from pathlib import Path

from harness.model.problem import Problem

_ARM_WORDS = re.compile(
    r"\b(?:baseline|arms?|control group|(?:with|without|no)[ _-](?:the |a |any )?skill|(?:old|new)[_-]skill"
    r"|(?:old|new|previous|earlier|current|improved)[ -](?:skill|version|arm|run|output|answer|response|one)"
    r"|(?:output|answer|version|response|candidate)s? [AB])\b",
    re.I,
)


def named(text: str, names: Iterable[str]) -> str:
    """The first of ``names`` that stands in the text as a word of its own, or ''."""
    for name in sorted(names, key=len, reverse=True):
        if re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text, re.I):
            return name
    return ""


def honest_prompt(text: str, names: Iterable[str]) -> str:
    """Why every arm may not get this text, or ''; ``names`` are those of the tree's skills and commands."""
    skill = named(text, names)
    if skill:
        return f"names the skill or command {skill!r}; the baseline would not be an honest one"
    if re.match(r"\s*/[A-Za-z][\w:-]*(\s|$)", text):
        return "begins with a slash command, which the CLI would expand; write what a user wants instead"
    found = re.search(r"\bskills?\b", text, re.I)
    if found:
        return f"says {found[0]!r}, which hints that one exists; write what a user wants instead"
    return ""


def neutral_criterion(text: str, names: Iterable[str]) -> str:
    """Why the blind judge may not read this criterion, or ''."""
    found = _ARM_WORDS.search(text)
    if found:
        return f"names an arm ({found[0]!r}); say what a good answer looks like, not which arm should win"
    skill = named(text, names)
    if skill:
        return (
            f"names the skill {skill!r}, which the judge must not know of; say what a good answer looks like"
        )
    return ""


def _tracked(folder: Path) -> set[str] | None:
    """Files below ``folder`` that git keeps, relative to it; None outside a repository."""
    done = subprocess.run(
        ["git", "-C", str(folder), "ls-files", "-z", "--", "."],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    if done.returncode != 0:
        return None
    return set(done.stdout.decode("utf-8", "surrogateescape").split("\0")) - {""}


def _leaves(link: Path, fixture: Path) -> bool:
    target = link.readlink()
    return target.is_absolute() or not (link.parent / target).resolve().is_relative_to(fixture.resolve())


def fixture_problems(fixture: Path) -> list[Problem]:
    """What keeps a fixture from being hermetic and committed."""

    def problem(path: Path, text: str) -> Problem:
        return Problem(path=path, line=1, text=text)

    found: list[Problem] = []
    files: list[Path] = []
    for path in sorted(fixture.rglob("*")):
        mode = path.lstat().st_mode
        if path.name == ".git":
            found.append(
                problem(path, "a repository inside the fixture cannot be committed; make it by a script")
            )
        elif stat.S_ISLNK(mode):
            files.append(path)
            if _leaves(path, fixture):
                found.append(
                    problem(path, f"links out of the fixture to {path.readlink()}; copy what is needed")
                )
        elif stat.S_ISREG(mode):
            files.append(path)
        elif not stat.S_ISDIR(mode):
            found.append(problem(path, "is neither file, folder nor link; a fixture cannot hold it"))
    if not files:
        found.append(problem(fixture, "is empty, and git keeps no empty folder; add a file or delete it"))
        return found
    tracked = _tracked(fixture)
    if tracked is None:
        return [
            *found,
            problem(fixture, "is in no git repository; commit it, so that a run can be made again"),
        ]
    loose = [p for p in files if ".git" not in p.parts and str(p.relative_to(fixture)) not in tracked]
    return found + [problem(p, "is not committed; `git add` it or delete it") for p in loose]
