"""A plugin that is the project's own root, as its users get it: without the evaluation that stands in the same folder.

Otherwise the model could read the expected answers in the plugin's folder, and each new row would make it another plugin.
"""

import shutil
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from harness.model.scenario import Suite
from harness.results.record import TABLE

LEFT_OUT = frozenset(
    {"scenarios", "fixtures", "grids", "results", "tests", ".git", ".github", ".venv", "node_modules"}
)


def apart(suites: Iterable[Suite], stack: ExitStack) -> tuple[Suite, ...]:
    """The suites, each with a plugin that does not hold the project; copies are there until ``stack`` closes."""
    return tuple(_apart(suite, stack) for suite in suites)


def holds_project(suite: Suite) -> bool:
    return suite.root.resolve().is_relative_to(suite.plugin.resolve())


def _apart(suite: Suite, stack: ExitStack) -> Suite:
    if not holds_project(suite):
        return suite
    plugin, root = suite.plugin.resolve(), suite.root.resolve()
    made = Path(stack.enter_context(TemporaryDirectory(prefix="harness-plugin-"))) / plugin.name

    def left_out(folder: str, names: list[str]) -> set[str]:
        here = Path(folder)
        top = set(names) & LEFT_OUT if here == plugin else set[str]()
        return top | {name for name in names if here / name == root or (here / name / TABLE).is_file()}

    shutil.copytree(plugin, made, symlinks=True, ignore=left_out)
    return replace(suite, plugin=made)


def strip(plugin: Path) -> None:
    """Take the evaluation out of a plugin that was brought back from a commit."""
    for name in LEFT_OUT:
        shutil.rmtree(plugin / name, ignore_errors=True)
