"""The order of a grid: matched, random, and the same for the same seed."""

from collections import Counter
from pathlib import Path

from harness.engine.skill_tree import choose, skill_cells
from harness.plan.order import interleave

TREE = Path(__file__).parents[2] / "fixtures" / "skills-repo"


def test_the_arms_of_a_trial_stand_together_in_an_order_that_the_seed_draws(tmp_path: Path) -> None:
    chosen = choose(TREE, skill="release-notes", cases=(), old=None)
    planned = skill_cells(chosen, models=["haiku"], trials=40, room=tmp_path)
    order = interleave(planned, 7)
    assert order == interleave(planned[::-1], 7)
    assert order != interleave(planned, 8)
    blocks = [order[n : n + 3] for n in range(0, len(order), 3)]
    assert all(len({c.trial for c in b}) == 1 and len({c.arm.name for c in b}) == 3 for b in blocks)
    firsts = Counter(b[0].arm.name for b in blocks)
    assert len(firsts) == 3
    assert min(firsts.values()) > 4
