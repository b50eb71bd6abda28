"""In which order cells run, so that what is compared meets the same weather."""

import random
from collections.abc import Iterable

from harness.model.cell import Cell

MAX_SEED = 2**31


def draw_seed() -> int:
    return random.SystemRandom().randrange(MAX_SEED)


def interleave(cells: Iterable[Cell], seed: int) -> list[Cell]:
    """The cells in an order that the seed alone decides.

    The trials of the scenarios come in random order; the arms and models of one trial stand together, in random
    order among themselves: a bad hour, or an end before the end, hits all of them alike.
    """
    blocks: dict[tuple[str, str, int], list[Cell]] = {}
    for cell in cells:
        blocks.setdefault((cell.suite.name, cell.scenario.id, cell.trial), []).append(cell)
    order = random.Random(seed)
    mixed = [blocks[key] for key in sorted(blocks)]
    order.shuffle(mixed)
    for block in mixed:
        block.sort(key=lambda cell: cell.key)
        order.shuffle(block)
    return [cell for block in mixed for cell in block]
