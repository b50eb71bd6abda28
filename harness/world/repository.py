"""Which parts of the user's own repository must be the same after a run as before it."""

import os
import subprocess
from collections.abc import Iterable
from pathlib import Path

from harness.world.watch import Tree, Watch

_GIT_STATE = ("HEAD", "config", "index", "packed-refs", "refs", "hooks", "info")
"""What a commit, a checkout or a planted hook alters. Objects only grow, and are found through these."""
_GIT_LIMIT_S = 30.0


def watch_repository(root: Path, exclude: Iterable[Path] = ()) -> Watch:
    """Watch everything under ``root`` but ``exclude`` and what git ignores, with the state of git itself.

    Without git, or outside of a repository, everything but ``exclude`` is watched.
    """
    root = root.resolve()
    ignored = frozenset(_ignored(root))

    def skip(path: str) -> bool:
        return path == ".git" or path in ignored

    def may_excuse(new: list[Path]) -> set[Path]:
        inside = [p for p in new if p.is_relative_to(root)]
        return set(_check_ignore(root, inside))

    state = (place / name for place in _git_folders(root) for name in _GIT_STATE)
    return Watch.of([Tree(root, skip), *dict.fromkeys(state)], exclude, may_excuse)


def _git(root: Path, *words: str, given: bytes = b"") -> bytes | None:
    env = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    # Asking must not itself write the index that is being watched.
    env["GIT_OPTIONAL_LOCKS"] = "0"
    try:
        done = subprocess.run(
            ["git", "-C", root, *words],
            input=given,
            capture_output=True,
            env=env,
            timeout=_GIT_LIMIT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode in (0, 1) else None


def _ignored(root: Path) -> list[str]:
    listed = _git(root, "ls-files", "-o", "-i", "--exclude-standard", "--directory", "-z") or b""
    return [os.fsdecode(name).rstrip("/") for name in listed.split(b"\0") if name]


def _check_ignore(root: Path, paths: list[Path]) -> list[Path]:
    given = b"\0".join(os.fsencode(path) for path in paths)
    answer = _git(root, "check-ignore", "-z", "--stdin", given=given) or b""
    return [Path(os.fsdecode(name)) for name in answer.split(b"\0") if name]


def _git_folders(root: Path) -> list[Path]:
    """Where git keeps the state of this working tree: two places for a linked worktree."""
    answer = _git(root, "rev-parse", "--path-format=absolute", "--git-dir", "--git-common-dir") or b""
    return [Path(os.fsdecode(line)) for line in answer.split(b"\n") if line]
