"""The commands of the documents are run as they stand there, on a small project."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from harness.loaders.grid import load_grid
from tests.engine.project import Project, environment, make_project

ROOT = Path(__file__).resolve().parents[2]
_BLOCK = re.compile(r"^```(sh|yaml)\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.fixture
def small(tmp_path: Path) -> Project:
    made = make_project(tmp_path)
    command = made.fakes / "harness"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m harness "$@"\n')
    command.chmod(0o755)
    return made


def run_document(small: Project, name: str, before: str = "") -> str:
    """Write the grids that it shows, run its shell blocks in order; all that was said."""
    said = []
    for kind, text in _BLOCK.findall(before + (ROOT / "docs" / name).read_text()):
        if kind == "yaml":
            path = small.root / text.split("\n", 1)[0].removeprefix("# ")
            path.parent.mkdir(exist_ok=True)
            path.write_text(text.replace("sandbox: auto", "sandbox: tempdir"))
            continue
        env = {
            **environment(),
            "PATH": f"{small.fakes}:{os.environ['PATH']}",
            "HARNESS_CLAUDE": str(small.claude),
            "ANTHROPIC_API_KEY": "not-a-key",
        }
        done = subprocess.run(
            ["sh", "-e", "-c", text], cwd=small.root, env=env, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        said.append(done.stdout + done.stderr)
    return "".join(said)


def test_the_document_on_grids_does_what_it_says(small: Project) -> None:
    said = run_document(small, "grid.md")
    assert "8 cells: 8 to run" in said
    assert "8 of 8 cells have a valid row already" in said
    assert "8 rows and 8 run folders added to whole" in said


def test_the_worked_loop_does_what_it_says(small: Project) -> None:
    said = run_document(small, "autoresearch.md")
    assert said.count("1.000000") == 2
    assert "0 regressions in 2 green scenarios" in said
    assert "# metric_direction: higher_is_better" in said


def test_the_document_on_clusters_does_what_it_says(small: Project) -> None:
    pytest.importorskip("distributed")
    grid = "```yaml\n# grids/small.yaml\nsuites: [demo]\nmodels: [haiku]\nsandbox: auto\n```\n"
    assert "2 workers with room for 4 runs at once" in run_document(small, "cluster.md", grid)


@pytest.mark.parametrize("path", sorted((ROOT / "grids").glob("*.yaml")), ids=lambda p: p.stem)
def test_every_grid_of_the_repository_is_read(path: Path) -> None:
    assert load_grid(path).suites


def test_the_workflow_runs_as_many_shards_as_it_names() -> None:
    workflow = yaml.safe_load((ROOT / ".github/workflows/nightly.yml").read_text())
    shard = workflow["jobs"]["shard"]
    of = len(shard["strategy"]["matrix"]["shard"])
    assert any(f"matrix.shard }}}}/{of}" in step.get("run", "") for step in shard["steps"])
