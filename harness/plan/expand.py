"""Suites and choices to cells, every choice checked against what there is."""

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import replace

from harness.errors import UserError
from harness.model.cell import Arm, Cell
from harness.model.scenario import Limits, Scenario, Suite
from harness.plan.digest import scenario_digest
from harness.world.digest import tree_digest
from harness.world.fixture import check_fixture

ARMS = ("baseline", "old", "new")
MODELS = ("haiku", "sonnet", "opus")


class Selection(Struct, frozen=True, kw_only=True):
    """What the user asked for; empty means: what the suite says."""

    scenarios: tuple[str, ...] = ()
    """Globs over ids."""
    tags: tuple[str, ...] = ()
    arms: tuple[str, ...] = ()
    models: tuple[str, ...] = ("scripted:ideal",)
    trials: int = 1
    limits: Mapping[str, float] = field(default_factory=dict)
    """Fields of ``Limits`` that replace those of every scenario."""
    old: Mapping[str, Path] = field(default_factory=dict)
    """By suite: the folder that holds its plugin as it was, for the arm ``old``."""


def select(suite: Suite, selection: Selection) -> tuple[Scenario, ...]:
    def wanted(scenario: Scenario) -> bool:
        by_id = not selection.scenarios or any(fnmatchcase(scenario.id, g) for g in selection.scenarios)
        return by_id and (not selection.tags or bool(set(selection.tags) & set(scenario.tags)))

    return tuple(s for s in suite.scenarios if wanted(s))


def arm_of(suite: Suite, name: str, old: Mapping[str, Path]) -> Arm:
    if name == "baseline":
        return Arm(name=name, plugin=None, plugin_digest="")
    if name == "new":
        return Arm(name=name, plugin=suite.plugin, plugin_digest=tree_digest(suite.plugin))
    if name == "old":
        if suite.name not in old:
            raise UserError("the arm old needs the git ref that its plugin is taken from; give --old REF")
        return Arm(name=name, plugin=old[suite.name], plugin_digest=tree_digest(old[suite.name]))
    raise UserError(f"there is no arm {name!r}; there are {', '.join(ARMS)}")


def _check_model(model: str, scenarios: Iterable[Scenario]) -> None:
    kind, colon, name = model.partition(":")
    if not colon:
        if model not in MODELS and not model.startswith("claude-"):
            raise UserError(
                f"there is no model {model!r}; give {', '.join(MODELS)}, a full id (claude-…) or scripted:NAME"
            )
        return
    if kind != "scripted":
        raise UserError(f"there is no kind of model {kind!r}; only scripted:NAME has a colon")
    for scenario in scenarios:
        if name not in scenario.playbooks:
            known = ", ".join(sorted(scenario.playbooks)) or "none"
            raise UserError(f"{scenario.id} has no playbook {name!r} for {model}; it has: {known}")


def _check_fixtures(scenarios: Iterable[Scenario]) -> None:
    """Refuse what would let a world reach out of itself, before any world is made."""
    found = [
        problem for fixture in sorted({s.fixture for s in scenarios}) for problem in check_fixture(fixture)
    ]
    if found:
        raise UserError("\n".join(found))


def expand(suites: Iterable[Suite], selection: Selection) -> tuple[Cell, ...]:
    """Every cell asked for, in the order suite, scenario, arm, model, trial.

    Raises UserError where a choice names what is not there, or where nothing is left to run.
    """
    if selection.trials < 1:
        raise UserError("--trials must be at least 1")
    cells: list[Cell] = []
    for suite in suites:
        scenarios = tuple(_limited(s, selection.limits) for s in select(suite, selection))
        for model in selection.models:
            _check_model(model, scenarios)
        _check_fixtures(scenarios)
        arms = [arm_of(suite, name, selection.old) for name in selection.arms or suite.arms]
        for scenario in scenarios:
            cells += _cells(suite, scenario, arms, selection)
    if not cells:
        asked = ", ".join(selection.scenarios) or "any"
        there = ", ".join(s.id for suite in suites for s in suite.scenarios)
        raise UserError(f"no scenario matches {asked}; there are: {there}")
    return tuple(cells)


def _limited(scenario: Scenario, limits: Mapping[str, float]) -> Scenario:
    return replace(scenario, limits=bounded(scenario.limits, limits)) if limits else scenario


def bounded(base: Limits, limits: Mapping[str, float]) -> Limits:
    """The limits with those that a grid gives in place of the author's."""
    turns = limits.get("max_turns")
    return Limits(
        timeout_s=limits.get("timeout_s", base.timeout_s),
        idle_s=limits.get("idle_s", base.idle_s),
        startup_s=limits.get("startup_s", base.startup_s),
        grace_s=limits.get("grace_s", base.grace_s),
        max_turns=base.max_turns if turns is None else int(turns),
        max_cost_usd=limits.get("max_cost_usd", base.max_cost_usd),
    )


def _cells(suite: Suite, scenario: Scenario, arms: list[Arm], selection: Selection) -> list[Cell]:
    digests = {m: scenario_digest(suite, scenario, m) for m in selection.models}
    return [
        Cell(suite=suite, scenario=scenario, arm=arm, model=m, trial=t, scenario_digest=digests[m])
        for arm in arms
        for m in selection.models
        for t in range(1, selection.trials + 1)
    ]
