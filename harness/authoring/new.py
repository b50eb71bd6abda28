"""New scenarios and cases beside those that are there."""

import os
import re
from pathlib import Path

from msgspec import Struct

from harness.authoring.schemas import (
    CASE_SCHEMA_FOLDER,
    SCENARIO_KINDS,
    SCHEMA_FOLDER,
    schema_files,
    schema_text,
)
from harness.authoring.write import Writer
from harness.errors import UserError
from harness.loaders.case.tree import discover, select, tree_root
from harness.loaders.suite import load_suites, project_root, suite_names

KINDS = ("retrieval", "write-trigger")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")
_PLAYBOOKS = ("ideal", "silent")


class Made(Struct, frozen=True, kw_only=True):
    folder: Path
    written: tuple[Path, ...]


def new_scenario(start: Path, suite: str, name: str, *, kind: str, fixture: str) -> Made:
    """A scenario folder with two playbooks to fill in. Raises UserError."""
    root = project_root(start)
    known = suite_names(root)
    if suite not in known:
        raise UserError(
            f"there is no suite {suite!r} under {root / 'scenarios'}; there is: {', '.join(known) or 'none'}"
        )
    if kind not in KINDS:
        raise UserError(f"--kind is {kind!r}; give {' or '.join(KINDS)}")
    _check_name(name)
    folder = root / "scenarios" / suite / name
    _check_free(folder)
    if not (root / "fixtures" / fixture).is_dir():
        there = ", ".join(_fixtures(root)) or "none"
        raise UserError(f"there is no fixtures/{fixture}; make it, or give --fixture one of: {there}")
    adrs = sorted((root / "fixtures" / fixture / "docs/adr").glob("[0-9]*.md"))
    adr = f"ADR-{adrs[0].name.partition('-')[0]}" if adrs else "ADR-0001"
    (loaded,) = load_suites(root, [suite])
    writer = Writer(root)
    here = f"scenarios/{suite}/{name}"
    writer.render(f"{here}/scenario.yaml", f"suite/{kind}.yaml", id=name, fixture=fixture, adr=adr)
    for playbook in loaded.playbook_kinds or _PLAYBOOKS:
        writer.render(f"{here}/playbooks/{playbook}.yaml", "suite/playbook.yaml", kind=playbook)
    for file, text in schema_files(SCENARIO_KINDS).items():
        writer.write(f"{SCHEMA_FOLDER}/{file}", text)
    return Made(folder=folder, written=tuple(writer.written))


def new_case(start: Path, skill: str, name: str, description: str) -> Made:
    """A case folder for a skill, with a playbook for each arm to fill in. Raises UserError."""
    root = tree_root(start)
    (chosen, *more) = select(discover(root), skill)
    if more:
        raise UserError(
            f"{skill!r} names {len(more) + 1} skills, {chosen.path} and {more[0].path} among them; give one path"
        )
    _check_name(name)
    here = f"tests/skills/{chosen.path}/{name}"
    _check_free(root / here)
    writer = Writer(root)
    writer.render(
        f"{here}/case.md", "case/case.md", description=description or f"What {name} is about, in one line"
    )
    schema = os.path.relpath(root / CASE_SCHEMA_FOLDER / "playbook.json", root / here / "playbooks")
    for arm, note in (
        ("baseline", "answers without the help that is tested"),
        ("new", "answers as it should"),
    ):
        writer.render(f"{here}/playbooks/ideal.{arm}.yaml", "case/playbook.yaml", schema=schema, note=note)
    writer.write(f"{CASE_SCHEMA_FOLDER}/playbook.json", schema_text("playbook"))
    return Made(folder=root / here, written=tuple(writer.written))


def _fixtures(root: Path) -> list[str]:
    top = root / "fixtures"
    return sorted(
        p.relative_to(top).as_posix() for p in top.glob("*/*") if p.is_dir() and p.parent.name != "plugins"
    )


def _check_name(name: str) -> None:
    if not _NAME.fullmatch(name):
        raise UserError(f"{name!r} cannot be a folder's name here; use letters, digits, - and _")


def _check_free(folder: Path) -> None:
    if folder.exists():
        raise UserError(f"{folder} is there already; give another name, or edit it")
