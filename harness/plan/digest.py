"""What makes a cell the cell it is, as digests that no machine path enters."""

import hashlib
from collections.abc import Iterable

from harness.model.cell import Cell
from harness.model.scenario import CaseExpectation, Scenario, Suite
from harness.world.digest import tree_digest

SEEN_BY_THE_MODEL = "1"
"""Raised when the harness changes what a model sees (flags, environment, world set-up): old rows are then of other cells."""


def _digest(parts: Iterable[str | bytes]) -> str:
    made = hashlib.sha256()
    for part in parts:
        data = part if isinstance(part, bytes) else part.encode("utf-8", "surrogatepass")
        made.update(len(data).to_bytes(8, "big"))
        made.update(data)
    return made.hexdigest()


def scenario_digest(suite: Suite, scenario: Scenario, model: str) -> str:
    """Scenario, suite and fixture content; for a scripted model its playbook's turns too."""
    parts: list[str | bytes] = [*_written(suite, scenario), tree_digest(scenario.fixture)]
    playbook = scenario.playbooks.get(model.partition(":")[2]) if model.startswith("scripted:") else None
    if playbook is not None:
        parts += [repr(playbook.turns), repr(playbook.subagents), repr((playbook.deny, playbook.max_turns))]
        parts.append(repr(playbook.judge))
    return _digest(parts)


def _written(suite: Suite, scenario: Scenario) -> list[str | bytes]:
    """What the author wrote that a run rests on. A case's soft criteria are for the judges, who can be asked again."""
    if not scenario.of_skill:
        return [
            (suite.folder / "suite.yaml").read_bytes(),
            (scenario.folder / "scenario.yaml").read_bytes(),
        ]
    parts: list[str | bytes] = [scenario.prompt, repr((suite.permission_mode, suite.allowed_tools))]
    expect = scenario.expect
    if isinstance(expect, CaseExpectation):
        parts += [repr([(t.role, t.text) for t in expect.case.seed])]
        parts += [repr([a.text for a in expect.case.assertions])]
    else:
        parts.append(repr(expect))
    return parts


def cell_digest(cell: Cell, *, cli_version: str, sandbox: str) -> str:
    """All that decides what the run can be: a row with this digest answers for the cell."""
    key = map(str, cell.key)
    return _digest(
        [
            *key,
            cell.scenario_digest,
            cell.arm.plugin_digest,
            repr(cell.scenario.limits),
            cli_version,
            sandbox,
            SEEN_BY_THE_MODEL,
        ]
    )
