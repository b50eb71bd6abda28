"""Files as git keeps them at some commit, read without touching the work tree."""

import os
import subprocess
from pathlib import Path, PurePosixPath

from msgspec import Struct

from harness.errors import UserError


class _Entry(Struct, frozen=True):
    mode: str
    sha: str
    path: PurePosixPath


def _git(root: Path, *args: str, stdin: bytes = b"") -> bytes | None:
    """stdout of git, or None where it failed; GIT_* of a hook that started us must not point it elsewhere."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    done = subprocess.run(
        ["git", "-C", str(root), *args], input=stdin, capture_output=True, env=env, check=False
    )
    return done.stdout if done.returncode == 0 else None


def commit_of(root: Path, ref: str) -> str:
    """The commit's full hash. Raises UserError where git knows no such thing."""
    if _git(root, "rev-parse", "--git-dir") is None:
        raise UserError(f"{root} is in no git repository, so there is no old version at {ref!r}")
    named = b"" if ref.startswith("-") else _git(root, "rev-parse", "--verify", "-q", f"{ref}^{{commit}}")
    if not named:
        raise UserError(
            f"git knows no commit {ref!r} in {root}; give a branch, tag or hash that `git log` shows"
        )
    return named.decode().strip()


def _entries(root: Path, commit: str, folder: str) -> list[_Entry]:
    prefix = (_git(root, "rev-parse", "--show-prefix") or b"").decode().strip()
    at = f"{prefix}{folder}"
    listed = _git(root, "ls-tree", "-r", "-z", "--full-tree", commit, "--", f":(literal){at}") or b""
    found = []
    for line in filter(None, listed.split(b"\0")):
        about, _, name = line.partition(b"\t")
        mode, _, sha = about.decode().split(" ")
        path = PurePosixPath(os.fsdecode(name))
        found.append(_Entry(mode, sha, path.relative_to(at)))
    return found


def _blobs(root: Path, entries: list[_Entry]) -> list[bytes]:
    """The bytes as stored, before any filter or line-ending rule of the work tree."""
    asked = "".join(f"{e.sha}\n" for e in entries).encode()
    answer, at, blobs = _git(root, "cat-file", "--batch", stdin=asked) or b"", 0, list[bytes]()
    for entry in entries:
        end = answer.index(b"\n", at)
        head = answer[at:end].split(b" ")
        if len(head) != 3:
            raise UserError(f"git has lost the bytes of {entry.path} ({entry.sha}); fetch the full history")
        size = int(head[2])
        blobs.append(answer[end + 1 : end + 1 + size])
        at = end + 1 + size + 1
    return blobs


def _write(entry: _Entry, blob: bytes, dest: Path) -> None:
    if entry.path.is_absolute() or {"..", ".git"} & set(entry.path.parts):
        raise UserError(f"git holds a path that leaves the folder: {entry.path}")
    target = dest / entry.path
    if not target.parent.resolve().is_relative_to(dest.resolve()):
        raise UserError(f"git holds a path that leaves the folder through a link: {entry.path}")
    target.parent.mkdir(parents=True, exist_ok=True)
    if entry.mode == "160000":
        raise UserError(f"{entry.path} is a submodule, whose files git does not hold here; copy them in")
    if entry.mode == "120000":
        aim = Path(os.fsdecode(blob))
        if aim.is_absolute() or not (target.parent / aim).resolve().is_relative_to(dest.resolve()):
            raise UserError(f"{entry.path} links out of the skill to {aim}; copy what it needs")
        target.symlink_to(aim)
        return
    target.write_bytes(blob)
    target.chmod(0o755 if entry.mode == "100755" else 0o644)


def folder_at(root: Path, ref: str, folder: str, dest: Path) -> bool:
    """Write ``root/folder`` as it was at ``ref`` into the new folder ``dest``; False: it was not there.

    Raises UserError for an unknown ref and for what cannot be written safely.
    """
    entries = _entries(root, commit_of(root, ref), folder)
    if not entries:
        return False
    dest.mkdir(parents=True)
    # Links last: no later file can be written through one.
    for entry, blob in sorted(
        zip(entries, _blobs(root, entries), strict=True), key=lambda p: p[0].mode == "120000"
    ):
        _write(entry, blob, dest)
    return True
