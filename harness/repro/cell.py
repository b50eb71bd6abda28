"""The cell of a past run made again: from what was kept with the results, else from the project if it is still the same."""

from collections.abc import Mapping
from pathlib import Path

from msgspec.structs import replace

from harness.engine.input_store import Missing
from harness.engine.inputs import restore
from harness.engine.invocation import Invocation
from harness.errors import UserError
from harness.loaders.suite import load_suites, project_root
from harness.model.cell import Arm, Cell
from harness.model.scenario import SKILLS, Limits, Scenario, Suite
from harness.plan.digest import scenario_digest
from harness.repro.outcome import CannotReplayError, Request
from harness.repro.past import Past
from harness.repro.skill import other_skill, skill_changes
from harness.world.digest import tree_digest

Parts = tuple[Suite, Scenario, Arm]


def make_cell(past: Past, request: Request, target: Path, root: Path) -> tuple[Cell, tuple[str, ...]]:
    """The cell, restored under ``target``, and what of the project ``root`` is no longer as it was then.

    Raises UserError where neither the results nor the project hold what the run was made of.
    """
    invocation = past.invocation
    of_skill = invocation.suite.startswith(SKILLS)
    now = _anew(invocation) if of_skill else _in_project(invocation, root)
    parts = restore(invocation, past.results, target)
    changed: tuple[str, ...] = ()
    if isinstance(parts, Missing):
        parts = _unchanged(invocation, now, parts, request)
    elif not isinstance(now, str):
        changed = _changes(invocation, now, request)
    elif of_skill and not past.stranger:
        changed = skill_changes(invocation, what_if=request.what_if)
    suite, scenario, arm = parts
    if request.plugin is not None:
        arm = other_skill(request.plugin, arm, target) if of_skill else _other_plugin(request.plugin, arm)
    cell = Cell(
        suite=suite,
        scenario=replace(scenario, limits=_limits(invocation.limits)),
        arm=arm,
        model=invocation.model,
        trial=invocation.trial,
        scenario_digest=invocation.scenario_digest,
    )
    _check_playbook(cell)
    return cell, changed


def _in_project(invocation: Invocation, root: Path) -> Parts | str:
    """The scenario and arm as they are in the project now, or why there are none."""
    try:
        (suite,) = load_suites(project_root(root), [invocation.suite])
    except UserError as error:
        return str(error)
    scenario = next((s for s in suite.scenarios if s.id == invocation.scenario), None)
    if scenario is None:
        return f"the suite {suite.name} has no scenario {invocation.scenario} any more"
    if not invocation.plugin_digest:
        return suite, scenario, Arm(name=invocation.arm, plugin=None, plugin_digest="")
    arm = Arm(name=invocation.arm, plugin=suite.plugin, plugin_digest=tree_digest(suite.plugin))
    return suite, scenario, arm


def _anew(invocation: Invocation) -> str:
    skill = invocation.suite.removeprefix(SKILLS)
    return f"`harness eval --skills ROOT --skill {skill} --fresh` runs all arms anew"


def _changes(invocation: Invocation, now: Parts, request: Request) -> tuple[str, ...]:
    suite, scenario, arm = now
    told: list[str] = []
    if scenario_digest(suite, scenario, invocation.model) != invocation.scenario_digest:
        told.append(f"the scenario {scenario.id} or its fixture has changed since; this is the one of then")
    if invocation.arm == "new" and arm.plugin_digest != invocation.plugin_digest and not request.what_if:
        told.append(
            f"the plugin has changed since; this is the one of then, --plugin {suite.plugin} tries the present one"
        )
    return tuple(told)


def _unchanged(invocation: Invocation, now: Parts | str, missing: Missing, request: Request) -> Parts:
    """The project's own files, where they are still what the run was made of."""
    if isinstance(now, str):
        raise CannotReplayError(f"nothing to have {invocation.run_id} again with: {missing.why}, and {now}")
    suite, scenario, arm = now
    if scenario_digest(suite, scenario, invocation.model) != invocation.scenario_digest:
        raise CannotReplayError(
            f"the scenario {scenario.id} or its fixture has changed since {invocation.run_id},"
            f" and no copy was kept: {missing.why}"
        )
    if arm.plugin_digest != invocation.plugin_digest and not request.what_if:
        raise CannotReplayError(
            f"the plugin has changed since {invocation.run_id}, and no copy was kept: {missing.why}."
            f"\n--plugin {suite.plugin} tries the present one"
        )
    return now


def _other_plugin(path: Path, arm: Arm) -> Arm:
    plugin = path.resolve()
    if not (plugin / ".claude-plugin" / "plugin.json").is_file():
        raise UserError(f"--plugin {path} has no .claude-plugin/plugin.json; give the folder of a plugin")
    if arm.plugin is None:
        raise UserError(f"the run was of the arm {arm.name}, which has no plugin; leave out --plugin")
    return replace(arm, plugin=plugin, plugin_digest=tree_digest(plugin))


def _limits(kept: Mapping[str, object]) -> Limits:
    """Raises UserError for anything but numbers: the file may come from a stranger."""
    known = {name: value for name, value in kept.items() if name in Limits.__struct_fields__}
    for name, value in known.items():
        unbounded = value is None and name in ("max_turns", "max_cost_usd")
        if not unbounded and (isinstance(value, bool) or not isinstance(value, int | float)):
            raise UserError(f"the run's limit {name} is {value!r}, which is no number")
    return replace(Limits(), **known)


def _check_playbook(cell: Cell) -> None:
    kind, colon, name = cell.model.partition(":")
    if colon and (kind != "scripted" or name not in cell.scenario.playbooks):
        raise UserError(f"{cell.scenario.id} has no playbook {name!r} for {cell.model}")
