"""Which parts of the user's real home a run in a plain folder must not have touched.

Only what decides how the next shell, login, commit or claude behaves: the rest of a home changes by itself
while its owner works, and would make good runs invalid.
"""

from pathlib import Path

from harness.world.watch import Watch

_DECIDING = (
    ".bash_profile",
    ".bashrc",
    ".claude/CLAUDE.md",
    ".claude/agents",
    ".claude/commands",
    ".claude/hooks",
    ".claude/settings.json",
    ".claude/skills",
    ".config/autostart",
    ".config/fish/config.fish",
    ".config/git",
    ".config/systemd/user",
    ".gitconfig",
    ".netrc",
    ".npmrc",
    ".profile",
    ".pypirc",
    ".ssh",
    ".zprofile",
    ".zshenv",
    ".zshrc",
    "Library/LaunchAgents",
)
_CHANGES_BY_ITSELF = frozenset({".ssh/known_hosts", ".ssh/known_hosts.old"})


def watch_home(home: Path) -> Watch:
    return Watch.of((home / name for name in _DECIDING), exclude=(home / name for name in _CHANGES_BY_ITSELF))
