"""One ``case.md`` to a frozen Case, or every problem in it."""

import re
from collections.abc import Collection
from pathlib import Path

import frontmatter
import yaml

from harness.errors import AuthoringError
from harness.loaders.case.lint import fixture_problems, honest_prompt, neutral_criterion
from harness.loaders.case.sections import Section, split_sections
from harness.loaders.case.seed import read_seed
from harness.loaders.case.shell import incomplete
from harness.model.case import Assertion, Case, Criterion, SeedTurn
from harness.model.problem import Problem

SECTIONS = ("Prompt", "Seed", "Hard assertions", "Soft criteria")
BESIDE = ("case.md", "fixture", "playbooks")
_BULLET = re.compile(r"^[-*+][ \t]+(.*)$")


class _Reader:
    """One file being read: every step notes its problems here."""

    def __init__(
        self, path: Path, names: Collection[str], problems: list[Problem], *, committed: bool
    ) -> None:
        self.path = path
        self.committed = committed
        self.names = names
        self.problems = problems

    def note(self, line: int, text: str) -> None:
        self.problems.append(Problem(path=self.path, line=line, text=text))

    def text(self) -> str | None:
        try:
            return self.path.read_text(encoding="utf-8-sig").replace("\r\n", "\n")
        except UnicodeDecodeError:
            self.note(1, "is not UTF-8 text; save it as UTF-8")
        except OSError as error:
            self.note(1, f"cannot be read ({error.strerror})")
        return None

    def front_matter(self, text: str) -> tuple[str, str, int] | None:
        """Description, body, and the line that the body begins in."""
        try:
            data, body = frontmatter.parse(text)
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            self.note(
                mark.line + 2 if mark else 1,
                f"its front matter is not YAML: {getattr(error, 'problem', error)}",
            )
            return None
        head = text.rstrip()[: len(text.rstrip()) - len(body)]

        def line_of(key: str) -> int:
            lines = head.split("\n")
            return next(
                (n for n, line in enumerate(lines, 1) if re.match(rf"['\"]?{re.escape(key)}\b", line)), 1
            )

        for key in data:
            if key != "description":
                self.note(line_of(str(key)), f"{key} is not a key of a case; only description is")
        description = data.get("description")
        if not isinstance(description, str) or not description.strip():
            self.note(
                line_of("description"), "needs a front matter with 'description:', one line on the scenario"
            )
            description = ""
        elif "\n" in description.strip():
            self.note(line_of("description"), "description must be one line")
        return description.strip(), body, head.count("\n") + 1

    def required(self, found: dict[str, Section], title: str) -> Section | None:
        if title not in found:
            self.note(1, f"has no '## {title}' section; add it")
        return found.get(title)

    def prompt(self, section: Section | None) -> str:
        if section is None:
            return ""
        if not section.text.strip():
            self.note(section.line, "the Prompt is empty; write what a user would ask")
        why = honest_prompt(section.text, self.names)
        if why:
            self.note(section.line, f"the Prompt {why}")
        return section.text

    def seed(self, section: Section | None) -> tuple[SeedTurn, ...]:
        if section is None:
            return ()
        turns = read_seed(section, self.path, self.problems)
        for turn in turns:
            why = honest_prompt(turn.text, self.names)
            if why:
                self.note(turn.line, f"this turn of the Seed {why}")
        return turns

    def assertions(self, section: Section | None) -> tuple[Assertion, ...]:
        if section is None:
            return ()
        marks = [line for line in section.lines if line.fenced]
        blocks = [line for line in marks if line.opens]
        for line in section.lines:
            if not line.fenced and line.text.strip():
                self.note(
                    line.number, "only one ```sh block may stand among the hard assertions; move this text"
                )
        if len(blocks) != 1:
            self.note(
                section.line, f"the hard assertions must be exactly one ```sh block, here are {len(blocks)}"
            )
        for block in blocks:
            if block.info != "sh":
                self.note(
                    block.number, f"the code block must be marked ```sh, not {block.info or 'unmarked'!r}"
                )
        inner = [line for line in marks if not line.opens and line.text.strip()]
        made = [
            Assertion(text=i.text.strip(), line=i.number)
            for i in inner
            if not re.fullmatch(r"\s*[`~]{3,}\s*", i.text)
        ]
        if blocks and not made:
            self.note(
                section.line, "the hard assertions are empty; write a predicate or take the section out"
            )
        for assertion in made:
            why = incomplete(assertion.text)
            if why:
                self.note(assertion.line, f"this assertion {why}")
        return tuple(made)

    def criteria(self, section: Section | None) -> tuple[Criterion, ...]:
        if section is None:
            return ()
        made: list[tuple[int, list[str]]] = []
        for line in section.lines:
            bullet = _BULLET.match(line.text)
            if bullet and not line.fenced:
                made.append((line.number, [bullet[1]]))
            elif made and (line.fenced or line.text[:1] in " \t") and line.text.strip():
                made[-1][1].append(line.text.strip())
            elif line.text.strip():
                self.note(
                    line.number, "is no soft criterion; begin each with '- ' and indent what belongs to it"
                )
        criteria = tuple(Criterion(text=" ".join(t).strip(), line=n) for n, t in made)
        if not any(c.text for c in criteria):
            self.note(section.line, "needs at least one soft criterion ('- …') for the judge to go by")
        for criterion in criteria:
            why = neutral_criterion(criterion.text, self.names)
            if why:
                self.note(criterion.line, f"this criterion {why}")
        return criteria

    def fixture(self, seed: Section | None) -> Path | None:
        for entry in sorted(self.path.parent.iterdir()):
            if entry.name not in BESIDE and not entry.name.startswith("."):
                self.problems.append(
                    Problem(
                        path=entry, line=1, text=f"does not belong beside a case ({', '.join(BESIDE)} do)"
                    )
                )
        fixture = self.path.parent / "fixture"
        if fixture.is_symlink() or (fixture.exists() and not fixture.is_dir()):
            self.problems.append(
                Problem(path=fixture, line=1, text="must be a folder of its own, not a link or file")
            )
            return None
        if not fixture.is_dir():
            return None
        if seed is not None:
            self.note(seed.line, "has a Seed and a fixture/; a case has one or the other")
        if self.committed:
            self.problems += fixture_problems(fixture)
        return fixture


def read_case(
    path: Path, case_id: str, names: Collection[str], problems: list[Problem], *, committed: bool = True
) -> Case | None:
    """The case, or None after problems were noted; ``names``: skills and commands that no prompt may name.

    ``committed``: it stands in its author's tree, and its fixture must be in the repository there.
    """
    before = len(problems)
    reader = _Reader(path, names, problems, committed=committed)
    text = reader.text()
    front = reader.front_matter(text) if text is not None else None
    if front is None:
        return None
    description, body, first = front
    found = split_sections(body, first, SECTIONS, path, problems)
    case = Case(
        id=case_id,
        path=path,
        description=description,
        prompt=reader.prompt(reader.required(found, "Prompt")),
        seed=reader.seed(found.get("Seed")),
        assertions=reader.assertions(found.get("Hard assertions")),
        criteria=reader.criteria(reader.required(found, "Soft criteria")),
        fixture=reader.fixture(found.get("Seed")),
    )
    return case if len(problems) == before else None


def load_case(path: Path, *, names: Collection[str] = ()) -> Case:
    """One case by itself. Raises AuthoringError with all its problems."""
    problems: list[Problem] = []
    case = read_case(path, path.parent.name, names, problems)
    if case is None or problems:
        raise AuthoringError(problems)
    return case
