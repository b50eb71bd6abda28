"""docs/seeds.md names only tests that are there."""

import re
from pathlib import Path

TESTS = Path(__file__).parents[1]
MAP = TESTS.parent / "docs" / "seeds.md"
_SECTION = {"The case contract": "", "The comparator": "judges/", "The grader": "judges/"}


def _places() -> list[tuple[str, str, str]]:
    """(test file, function or '', row) for every reference, ``::name`` taken with the file before it."""
    found: list[tuple[str, str, str]] = []
    base = file = ""
    for line in MAP.read_text(encoding="utf-8").split("\n"):
        if line.startswith("## "):
            base = _SECTION[line[3:]]
        if not line.startswith("| ") or line.startswith(("| demand", "| ---")):
            continue
        for reference in re.findall(r"`((?:[\w/]+\.py)?(?:::\w+)?)`", line):
            name, _, function = reference.partition("::")
            if name:
                file = (
                    name
                    if "/" in name and name.split("/")[0] in ("interop", "skills", "loaders", "engine")
                    else base + name
                )
            if name or function:
                found.append((file, function, line))
    return found


def test_every_test_that_is_named_exists() -> None:
    missing = [
        f"{file}::{function}"
        for file, function, _ in _places()
        if not (TESTS / file).is_file() or (function and f"def {function}(" not in (TESTS / file).read_text())
    ]
    assert missing == []


def test_every_row_names_a_test() -> None:
    rows = {line for line in MAP.read_text(encoding="utf-8").split("\n") if line.startswith("| ")}
    rows = {r for r in rows if not r.startswith(("| demand", "| ---"))}
    assert rows - {row for _, _, row in _places()} == set()


def test_every_id_that_is_named_exists() -> None:
    for file, _, row in _places():
        for ids in re.findall(r"\(([\w-]+(?:, [\w-]+)*)\)", row):
            text = "".join((TESTS / f).read_text() for f, _, r in _places() if r == row)
            lone = [i for i in ids.split(", ") if "-" in i and f'"{i}"' not in text]
            assert lone == [], (file, row)
