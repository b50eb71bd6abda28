"""``grids/NAME.yaml``: one grid, or every problem in the file at its line."""

from collections.abc import Mapping
from pathlib import Path

from msgspec.structs import replace

from harness.errors import AuthoringError, UserError
from harness.loaders.yamlfile import MappingReader, YamlFile
from harness.model.grid import (
    DEFAULT_MAX_WAIT_S,
    DEFAULT_RETRIES,
    ENGINES,
    Budget,
    EngineName,
    Grid,
    SkillTree,
)
from harness.model.problem import Problem
from harness.model.scenario import Limits

MAX_JOBS = 64
SANDBOXES = ("auto", "tempdir", "jail")


def grids_root(start: Path) -> Path:
    """The nearest folder from ``start`` upwards that holds suites or grids, else ``start``."""
    folders = (f for f in (start, *start.parents) if (f / "scenarios").is_dir() or (f / "grids").is_dir())
    return next(folders, start)


def find_grid(name: str, root: Path) -> Path:
    """The file that is meant by a path, or by the bare name of a file in ``grids/``."""
    for path in (Path(name), root / "grids" / f"{name}.yaml"):
        if path.is_file():
            return path
    there = ", ".join(sorted(p.stem for p in (root / "grids").glob("*.yaml"))) or "none"
    raise UserError(f"there is no grid {name}; give a YAML file, or one of grids/: {there}")


def load_grid(path: Path) -> Grid:
    """Raises AuthoringError with everything that is wrong in the file."""
    problems: list[Problem] = []
    top = YamlFile(path, problems).top()
    grid = _read(top) if top is not None else None
    if problems or grid is None:
        raise AuthoringError(problems)
    return grid


def chosen(
    grid: Grid,
    *,
    jobs: int | None = None,
    seed: int | None = None,
    old: str | None = None,
    sandbox: str | None = None,
    engine: str | None = None,
    workers: int | None = None,
    scheduler: str | None = None,
    retries: int | None = None,
    max_wait_s: float | None = None,
) -> Grid:
    """The grid with what options say in place of what the file says; None leaves it.

    Raises UserError where the two make no sense together.
    """
    grid = replace(
        grid,
        jobs=grid.jobs if jobs is None else jobs,
        seed=grid.seed if seed is None else seed,
        old=grid.old if old is None else old,
        sandbox=grid.sandbox if sandbox is None else sandbox,
        engine=grid.engine if engine is None else _engine_name(engine),
        retries=grid.retries if retries is None else retries,
        max_wait_s=grid.max_wait_s if max_wait_s is None else max_wait_s,
    )
    if workers is not None or scheduler is not None:
        grid = replace(grid, workers=workers, scheduler=scheduler)
    if grid.engine == "dask" and (grid.workers is None) == (grid.scheduler is None):
        raise UserError("the engine dask needs either --workers N or --scheduler tcp://HOST:PORT")
    if grid.engine == "local" and (workers is not None or scheduler is not None):
        raise UserError("--workers and --scheduler belong to --engine dask; give that too")
    return grid


def _engine_name(text: str) -> EngineName:
    for name in ENGINES:
        if text == name:
            return name
    raise UserError(f"there is no engine {text!r}; there are {', '.join(ENGINES)}")


def _read(top: MappingReader) -> Grid:
    engine: EngineName = "dask" if top.choice("engine", ENGINES, "local") == "dask" else "local"
    results = top.text("results", "")
    skills = _skills(top)
    grid = Grid(
        suites=top.texts("suites", required=skills is None) or (),
        skills=skills,
        scenarios=top.texts("scenarios") or (),
        tags=top.texts("tags") or (),
        arms=top.texts("arms") or (),
        models=top.texts("models", required=True) or (),
        trials=top.whole("trials") or 1,
        seed=top.whole("seed", least=0),
        jobs=top.whole("jobs") or 1,
        limits=_limits(top.mapping("limits")),
        budget=_budget(top.mapping("budget")),
        sandbox=top.choice("sandbox", SANDBOXES, "auto"),
        engine=engine,
        workers=top.whole("workers"),
        scheduler=top.text("scheduler", "") or None,
        old=top.text("old", "") or None,
        retries=_retries(top),
        max_wait_s=_number(top, "max_wait_s", DEFAULT_MAX_WAIT_S),
        results=Path(results) if results else None,
    )
    _check(top, grid)
    top.done()
    return grid


def _skills(top: MappingReader) -> SkillTree | None:
    names = [name for name in ("skill", "judge_model") if top.has(name)]
    if not top.has("skills"):
        for name in names:
            top.note(name, "only has a meaning with skills: ROOT; add that or take it out")
        return None
    for name in ("suites", "tags", "arms"):
        if top.has(name):
            top.note(
                name, "has no meaning beside skills:, whose cases run in all their arms; take one of them out"
            )
    return SkillTree(
        root=top.text("skills"),
        skill=top.text("skill", "") or None,
        trials=top.whole("trials"),
        judge_model=top.text("judge_model", "") or None,
    )


def _check(top: MappingReader, grid: Grid) -> None:
    if grid.jobs > MAX_JOBS and grid.engine == "local":
        top.note(
            "jobs", f"must be at most {MAX_JOBS} on one machine, not {grid.jobs}; engine: dask goes further"
        )
    if grid.engine == "local":
        for name in ("workers", "scheduler"):
            if top.has(name):
                top.note(name, "only has a meaning with engine: dask; add that or take it out")
    elif (grid.workers is None) == (grid.scheduler is None):
        top.note("engine", "dask needs either workers: N or scheduler: tcp://HOST:PORT")
    for name in ("suites", "models"):
        if top.has(name) and not top.texts(name):
            top.note(name, "is empty; name at least one")


def _retries(top: MappingReader) -> int:
    made = top.whole("retries", least=0)
    return DEFAULT_RETRIES if made is None else made


def _number(top: MappingReader, name: str, default: float) -> float:
    made = top.number(name, least=-1e-9)
    return default if made is None else made


def _limits(reader: MappingReader | None) -> Mapping[str, float]:
    if reader is None:
        return {}
    made: dict[str, float] = {}
    for name in Limits.__struct_fields__:
        value = reader.whole(name) if name == "max_turns" else reader.number(name)
        if value is not None:
            made[name] = value
    reader.done()
    return made


def _budget(reader: MappingReader | None) -> Budget:
    if reader is None:
        return Budget()
    made = Budget(usd=reader.number("usd"), runs=reader.whole("runs"))
    reader.done()
    return made
