"""What a repository of a plugin or of skills holds: the plugin's folder, name, skills, commands and hooks."""

import os
from collections.abc import Iterator
from pathlib import Path

import frontmatter
import orjson
import yaml
from msgspec import Struct

from harness.claude.fields import mapping, text
from harness.errors import UserError

MANIFEST = Path(".claude-plugin") / "plugin.json"
_DEPTH = 3
_PASSED_OVER = {".git", "node_modules", ".venv", "fixtures", "results"}


class Plugin(Struct, frozen=True, kw_only=True):
    folder: Path
    name: str
    skills: tuple[str, ...]
    """Those that the model may call by itself."""
    programs: tuple[str, ...]
    """In ``bin/``: on the PATH of the model's shell."""
    slash_commands: tuple[str, ...]
    hooks: tuple[str, ...]
    """Events that a hook waits for."""

    def parts(self) -> str:
        counts = (
            (self.skills, "skill"),
            (self.programs, "program"),
            (self.slash_commands, "slash command"),
            (self.hooks, "hook event"),
        )
        told = [
            f"{len(names)} {word}{'s' if len(names) > 1 else ''} ({', '.join(names)})"
            for names, word in counts
            if names
        ]
        return ", ".join(told) or "nothing but its manifest"


def find_plugin(root: Path, asked: Path | None = None) -> Plugin:
    """The plugin of the repository. Raises UserError where there is none, or more than one and none was asked for."""
    if asked is not None:
        folder = asked if asked.is_absolute() else root / asked
        if not (folder / MANIFEST).is_file():
            raise UserError(f"{folder} has no {MANIFEST}; give the folder of a plugin")
        return read_plugin(folder)
    found = sorted(plugin_folders(root), key=lambda p: (len(p.parts), p))
    if not found:
        raise UserError(
            f"there is no {MANIFEST} in {root} or a folder of it, and no skill (SKILL.md at the top, under skills/ or"
            " .claude/skills/); run this in the repository of a plugin or of skills, or give --plugin DIR"
        )
    if len(found) > 1 and found[0] != root:
        there = ", ".join(str(p.relative_to(root)) for p in found)
        raise UserError(f"{root} holds {len(found)} plugins: {there}; choose one with --plugin DIR")
    return read_plugin(found[0])


def plugin_folders(root: Path) -> Iterator[Path]:
    for folder, folders, _ in os.walk(root):
        here = Path(folder)
        folders[:] = [n for n in folders if n not in _PASSED_OVER]
        if len(here.relative_to(root).parts) >= _DEPTH:
            folders.clear()
        if (here / MANIFEST).is_file():
            yield here


def read_plugin(folder: Path) -> Plugin:
    try:
        manifest = mapping(orjson.loads((folder / MANIFEST).read_bytes()))
    except (OSError, orjson.JSONDecodeError) as error:
        raise UserError(f"{folder / MANIFEST} cannot be read: {error}") from None
    name = text(manifest.get("name"))
    if not name:
        raise UserError(f"{folder / MANIFEST} has no name; a plugin needs one")
    return Plugin(
        folder=folder,
        name=name,
        skills=tuple(_skills(folder)),
        programs=tuple(p.name for p in sorted(folder.glob("bin/*")) if p.is_file() and os.access(p, os.X_OK)),
        slash_commands=tuple(p.stem for p in sorted(folder.glob("commands/**/*.md"))),
        hooks=tuple(_hooks(folder, manifest.get("hooks"))),
    )


def _skills(folder: Path) -> Iterator[str]:
    for path in sorted(folder.glob("skills/*/SKILL.md")):
        if may_be_called(path):
            yield path.parent.name


def may_be_called(skill_md: Path) -> bool:
    """Whether the model may call the skill by itself."""
    try:
        head, _ = frontmatter.parse(skill_md.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError):
        return True
    return head.get("disable-model-invocation") is not True


def _hooks(folder: Path, declared: object) -> Iterator[str]:
    path = folder / (declared if isinstance(declared, str) else "hooks/hooks.json")
    if isinstance(declared, dict):
        yield from sorted(mapping(declared.get("hooks", declared)))
        return
    try:
        yield from sorted(mapping(mapping(orjson.loads(path.read_bytes())).get("hooks")))
    except (OSError, orjson.JSONDecodeError):
        return
