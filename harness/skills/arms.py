"""The arms of a skill's case: no skill, the skill before, the skill now; and how the skill reaches claude.

Measured with Claude Code 2.1.332, by ``init.skills`` and the list of skills in the request: a skill in
``$CLAUDE_CONFIG_DIR/skills/NAME/`` and one in ``<world>/.claude/skills/NAME/`` are listed alike, under the
bare name; through ``--plugin-dir`` it is listed as ``PLUGIN:NAME``. Only the first keeps the bare name *and*
leaves the world as the fixture is, so it is the way taken, for a tree that is itself a plugin too. The folder's name is the skill's name in all three,
whatever its front matter says. ``--setting-sources ""`` hides a skill in the config folder. Without
bypassPermissions the model may not read further files of a skill outside the world: then add
``--add-dir`` with the same path in every arm. The system prompt holds the path of the config folder, so that path
must be the same in every arm, too.
"""

import json
import shutil
from collections.abc import Iterable
from itertools import zip_longest
from pathlib import Path

from msgspec import Struct

from harness.errors import UserError
from harness.loaders.case.tree import skills_home
from harness.model.case import ArmName, Skill
from harness.world.digest import tree_digest
from harness.world.git_tree import folder_at
from harness.world.project import left_out_of, strip

_SKIP = shutil.ignore_patterns(".git", "__pycache__", ".DS_Store")


class SkillArm(Struct, frozen=True, kw_only=True):
    name: ArmName
    skill: Path | None
    """A private copy of the skill's folder, called as the skill is; None in the baseline."""
    digest: str
    """Of paths, modes and bytes; '' in the baseline."""


def skill_at_ref(root: Path, ref: str, source: str, dest: Path) -> Path | None:
    """The skill's folder, which is ``source`` from the root, as it was at ``ref``, written to ``dest``; None where it did not exist."""
    there = folder_at(root, ref, source, dest)
    if there and source == ".":
        strip(dest)
    return dest if there and (dest / "SKILL.md").is_file() else None


def old_skill(root: Path, old: str, source: str, dest: Path) -> Path | None:
    """``old`` is a git ref, or ``path:FOLDER`` (from ``root``) for a tree that holds the former skills at the same places.

    No git ref holds a colon, so the two cannot be taken for each other.
    """
    if not old.startswith("path:"):
        return skill_at_ref(root, old, source, dest)
    tree = root / old.removeprefix("path:")
    if not tree.is_dir() or skills_home(tree) is None:
        raise UserError(f"old is {old!r}, but {tree} has no skills/ folder")
    folder = tree / source
    return copy_skill(folder, dest) if (folder / "SKILL.md").is_file() else None


def copy_skill(folder: Path, dest: Path, *, root: Path | None = None) -> Path:
    """A skill's folder without what git or an evaluation left in it; ``root``: the tree's, which the skill may be itself."""
    own = left_out_of(folder) if folder == root else lambda _, names: set[str]()

    def left_out(here: str, names: list[str]) -> set[str]:
        return _SKIP(here, names) | own(here, names)

    shutil.copytree(folder, dest, symlinks=True, ignore=left_out)
    return dest


def prepare_arms(skill: Skill, root: Path, old: str | None, dest: Path) -> tuple[SkillArm, ...]:
    """Baseline, old (left out where there was none) and new, each skill copied below the new folder ``dest``."""

    def arm(name: ArmName, folder: Path) -> SkillArm:
        return SkillArm(name=name, skill=folder, digest=tree_digest(folder))

    made = [SkillArm(name="baseline", skill=None, digest="")]
    if old is not None:
        source = skill.folder.relative_to(root).as_posix()
        before = old_skill(root, old, source, dest / "old" / skill.name)
        made += [arm("old", before)] if before is not None else []
    return (*made, arm("new", copy_skill(skill.folder, dest / "new" / skill.name, root=root)))


def plugin_name(root: Path) -> str:
    """The name of the plugin that ``root`` is, or '' where it is none."""
    try:
        data: object = json.loads((root / ".claude-plugin" / "plugin.json").read_bytes())
    except (OSError, ValueError):
        return ""
    name = data.get("name") if isinstance(data, dict) else None
    return name if isinstance(name, str) else ""


def install_personal(skill: Path | None, config_dir: Path) -> str:
    """Put the arm's skill into the run's own config folder; returns the name in ``init.skills``, or ''."""
    if skill is None:
        return ""
    shutil.copytree(skill, config_dir / "skills" / skill.name, symlinks=True)
    return skill.name


def install_plugin(arm: SkillArm, plugin: str, dest: Path) -> str:
    """A plugin of this one skill (or of none) at ``dest``, for ``--plugin-dir``; returns its ``init.skills`` name."""
    manifest = dest / ".claude-plugin" / "plugin.json"
    manifest.parent.mkdir(parents=True)
    manifest.write_text(json.dumps({"name": plugin, "version": "0.0.0"}), encoding="utf-8")
    if arm.skill is None:
        return ""
    shutil.copytree(arm.skill, dest / "skills" / arm.skill.name, symlinks=True)
    return f"{plugin}:{arm.skill.name}"


def differences(launches: Iterable[tuple[str, dict[str, object]]], allowed: Iterable[str]) -> tuple[str, ...]:
    """What differs between launch records of arms beyond the ``allowed`` keys, one sentence each."""
    (first, record), *others = launches
    skip, found = set(allowed), list[str]()
    for name, other in others:
        keys = sorted((record.keys() | other.keys()) - skip)
        found += [
            f"{key} differs: {first} has {record.get(key)!r}, {name} has {other.get(key)!r}"
            for key in keys
            if record.get(key) != other.get(key)
        ]
    return tuple(found)


def _unlisted(request: str, names: Iterable[str]) -> list[str]:
    """The lines of a request without those that list the skill under test."""
    # Where the front matter calls it otherwise than its folder, that stands behind it in brackets.
    heads = tuple(f"- {name}{end}" for name in names if name for end in (":", " ("))
    return [line for line in request.split("\n") if not (heads and line.startswith(heads))]


def request_differences(requests: Iterable[tuple[str, str]], names: Iterable[str]) -> tuple[str, ...]:
    """What differs between the first requests of arms beyond the skill's own listing, one sentence each.

    ``requests``: (arm, all text of its first request); ``names``: what the skill is listed as.
    """
    (first, text), *others = requests
    listed, found = tuple(names), list[str]()
    expected = _unlisted(text, listed)
    for name, other in others:
        lines = _unlisted(other, listed)
        pairs = enumerate(zip_longest(expected, lines), 1)
        at, (here, there) = next(((n, p) for n, p in pairs if p[0] != p[1]), (0, ("", "")))
        if at:
            found.append(
                f"line {at} of the first request differs: {first} has {here!r:.120}, {name} has {there!r:.120}"
            )
    return tuple(found)
