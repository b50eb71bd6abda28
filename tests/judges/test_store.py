"""Kept judgements: whole or not at all, and the first one stays."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from harness.judges.store import Store


def test_the_first_judgement_stays(tmp_path: Path) -> None:
    store = Store(tmp_path)
    assert store.put("ab12", {"x": 1}, "raw") == {"x": 1}
    assert store.put("ab12", {"x": 2}, "raw") == {"x": 1}
    assert store.get("ab12") == {"x": 1}


def test_a_broken_file_counts_as_none_and_is_replaced(tmp_path: Path) -> None:
    store = Store(tmp_path)
    (tmp_path / "ab").mkdir()
    (tmp_path / "ab" / "ab12.json").write_bytes(b'{"value": {"x"')
    assert store.get("ab12") is None
    assert store.put("ab12", {"x": 3}, "") == {"x": 3}
    assert store.get("ab12") == {"x": 3}


def test_all_writers_at_once_get_the_same_one(tmp_path: Path) -> None:
    store = Store(tmp_path)
    with ThreadPoolExecutor(8) as pool:
        got = list(pool.map(lambda n: store.put("cd34", {"x": n}, ""), range(40)))
    assert len({g["x"] for g in got}) == 1
    assert [p.name for p in (tmp_path / "cd").iterdir()] == ["cd34.json"]
