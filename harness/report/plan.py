"""What would be run, and what it can cost at most."""

from collections import Counter
from typing import Protocol

from harness.model.cell import Cell
from harness.model.grid import Grid


class Costed(Protocol):
    """What is told of a plan."""

    @property
    def first_usd(self) -> float | None: ...
    @property
    def most_usd(self) -> float | None: ...


def plan_text(
    todo: list[Cell],
    costs: Costed,
    grid: Grid,
    *,
    cells: int,
    finished: int,
    exhausted: int,
    seed: int | None,
    about: str,
) -> str:
    lines = [f"{cells} cells: {len(todo)} to run, {finished} finished, {exhausted} invalid too often", about]
    lines.append("order: as planned" if seed is None else f"order: seed {seed}")
    for (suite, scenario), count in sorted(Counter((c.suite.name, c.scenario.id) for c in todo).items()):
        lines.append(f"  {suite} {scenario}: {count}")
    for name, chosen in (
        ("arm", Counter(c.arm.name for c in todo)),
        ("model", Counter(c.model for c in todo)),
    ):
        lines += [f"  {name} {value}: {count}" for value, count in sorted(chosen.items())]
    lines.append(f"cost: {_most(costs)}{_budget(grid)}")
    return "\n".join(lines)


def _most(costs: Costed) -> str:
    if costs.first_usd is None or costs.most_usd is None:
        return "no upper bound: a scenario has no max_cost_usd"
    return f"at most ${costs.first_usd:.2f} if each cell runs once, ${costs.most_usd:.2f} with every retry"


def _budget(grid: Grid) -> str:
    parts = []
    if grid.budget.usd is not None:
        parts.append(f"${grid.budget.usd:.2f}")
    if grid.budget.runs is not None:
        parts.append(f"{grid.budget.runs} runs")
    return f"; the budget ends it at {' and '.join(parts)}" if parts else "; no budget"
