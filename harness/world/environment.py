"""The variables a run starts with: an allow-list, a home of its own, and nothing of the caller's."""

import os
from collections.abc import Mapping
from pathlib import Path

_ALLOWED = ("PATH", "LANG", "LANGUAGE", "TZ")
"""Taken over from the caller, with all LC_*. Everything else that a run needs is made for it."""

_GITCONFIG = """\
[user]
	name = Developer
	email = developer@example.com
[init]
	defaultBranch = main
	templateDir =
[commit]
	gpgSign = false
[tag]
	gpgSign = false
[core]
	autocrlf = false
	fsmonitor = false
[gc]
	auto = 0
[maintenance]
	auto = false
[safe]
	directory = *
[advice]
	detachedHead = false
"""
"""The host's configuration would decide whether a commit works. gc leaves a daemon behind."""

_COMMIT_DATE = "2026-01-01T12:00:00+00:00"
"""The same in every run, so that the same commit has the same id."""


def sandbox_environment(
    environ: Mapping[str, str], *, home: str, config_dir: str, tmp: str, ceiling: str
) -> dict[str, str]:
    """All paths as the run sees them; ``ceiling``: git looks for no repository in it or above."""
    env = {k: v for k, v in environ.items() if k in _ALLOWED or k.startswith("LC_")}
    env.setdefault("PATH", os.defpath)
    if not env.get("LC_ALL"):
        env.setdefault("LANG", "C.UTF-8")
    env.update(
        HOME=home,
        USER="eval",
        LOGNAME="eval",
        SHELL="/bin/bash" if Path("/bin/bash").exists() else "/bin/sh",
        TERM="dumb",
        TMPDIR=tmp,
        CLAUDE_CONFIG_DIR=config_dir,
        CLAUDE_CODE_TMPDIR=tmp,
        XDG_CONFIG_HOME=f"{home}/.config",
        XDG_CACHE_HOME=f"{home}/.cache",
        XDG_DATA_HOME=f"{home}/.local/share",
        XDG_STATE_HOME=f"{home}/.local/state",
        XDG_RUNTIME_DIR=tmp,
        GIT_CONFIG_NOSYSTEM="1",
        GIT_CEILING_DIRECTORIES=ceiling,
        GIT_TERMINAL_PROMPT="0",
        GIT_AUTHOR_DATE=_COMMIT_DATE,
        GIT_COMMITTER_DATE=_COMMIT_DATE,
    )
    return env


def furnish_home(home: Path, config_dir: Path) -> None:
    """Make the folders of a fresh home, with the git configuration that every run gets."""
    home.mkdir(mode=0o700)
    config_dir.mkdir(mode=0o700)
    (home / ".gitconfig").write_text(_GITCONFIG)
