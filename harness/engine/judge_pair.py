"""Two finished runs, or two folders of outputs, before the blind comparator by hand."""

from pathlib import Path

from msgspec import Struct

from harness.engine.invocation import NAME, Invocation, read_invocation
from harness.engine.judging import Bench, comparator_for
from harness.engine.skill_runs import run_output
from harness.errors import UserError
from harness.interop.skill_creator import read_output
from harness.judges.comparator import Comparison, NoComparison, Question, compare
from harness.judges.neutral import secrets_of
from harness.loaders.case.load import load_case
from harness.model.judge import Output
from harness.report.kept import find_run
from harness.skills.evaluate import question_of


class Side(Struct, frozen=True, kw_only=True):
    """One of the two outputs."""

    name: str
    folder: Path
    output: Output
    invocation: Invocation | None
    """None: a plain folder of files."""


class Judged(Struct, frozen=True, kw_only=True):
    sides: tuple[Side, Side]
    found: Comparison | NoComparison

    @property
    def winner(self) -> str | None:
        """The name of the better side; None for a tie or no verdict."""
        place = self.found.winner if isinstance(self.found, Comparison) else None
        return None if place is None else self.sides[place].name

    @property
    def letters(self) -> dict[str, str]:
        """Which side the judge called A, and which B."""
        swapped = isinstance(self.found, Comparison) and self.found.swapped
        first, second = reversed(self.sides) if swapped else self.sides
        return {"A": first.name, "B": second.name}


def side(name: str, results: Path) -> Side:
    """A folder, or a run by its id. Raises UserError where there is no such thing, or nothing in it to read."""
    folder = Path(name) if Path(name).is_dir() else find_run(results, name)
    if not (folder / NAME).is_file():
        output, _ = read_output(folder)
        return Side(name=name, folder=folder.resolve(), output=output, invocation=None)
    try:
        return Side(
            name=folder.name,
            folder=folder.resolve(),
            output=run_output(folder),
            invocation=read_invocation(folder),
        )
    except (OSError, ValueError) as error:
        raise UserError(f"the run {folder} is not complete: {error}") from None


def question_for(
    sides: tuple[Side, Side], case: Path | None, criteria: tuple[str, ...], task: str
) -> Question:
    """From the case named, else the one that both runs answer, else from criteria and task. Raises UserError."""
    known = {s.invocation.case for s in sides if s.invocation is not None} - {""}
    if case is None and not criteria and len(known) == 1:
        case = Path(next(iter(known)))
    if case is not None:
        return question_of(load_case(case))
    prompts = {s.invocation.prompt for s in sides if s.invocation is not None}
    if not criteria:
        raise UserError("nothing says what is good: give --case FILE, or --criterion TEXT once or more")
    if not task and len(prompts) != 1:
        raise UserError("the two do not answer one prompt that is known: give --case FILE, or --task TEXT")
    return Question(task=task or next(iter(prompts)), criteria=criteria)


def judge_pair(
    sides: tuple[Side, Side], question: Question, bench: Bench, *, model: str, rules: Path | None
) -> Judged:
    by = comparator_for(bench, model=model, rules=rules, audit=False)
    invocations = [s.invocation for s in sides if s.invocation is not None]
    secrets = secrets_of(
        roots=[str(s.folder) for s in sides]
        + [
            p
            for i in invocations
            for p in (i.world, i.env.get("HOME", ""), i.env.get("CLAUDE_CONFIG_DIR", ""))
        ],
        names=[n for i in invocations for n in (i.skill, i.plugin_name)],
        versions=[
            v for i in invocations for v in (i.run_id, i.plugin_digest, i.scenario_digest, i.session_id)
        ],
    )
    return Judged(sides=sides, found=compare(question, [s.output for s in sides], secrets, by))
