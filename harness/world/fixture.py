"""What may stand in a fixture, and how a fresh world is made of it."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from harness.errors import UserError
from harness.world.scan import scan
from harness.world.small_tree import small_tree

_FAITHFUL = ("cp", "-a", "--no-preserve=ownership", "--")
"""Owners are not kept: git refuses to work in a folder that belongs to somebody else."""


def check_fixture(path: Path) -> tuple[str, ...]:
    """What keeps a folder from being copied safely, each as one line; () when nothing does."""
    if not path.is_dir():
        return (f"{path}: the fixture folder does not exist.",)
    stamps = scan(path)
    if not stamps:
        return (f"{path}: the fixture folder is empty.",)
    problems: list[str] = []
    for name in sorted(stamps):
        match stamps[name].type:
            case "link":
                problems += _link_problems(path, name)
            case "special":
                problems.append(f"{path / name}: a pipe, socket or device cannot be copied; remove it.")
            case "file" | "folder":
                if name.rpartition("/")[2] == ".git":
                    problems += _git_problems(path, name)
    return tuple(problems)


def _link_problems(root: Path, name: str) -> Iterator[str]:
    path = root / name
    target = os.fspath(path.readlink())
    if target.startswith("/"):
        yield f"{path}: the link is absolute ({target}), so every world would share it; make it relative."
    elif not _inside(root, path.parent / target):
        yield f"{path}: the link leaves the fixture ({target}); point it to a path inside."


def _git_problems(root: Path, name: str) -> Iterator[str]:
    """Ways in which a copied ``.git`` would go on working in the original repository."""
    git = root / name
    if git.is_file():
        pointer = _text(git).removeprefix("gitdir:").strip()
        if pointer.startswith("/") or not _inside(root, git.parent / pointer):
            yield (
                f"{git}: a .git file that points to {pointer}: a commit in the world would move that"
                " repository. Use a clone, not a linked worktree or submodule."
            )
        return
    if (git / "worktrees").is_dir() and any((git / "worktrees").iterdir()):
        yield f"{git / 'worktrees'}: the repository has linked worktrees elsewhere; use a clone."
    for pointer_file in ("commondir", "objects/info/alternates"):
        if pointer := _text(git / pointer_file).strip():
            yield f"{git / pointer_file}: the repository borrows from {pointer}; use a full clone."
    for line in _text(git / "config").split("\n"):
        key, _, value = line.partition("=")
        if key.strip().lower() == "worktree":
            yield f"{git / 'config'}: core.worktree is {value.strip()}; remove that setting."


def _inside(root: Path, target: Path) -> bool:
    """Whether it stays inside both as it is written and as the file system follows it."""
    written = Path(os.path.normpath(target.absolute()))
    return written.is_relative_to(root.absolute()) and target.resolve().is_relative_to(root.resolve())


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8", "replace")
    except OSError:
        return ""


def copy_fixture(source: Path, target: Path) -> None:
    """Copy with modes, links, empty folders and times kept. ``target`` must not exist yet.

    ``cp`` does it in a third of the time that Python takes for thousands of small files; for a few, it takes
    longer to start.
    """
    try:
        small = small_tree(source)
        if small is not None:
            small.copy(target)
            return
    except OSError as error:
        raise UserError(f"The fixture {source} cannot be copied to {target}: {error}") from None
    try:
        done = subprocess.run(
            [*_FAITHFUL, source, target],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env={"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C"},
            check=False,
        )
    except OSError:
        _copy_slowly(source, target)
        return
    if done.returncode == 0:
        return
    if b"unrecognized option" in done.stderr or b"illegal option" in done.stderr:
        _copy_slowly(source, target)  # a cp that is not GNU's
        return
    said = done.stderr.decode("utf-8", "replace").strip().split("\n")[0]
    raise UserError(f"The fixture {source} cannot be copied to {target}: {said}")


def _copy_slowly(source: Path, target: Path) -> None:
    try:
        shutil.copytree(source, target, symlinks=True)
    except (OSError, shutil.Error) as error:
        raise UserError(f"The fixture {source} cannot be copied to {target}: {error}") from None
