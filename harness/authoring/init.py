"""A first evaluation of what a repository holds: it passes with one stand-in for the model and fails with another."""

import os
import re
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from harness.authoring.discover import find_plugin, plugin_folders
from harness.authoring.sample import sample_without
from harness.authoring.schemas import SCENARIO_KINDS, SCHEMA_FOLDER, schema_files
from harness.authoring.write import Writer, ignore_results
from harness.lint.rules import lint_suites
from harness.loaders.case.tree import skills_home
from harness.loaders.suite import load_suites
from harness.model.problem import Problem

FIRST = "S1"
_NEXT = """
  harness eval {suite}                                    a stand-in that does right: passes
  harness eval {suite} --model scripted:silent            one that never looks: fails
  harness eval {suite} --model haiku --arm baseline --arm new --trials 3
  harness report
"""


class Made(Struct, frozen=True, kw_only=True):
    found: str
    """What the repository holds, in words."""
    names: Mapping[str, str]
    """What a program needs to go on."""
    written: tuple[Path, ...]
    kept: tuple[Path, ...]
    notes: tuple[str, ...]
    problems: tuple[Problem, ...]
    next: str
    """Commands to go on with, one a line."""


def holds_skills_only(root: Path) -> bool:
    return not any(plugin_folders(root)) and skills_home(root) is not None


def init_plugin(root: Path, plugin_folder: Path | None = None) -> Made:
    """Write the suite, its fixture, a grid, a workflow and the editor's schemas under ``root``. Raises UserError."""
    plugin = find_plugin(root, plugin_folder)
    suite = re.sub(r"[^A-Za-z0-9_-]+", "-", plugin.name).strip("-") or "plugin"
    sample = sample_without(
        (plugin.name, plugin.folder.name, *plugin.skills, *plugin.programs, *plugin.slash_commands)
    )
    fixture = f"{suite}/sample"
    writer = Writer(root)
    values = {"suite": suite, "plugin": plugin, "sample": sample, "id": FIRST, "fixture": fixture}
    path = os.path.relpath(plugin.folder, root)
    scenario = f"scenarios/{suite}/{FIRST}"
    writer.render(f"scenarios/{suite}/suite.yaml", "suite/suite.yaml", plugin_path=path, **values)
    writer.render(f"{scenario}/scenario.yaml", "suite/scenario.yaml", **values)
    for playbook in ("ideal", "silent"):
        writer.render(f"{scenario}/playbooks/{playbook}.yaml", f"suite/{playbook}.yaml", **values)
    writer.world(f"fixtures/{fixture}", sample)
    writer.render("grids/nightly.yaml", "suite/grid.yaml", **values)
    writer.render(".github/workflows/harness.yml", "suite/workflow.yml", **values)
    for name, text in schema_files(SCENARIO_KINDS).items():
        writer.write(f"{SCHEMA_FOLDER}/{name}", text)
    return Made(
        found=f"the plugin {plugin.name}: {plugin.parts()}",
        names={"suite": suite, "plugin": str(plugin.folder)},
        written=tuple(writer.written),
        kept=tuple(writer.kept),
        notes=ignore_results(root),
        problems=tuple(lint_suites(load_suites(root, [suite]))),
        next=_NEXT.format(suite=suite).strip("\n"),
    )
