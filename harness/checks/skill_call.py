"""How a skill is called, by whichever name or key, and whether it is one of the rule's."""

from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import Path

from harness.checks.ground import Ground
from harness.checks.shell.pattern import plain
from harness.checks.shell.scope import resolve


def skill_name(given: Mapping[str, object]) -> str | None:
    """The skill that a Skill call asks for, whichever key this CLI uses; None: no key that is known."""
    for key in ("skill", "command", "name", "skill_name"):
        value = given.get(key)
        if isinstance(value, str) and value.strip():
            words = value.strip().lstrip("/").split()
            return words[0] if words else None
    return None


def skill_matches(name: str, ground: Ground) -> bool:
    """Whether the skill called ``name`` is one of the rule's.

    A name without its plugin is the rule's if the plugin has that skill, as the CLI's own list or the
    plugin's folder says; where neither can tell, if it matches what the pattern says after the colon, unless
    that is ``*``.
    """
    for pattern in ground.rule.skills:
        plugin, colon, part = pattern.rpartition(":")
        if fnmatchcase(name, pattern) or (not colon and fnmatchcase(name.rpartition(":")[2], pattern)):
            return True
        if not colon or ":" in name:
            continue
        known = _has_skill(name, pattern, ground) and fnmatchcase(f"{plugin}:{name}", pattern)
        if known or (part != "*" and fnmatchcase(name, part)):
            return True
    return False


def _has_skill(name: str, pattern: str, ground: Ground) -> bool:
    if any(s.endswith(":" + name) and fnmatchcase(s, pattern) for s in ground.skills):
        return True
    roots = [Path(plain(root)) for root in ground.plugin_roots]
    return "/" not in name and any(
        (root / "skills" / name / "SKILL.md").is_file() or (root / "commands" / f"{name}.md").is_file()
        for root in roots
    )


def is_own_text(word: str, cwd: str, ground: Ground) -> bool:
    """Whether ``word`` is the SKILL.md of one of the rule's skills in the plugin under test."""
    path = resolve(word, cwd, ground.world, ground.links)
    for root in ground.plugin_roots:
        head, found, tail = path.partition(root + "/skills/")
        name, _, file = tail.partition("/")
        if found and not head and fnmatchcase("SKILL.md", file):
            return any(
                fnmatchcase(plain(name), p.rpartition(":")[2]) or "*" in name for p in ground.rule.skills
            )
    return False
