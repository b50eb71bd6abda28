"""What this machine allows for keeping a run apart, found out once by trying it."""

import os
import shutil
import subprocess
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import Literal

from msgspec import Struct

_LIMIT_S = 20.0
_BARE = (
    "--unshare-user",
    "--unshare-pid",
    "--unshare-ipc",
    "--unshare-uts",
    "--unshare-net",
    "--uid",
    "1000",
)
_ROOT = ("--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "--", "/bin/sh", "-c", "exit 0")


class Offer(Struct, frozen=True, kw_only=True):
    """What works here. ``why`` is a sentence for a person, whichever way it turned out."""

    bwrap: str | None
    """The program that makes a jail, or None where it cannot."""
    why: str
    disable_userns: bool = False
    pid_max: bool = False
    """A process namespace can be bounded: the only limit on processes that counts for root."""
    prlimit: str | None = None

    @property
    def process_limit(self) -> bool:
        return self.pid_max if os.geteuid() == 0 else self.prlimit is not None


def detect() -> tuple[Literal["tempdir", "jail"], str]:
    """The strongest sandbox that works here, and why it is that one."""
    offer = kernel_offers()
    return ("tempdir" if offer.bwrap is None else "jail", offer.why)


@lru_cache(maxsize=1)
def kernel_offers() -> Offer:
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        return Offer(bwrap=None, why="bwrap is not installed; the package is called bubblewrap.")
    disable_userns = _run(bwrap, *_BARE, "--disable-userns", *_ROOT) == ""
    said = "" if disable_userns else _run(bwrap, *_BARE, *_ROOT)
    if said:
        return Offer(
            bwrap=None,
            why=f"bwrap cannot make namespaces here ({said}). An administrator can allow it: sysctl"
            " kernel.unprivileged_userns_clone=1, kernel.apparmor_restrict_unprivileged_userns=0,"
            " user.max_user_namespaces above 0; for a container, a seccomp profile that allows unshare.",
        )
    return Offer(
        bwrap=bwrap,
        why="bwrap can make user, pid, ipc, uts and network namespaces here.",
        disable_userns=disable_userns,
        pid_max=_bounds_processes(),
        prlimit=shutil.which("prlimit", path="/usr/bin:/bin"),
    )


def _bounds_processes() -> bool:
    """Since Linux 6.14 each process namespace has its own limit. Before, this would set the machine's."""
    release = tuple(int(part) for part in os.uname().release.split("-")[0].split(".")[:2] if part.isdecimal())
    if release < (6, 14):
        return False
    script = "echo 600 >/proc/sys/kernel/pid_max"
    return _run("unshare", "-Urmpf", "--kill-child", "--mount-proc", "--", "/bin/sh", "-c", script) == ""


@lru_cache(maxsize=8)
def overlay_works(base: Path) -> bool:
    """Whether a world under ``base`` can be an overlay: mounted, copied up to, deleted from."""
    with tempfile.TemporaryDirectory(prefix="w-", dir=base) as name:
        folder = Path(name)
        for part in ("lower", "upper", "work", "merged"):
            (folder / part).mkdir()
        (folder / "lower/a").touch()
        (folder / "lower/b").touch()
        script = (
            "mount -t overlay overlay -o lowerdir=lower,upperdir=upper,workdir=work,userxattr merged"
            " && echo x >merged/a && rm merged/b"
        )
        works = _run("unshare", "-Urm", "--", "/bin/sh", "-c", script, cwd=folder) == ""
        for path in (folder / "work").iterdir():
            path.chmod(0o700)  # the kernel leaves it closed to us
        return works and (folder / "upper/b").is_char_device() and (folder / "upper/a").is_file()


def _run(*argv: str, cwd: Path | None = None) -> str:
    """'' when it worked, else the first line of what it said."""
    try:
        done = subprocess.run(
            argv, cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, timeout=_LIMIT_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    if done.returncode == 0:
        return ""
    said = (done.stderr or done.stdout).decode("utf-8", "replace").strip().split("\n")[0]
    return said or f"exit code {done.returncode}"
