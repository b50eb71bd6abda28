"""The schemas say what the loaders say."""

import ast
from collections.abc import Iterator
from pathlib import Path

import jsonschema
import pytest
import yaml

from harness.authoring.schema_parts import Schema
from harness.authoring.schemas import SCHEMAS, schema_text

ROOT = Path(__file__).parents[2]
HARNESS = ROOT / "harness"
FILES = [
    *((p, "suite") for p in sorted(ROOT.glob("scenarios/*/suite.yaml"))),
    *((p, "scenario") for p in sorted(ROOT.glob("scenarios/*/*/scenario.yaml"))),
    *((p, "playbook") for p in sorted(ROOT.glob("scenarios/*/*/playbooks/*.yaml"))),
    *((p, "turns") for p in sorted(ROOT.glob("scenarios/**/turns.yaml"))),
    *((p, "skills") for p in sorted(ROOT.glob("fixtures/*/tests/skills/suite.yaml"))),
    *((p, "grid") for p in sorted(ROOT.glob("grids/*.yaml"))),
]
_READERS = frozenset(
    {"text", "texts", "flag", "optional_flag", "number", "whole", "choice", "mapping", "mappings", "items", "data",
     "lists_of_texts"}
)  # fmt: skip


def names_in(schema: object) -> Iterator[str]:
    """Every property that a schema knows, at any depth."""
    if isinstance(schema, dict):
        properties = schema.get("properties")
        if isinstance(properties, dict):
            yield from properties
        for value in schema.values():
            yield from names_in(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from names_in(value)


def keys_read_by(module: str) -> set[str]:
    """The keys that a loader asks its readers for, by name."""
    tree = ast.parse((HARNESS / module).read_text())
    return {
        node.args[0].value
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in _READERS
        and node.args
        and isinstance(node.args[0], ast.Constant)
        and isinstance(node.args[0].value, str)
    }


@pytest.mark.parametrize(
    ("path", "kind"), FILES, ids=lambda v: v if isinstance(v, str) else "-".join(v.parts[-3:])
)
def test_every_file_of_this_repository_is_valid(path: Path, kind: str) -> None:
    jsonschema.validate(yaml.safe_load(path.read_text()), SCHEMAS[kind])


@pytest.mark.parametrize("kind", SCHEMAS)
def test_each_schema_is_one(kind: str) -> None:
    jsonschema.Draft7Validator.check_schema(yaml.safe_load(schema_text(kind)))


@pytest.mark.parametrize(
    ("module", "kinds"),
    [
        ("loaders/suite.py", ("suite",)),
        ("loaders/scenario.py", ("scenario",)),
        ("loaders/playbook.py", ("playbook", "turns")),
        ("loaders/grid.py", ("grid",)),
        ("skills/suite.py", ("skills",)),
        ("skills/verdict.py", ("skills",)),
    ],
)
def test_the_loader_reads_no_key_that_the_schema_lacks(module: str, kinds: tuple[str, ...]) -> None:
    known = {name for kind in kinds for name in names_in(SCHEMAS[kind])}
    assert keys_read_by(module) - known == set()


@pytest.mark.parametrize(
    ("kind", "document"),
    [
        ("suite", {"suite": "a", "plugin": "p", "axis_a": {"pathes": []}}),
        ("scenario", {"id": "a", "kind": "other", "fixture": "f", "prompt": "p", "expect": {}}),
        (
            "playbook",
            {"kind": "ideal", "expect": {"verdict": "green", "axis_a": None, "axis_b": None}, "turns": []},
        ),
        ("grid", {"suites": ["a"], "models": ["haiku"], "trials": 0}),
    ],
    ids=["suite", "scenario", "playbook", "grid"],
)
def test_a_mistake_is_seen_by_the_editor(kind: str, document: Schema) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document, SCHEMAS[kind])
