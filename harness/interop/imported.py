"""What comes out of an import: cases, and a list of everything that they cannot say."""

import re
import shlex
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import yaml
from msgspec import Struct, field

from harness.errors import AuthoringError, UserError
from harness.loaders.case.load import load_case
from harness.model.problem import Problem


class ImportedCase(Struct, frozen=True, kw_only=True):
    name: str
    """A folder name, unlike any other of the import."""
    source: Path
    description: str
    prompt: str
    assertions: tuple[str, ...] = ()
    """Lines of ``sh``."""
    criteria: tuple[str, ...] = ()
    files: Mapping[str, Path] = field(default_factory=dict)
    """Path in the fixture -> where it is now."""


class Imported(Struct, frozen=True, kw_only=True):
    cases: tuple[ImportedCase, ...]
    left_out: tuple[Problem, ...]
    """One for each thing that no case says, with where it stood."""


class Notes:
    """Collects what is left out."""

    def __init__(self) -> None:
        self.found: list[Problem] = []

    def left_out(self, path: Path, text: str, line: int = 1) -> None:
        self.found.append(Problem(path=path, line=line, text=f"not imported: {text}"))


def folder_name(text: str, taken: Sequence[str]) -> str:
    """A plain folder name for the text, numbered where another case has it already."""
    plain = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:60] or "case"
    name, number = plain, 2
    while name in taken:
        name, number = f"{plain}-{number}", number + 1
    return name


def one_line(text: str) -> str:
    return " ".join(text.split())


def quoted(text: str) -> str:
    return shlex.quote(text)


def case_text(case: ImportedCase) -> str:
    """The case as ``case.md``."""
    head = yaml.safe_dump(
        {"description": one_line(case.description) or case.name}, width=10_000, allow_unicode=True
    )
    parts = [f"---\n{head}---\n## Prompt\n{case.prompt.strip()}\n"]
    if case.assertions:
        lines = "".join(f"{a}\n" for a in case.assertions)
        parts.append(f"## Hard assertions\n```sh\n{lines}```\n")
    parts.append("## Soft criteria\n" + "".join(f"- {one_line(c)}\n" for c in case.criteria))
    return "\n".join(parts)


def write_cases(
    imported: Imported, root: Path, skill_path: str
) -> tuple[tuple[Path, ...], tuple[Problem, ...]]:
    """Write each case below ``root/tests/skills/<skill path>/``; returns the files and what is wrong with them.

    A prompt that names its skill is written all the same and told: only its author can say it otherwise. Raises
    UserError, before anything is written, where a case folder exists already.
    """
    top = root / "tests" / "skills" / skill_path
    there = [c.name for c in imported.cases if (top / c.name).exists()]
    if there:
        raise UserError(f"{top / there[0]} exists already; move it away or import under another skill")
    written: list[Path] = []
    problems: list[Problem] = []
    for case in imported.cases:
        path = top / case.name / "case.md"
        path.parent.mkdir(parents=True)
        path.write_text(case_text(case), encoding="utf-8")
        for name, source in case.files.items():
            target = path.parent / "fixture" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
        written.append(path)
        try:
            load_case(path, names=[Path(skill_path).name])
        except AuthoringError as error:
            problems += error.problems
    return tuple(written), tuple(problems)
