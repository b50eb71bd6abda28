"""A plugin that is the project's own root, as its users get it: without the evaluation that stands in the same folder.

Otherwise the model could read the expected answers in the plugin's folder, and each new row would make it another plugin.
"""

import shutil
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec.structs import replace

from harness.model.scenario import Suite
from harness.world.project import left_out_of


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

    shutil.copytree(plugin, made, symlinks=True, ignore=left_out_of(plugin, root))
    return replace(suite, plugin=made)
