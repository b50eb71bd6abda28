"""How the folders of a run are removed, whatever it did to them."""

import os
import subprocess
from collections.abc import Iterable
from pathlib import Path
from threading import Lock

from harness.errors import UserError

AT_ONCE = 8
"""So many worlds more than are in use may stand on the disk."""


class Rubbish:
    """Folders that are done with, removed some at a time: a program for each costs more than the removing."""

    def __init__(self) -> None:
        self._roots: list[Path] = []
        self._lock = Lock()

    def throw(self, root: Path) -> None:
        """Have it removed, by ``empty`` at the latest. Raises UserError as ``remove_trees`` does."""
        with self._lock:
            self._roots.append(root)
            if len(self._roots) < AT_ONCE:
                return
        self.empty()

    def empty(self) -> None:
        with self._lock:
            roots, self._roots = self._roots, []
        remove_trees(roots)


def remove_tree(root: Path) -> None:
    remove_trees([root])


def remove_trees(roots: Iterable[Path]) -> None:
    """Remove them whatever the run did to the permissions inside; UserError if one cannot be."""
    left = [root for root in roots if os.path.lexists(root)]
    if not left:
        return
    why = _run(("rm", "-rf"), left)
    for prepare in (("chmod", "-R", "u+rwX"), ("chattr", "-R", "-f", "-i", "-a")):
        left = [root for root in left if os.path.lexists(root)]
        if not left:
            return
        _run(prepare, left)
        why = _run(("rm", "-rf"), left)
    left = [root for root in left if os.path.lexists(root)]
    if left:
        named = ", ".join(map(str, left))
        raise UserError(f"The sandbox {named} could not be removed ({why}); remove it by hand.")


def _run(command: tuple[str, ...], roots: list[Path]) -> str:
    """The first line of what it had to complain about."""
    try:
        done = subprocess.run(
            [*command, "--", *roots],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env={"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C"},
            check=False,
        )
    except OSError as error:
        return str(error)
    return done.stderr.decode("utf-8", "replace").strip().split("\n")[0]
