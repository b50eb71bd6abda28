"""A first suite for a plugin: one scenario that passes with one stand-in for the model and fails with another."""

import os
import re
from dataclasses import dataclass
from pathlib import Path

from harness.authoring.discover import Plugin, find_plugin
from harness.authoring.sample import sample_without
from harness.authoring.schemas import SCENARIO_KINDS, SCHEMA_FOLDER, schema_files
from harness.authoring.write import Writer

FIRST = "S1"
_IGNORED = "results/"


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    plugin: Plugin
    suite: str
    written: tuple[Path, ...]
    kept: tuple[Path, ...]
    notes: tuple[str, ...]


def init(root: Path, plugin_folder: Path | None = None) -> Made:
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
    world = f"fixtures/{fixture}"
    writer.write(f"{world}/{sample.file}", sample.module)
    writer.render(f"{world}/docs/adr/0001-{sample.slug}.md", "suite/adr.md", **values)
    writer.render("grids/nightly.yaml", "suite/grid.yaml", **values)
    writer.render(".github/workflows/harness.yml", "suite/workflow.yml", **values)
    for name, text in schema_files(SCENARIO_KINDS).items():
        writer.write(f"{SCHEMA_FOLDER}/{name}", text)
    notes = _ignore_results(root)
    return Made(
        plugin=plugin, suite=suite, written=tuple(writer.written), kept=tuple(writer.kept), notes=notes
    )


def _ignore_results(root: Path) -> tuple[str, ...]:
    """Keep results out of the repository; the notes say what was done."""
    path = root / ".gitignore"
    text = path.read_text(encoding="utf-8", errors="surrogateescape") if path.is_file() else ""
    if {_IGNORED, "results", "/results/", "/results"} & set(text.split("\n")):
        return ()
    end = "" if not text or text.endswith("\n") else "\n"
    path.write_text(f"{text}{end}{_IGNORED}\n", encoding="utf-8", errors="surrogateescape")
    return (f"{path} now leaves out {_IGNORED}",)
