"""Where the claude executable is, and which version it says it is."""

import importlib.util
import os
import re
import shutil
import tempfile
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from msgspec import Struct

from harness.claude.process import Command, supervise
from harness.errors import UserError
from harness.model.scenario import Limits

Source = Literal["option", "HARNESS_CLAUDE", "PATH", "bundled"]

_VERSION = re.compile(r"\b(\d+\.\d+\.\d+[-+.\w]*)")
_VERSION_LIMIT_S = 20.0


class Claude(Struct, frozen=True, kw_only=True):
    """One executable, resolved once for a whole evaluation."""

    path: Path
    """Absolute, with every symbolic link followed."""
    version: str
    source: Source


def find_claude(option: str | None, environ: Mapping[str, str]) -> Claude:
    """The claude to run: ``--claude``, HARNESS_CLAUDE, PATH, then the one that claude-agent-sdk brings.

    A place that the user named is never passed over for another; UserError says what is wrong with it.
    """
    path, source = _locate(option, environ)
    return Claude(path=path, version=read_version(path), source=source)


def _locate(option: str | None, environ: Mapping[str, str]) -> tuple[Path, Source]:
    search = environ.get("PATH", os.defpath)
    if option:
        return _named(option, search, "--claude"), "option"
    if named := environ.get("HARNESS_CLAUDE"):
        return _named(named, search, "HARNESS_CLAUDE"), "HARNESS_CLAUDE"
    if found := shutil.which("claude", path=search):
        return Path(found).resolve(), "PATH"
    if bundled := _bundled():
        return bundled, "bundled"
    raise UserError(
        "No claude was found: it is not on PATH, and the Python package claude-agent-sdk, which brings one,"
        " is not installed.\nInstall either, or name one with --claude PATH or HARNESS_CLAUDE."
    )


def _named(text: str, search: str, where: str) -> Path:
    """The executable that the user named, by path or by a bare name on PATH."""
    path = Path(text).expanduser()
    if path.name == text and not path.exists() and (found := shutil.which(text, path=search)):
        path = Path(found)
    if not path.exists():
        raise UserError(f"{where} names {text}, which does not exist: give the path of a claude executable.")
    if path.is_dir() or not os.access(path, os.X_OK):
        raise UserError(f"{where} names {text}, which is not an executable file.")
    return path.resolve()


def _bundled() -> Path | None:
    # find_spec only: importing the package takes a second and pulls in its whole dependency tree.
    spec = importlib.util.find_spec("claude_agent_sdk")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        path = Path(folder) / "_bundled" / "claude"
        if os.access(path, os.X_OK):
            return path.resolve()
    return None


def read_version(path: Path, limit_s: float = _VERSION_LIMIT_S) -> str:
    """What ``--version`` says, in an environment that holds nothing of the user's."""
    with tempfile.TemporaryDirectory(prefix="harness-version-") as folder:
        home = Path(folder)
        out, err = home / "stdout", home / "stderr"
        command = Command(
            argv=(str(path), "--version"),
            env={"PATH": os.defpath, "HOME": folder, "CLAUDE_CONFIG_DIR": folder, "DISABLE_AUTOUPDATER": "1"},
            cwd=home,
            stdin=None,
            token=f"version-{uuid.uuid4().hex}",
        )
        limits = Limits(timeout_s=limit_s, startup_s=limit_s, idle_s=limit_s)
        end = supervise(command, stdout=out, stderr=err, limits=limits)
        said, complained = (p.read_text("utf-8", "replace") if p.exists() else "" for p in (out, err))
    if end.start_error:
        raise UserError(f"{path} cannot be started, so it is no working claude: {end.start_error}.")
    if end.limit:
        raise UserError(f"{path} did not answer --version within {limit_s:g} s: it is no working claude.")
    match = _VERSION.search(said)
    if end.exit_code != 0 or match is None:
        line = (complained or said).strip().split("\n")[0][:200]
        raise UserError(
            f"{path} --version ended with exit code {end.exit_code} and no version: it is no working claude."
            + (f"\nIt said: {line}" if line else "")
        )
    return match[1]
