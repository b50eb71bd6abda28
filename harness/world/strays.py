"""What a killed harness has left in the folder for temporary files, and how the next one clears it."""

import os
import signal
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from harness.claude.descendants import TOKEN_VARIABLE, Proc, find_process, still_there
from harness.errors import UserError
from harness.world.removal import remove_tree

PREFIX = "w-"
_OWNER = ".owner"


def mark_owned(root: Path) -> None:
    """Say in a sandbox which process it belongs to."""
    me = find_process(os.getpid())
    (root / _OWNER).write_text(f"{me.pid} {me.start} {_process_world()}\n")


@lru_cache(maxsize=8)
def remove_strays(base: Path) -> tuple[Path, ...]:
    """Remove the sandboxes under ``base`` whose harness is gone, with the processes in them. Once a process.

    Those that are to be kept carry no owner. Nothing is touched that another user or a harness in another
    process namespace made: from here that one always looks gone.
    """
    return tuple(root for root in sorted(base.glob(f"{PREFIX}*")) if _is_stray(root) and _remove(root))


def _is_stray(root: Path) -> bool:
    try:
        if root.is_symlink() or root.stat().st_uid != os.geteuid():
            return False
        pid, start, world = (root / _OWNER).read_text().strip().split(" ", 2)
        owner = Proc(int(pid), float(start), 0, 0, 0, False)
    except (OSError, ValueError):
        return False
    return world == _process_world() and not still_there(owner)


def _remove(root: Path) -> bool:
    for pid in _processes_of(root):
        try:
            os.kill(pid, signal.SIGKILL)
        except OSError:
            continue
    try:
        remove_tree(root)
    except UserError:
        return False
    return True


def _processes_of(root: Path) -> Iterator[int]:
    """Processes that were started with this sandbox as their home."""
    home = f"\0HOME={root}/home\0".encode()
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            variables = b"\0" + (entry / "environ").read_bytes() + b"\0"
        except OSError:
            continue
        if home in variables and f"\0{TOKEN_VARIABLE}=".encode() in variables:
            yield int(entry.name)


def _process_world() -> str:
    """The boot and the process namespace, within which a pid means one process."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{boot} {Path('/proc/self/ns/pid').readlink()}"
    except OSError:
        return "unknown"
