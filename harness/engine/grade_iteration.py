"""An iteration folder of skill-creator graded in place: one ``grading.json`` beside each run's outputs."""

from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec import Struct

from harness.interop.skill_creator import IterationRun, read_iteration
from harness.judges.grader import Grading, grade, never_telling, write_grading
from harness.judges.neutral import secrets_of
from harness.judges.store import Store
from harness.model.judge import Ask
from harness.model.problem import Problem


class Graded(Struct, frozen=True, kw_only=True):
    run: IterationRun
    grading: Grading


class Iteration(Struct, frozen=True, kw_only=True):
    graded: tuple[Graded, ...]
    left_out: tuple[Problem, ...]

    @property
    def untelling(self) -> tuple[tuple[str, str], ...]:
        """Assertions that told no configurations apart, from the results."""
        arms: dict[str, list[Grading]] = {}
        for one in self.graded:
            arms.setdefault(one.run.configuration, []).append(one.grading)
        return never_telling(arms)


def grade_iteration(
    folder: Path, *, ask: Ask, model: str, store: Store, told: Callable[[Graded], None]
) -> Iteration:
    """Raises UserError where the folder is no iteration. A run that nobody could grade keeps no grading.json."""
    runs, left_out = read_iteration(folder)
    graded = [_graded(run, runs, ask, model, store, told) for run in runs]
    return Iteration(graded=tuple(graded), left_out=left_out)


def _graded(
    run: IterationRun,
    runs: Sequence[IterationRun],
    ask: Ask,
    model: str,
    store: Store,
    told: Callable[[Graded], None],
) -> Graded:
    secrets = secrets_of(roots=[str(run.folder.resolve())], names=sorted({r.configuration for r in runs}))
    made = grade(run.assertions, run.output, secrets, ask=ask, model=model, store=store)
    path = run.folder / "grading.json"
    if made.expectations is None:
        path.unlink(missing_ok=True)
    else:
        write_grading(made, path)
    one = Graded(run=run, grading=made)
    told(one)
    return one
