"""Which skills and commands the CLI lists by itself, and which a world brings along."""

from collections.abc import Iterator
from pathlib import Path

from harness.model.event import Init

OWN_NAMES = frozenset(
    [
        "__remote-workflow",
        "agents",
        "auto-mode-setup",
        "autocompact",
        "batch",
        "claude-api",
        "clear",
        "code-review",
        "color",
        "compact",
        "config",
        "context",
        "dataviz",
        "debug",
        "deep-research",
        "doctor",
        "effort",
        "fast",
        "fewer-permission-prompts",
        "focus",
        "goal",
        "heapdump",
        "init",
        "insights",
        "list-agents",
        "loop",
        "mcp",
        "model",
        "output-style",
        "plugin-authoring",
        "recap",
        "reload-plugins",
        "reload-skills",
        "rename",
        "run",
        "run-skill-generator",
        "security-review",
        "simplify",
        "team-onboarding",
        "update-config",
        "usage",
        "verify",
        "workflow-authoring",
        "workflow-launch-exec",
    ]
)
"""What 2.1.332 lists in an empty world. Another version is asked for its own when it lists more."""


def listed_names(init: Init) -> frozenset[str]:
    """Skills and commands together, without the slash."""
    return frozenset(name.removeprefix("/") for name in (*init.skills, *init.slash_commands))


def names_in(world: Path) -> frozenset[str]:
    """The skills and commands that a project brings in its own ``.claude`` folders."""
    return frozenset(_names_in(world))


def _names_in(world: Path) -> Iterator[str]:
    for skill in world.glob("**/.claude/skills/*/SKILL.md"):
        yield skill.parent.name
    for command in world.glob("**/.claude/commands/**/*.md"):
        yield command.stem
        folder = command.parent.name
        if folder != "commands":
            yield f"{folder}:{command.stem}"
