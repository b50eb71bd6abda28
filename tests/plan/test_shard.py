"""The shards of a plan are the plan, cut the same way everywhere."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import UserError
from harness.model.cell import CellKey
from harness.plan.shard import Shard, parse_shard

KEYS = st.builds(CellKey, st.text(), st.text(), st.text(), st.text(), st.integers(1, 99))


@given(st.lists(KEYS), st.integers(1, 7))
def test_every_cell_is_in_exactly_one_shard(keys: list[CellKey], of: int) -> None:
    parts = [Shard(number, of).part(keys, lambda key: key) for number in range(1, of + 1)]
    assert sorted(key for part in parts for key in part) == sorted(keys)


def test_a_shard_is_the_same_in_every_process_and_version() -> None:
    keys = [CellKey("os-adr", f"R{n}", "new", "haiku", 1) for n in range(12)]
    assert [key.scenario for key in Shard(1, 3).part(keys, lambda key: key)] == [
        "R0",
        "R3",
        "R7",
        "R8",
        "R9",
        "R10",
        "R11",
    ]


def test_shards_are_of_like_size() -> None:
    keys = [CellKey("os-adr", f"R{n}", arm, "haiku", t) for n in range(10) for arm in "ab" for t in range(50)]
    assert all(200 < len(Shard(i, 4).part(keys, lambda key: key)) < 300 for i in range(1, 5))


def test_a_shard_is_read_from_its_text() -> None:
    assert parse_shard("2/4") == Shard(number=2, of=4)


@pytest.mark.parametrize("text", ["", "0/4", "5/4", "1/0", "1", "a/b", "1/2/3", "-1/2", "１/２"])
def test_what_is_no_shard_is_refused(text: str) -> None:
    with pytest.raises(UserError, match="such as 1/4"):
        parse_shard(text)
