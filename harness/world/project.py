"""What stands in a project's root beside the plugin or skill that the root itself is: its evaluation, and no part of it."""

import shutil
from collections.abc import Callable
from pathlib import Path

LEFT_OUT = frozenset(
    {"scenarios", "fixtures", "grids", "results", "tests", ".git", ".github", ".venv", "node_modules"}
)
_RESULTS = "results.tsv"


def left_out_of(top: Path, *also: Path) -> Callable[[str, list[str]], set[str]]:
    """For ``shutil.copytree`` of ``top``: the evaluation, results folders wherever they are, and the folders ``also``."""

    def left_out(folder: str, names: list[str]) -> set[str]:
        here = Path(folder)
        evaluation = set(names) & LEFT_OUT if here == top else set[str]()
        return evaluation | {n for n in names if here / n in also or (here / n / _RESULTS).is_file()}

    return left_out


def strip(top: Path) -> None:
    """Take the evaluation out of what was brought back from a commit."""
    for name in LEFT_OUT:
        shutil.rmtree(top / name, ignore_errors=True)
