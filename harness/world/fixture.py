"""What may stand in a fixture, and how a fresh world is made of it."""

import os
import shutil
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

from harness.errors import UserError
from harness.world.scan import scan

_FAITHFUL = ("cp", "-a", "--no-preserve=ownership", "--")
"""Owners are not kept: git refuses to work in a folder that belongs to somebody else."""

_FEW = 200
_CHUNK_BYTES = 1 << 20


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
    few = _few_plain(source)
    if few is not None:
        try:
            _copy_few(source, target, few)
        except OSError as error:
            raise UserError(f"The fixture {source} cannot be copied to {target}: {error}") from None
        return
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


def _few_plain(source: Path) -> list[tuple[str, os.stat_result]] | None:
    """All paths below with their stat, folders before what is in them; None where they are many, or not all plain.

    Not plain are hard links and extended attributes, which only ``cp`` keeps.
    """
    found: list[tuple[str, os.stat_result]] = []
    pending = [""]
    while pending:
        folder = pending.pop()
        try:
            with os.scandir(f"{source}/{folder}") as entries:
                listed = list(entries)
            for entry in listed:
                status = entry.stat(follow_symlinks=False)
                name = f"{folder}{entry.name}"
                if entry.is_dir(follow_symlinks=False):
                    pending.append(f"{name}/")
                elif status.st_nlink > 1 or not (
                    stat.S_ISREG(status.st_mode) or stat.S_ISLNK(status.st_mode)
                ):
                    return None
                if hasattr(os, "listxattr") and os.listxattr(entry.path, follow_symlinks=False):
                    return None
                found.append((name, status))
        except OSError:
            return None
        if len(found) > _FEW:
            return None
    return found


def _copy_few(source: Path, target: Path, few: list[tuple[str, os.stat_result]]) -> None:
    target.mkdir()
    for name, status in few:
        here, there = f"{source}/{name}", f"{target}/{name}"
        if stat.S_ISDIR(status.st_mode):
            os.mkdir(there)  # noqa: PTH102 - a path object for each costs as much as the copying
            continue
        if stat.S_ISLNK(status.st_mode):
            os.symlink(os.readlink(here), there)  # noqa: PTH115,PTH211
            os.utime(there, ns=(status.st_atime_ns, status.st_mtime_ns), follow_symlinks=False)
        else:
            _copy_file(here, there, status)
    # Modes and times of folders last: filling them changes the one and may be forbidden by the other.
    for name, status in reversed(few):
        if stat.S_ISDIR(status.st_mode):
            os.chmod(f"{target}/{name}", stat.S_IMODE(status.st_mode))  # noqa: PTH101
            os.utime(f"{target}/{name}", ns=(status.st_atime_ns, status.st_mtime_ns))
    shutil.copystat(source, target)


def _copy_file(here: str, there: str, status: os.stat_result) -> None:
    """``shutil.copy2`` makes three times the system calls."""
    source = os.open(here, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        target = os.open(there, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            while data := os.read(source, _CHUNK_BYTES):
                while data:
                    data = data[os.write(target, data) :]
            os.fchmod(target, stat.S_IMODE(status.st_mode))
            os.utime(target, ns=(status.st_atime_ns, status.st_mtime_ns))
        finally:
            os.close(target)
    finally:
        os.close(source)


def _copy_slowly(source: Path, target: Path) -> None:
    try:
        shutil.copytree(source, target, symlinks=True)
    except (OSError, shutil.Error) as error:
        raise UserError(f"The fixture {source} cannot be copied to {target}: {error}") from None
