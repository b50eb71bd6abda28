"""Knows whether an arm had the skill that it was to have, and no other had it."""

from harness.checks.record import ExpectedSkill
from harness.model.check import Finding
from harness.model.event import Init


def skill_listed(init: Init, skill: ExpectedSkill) -> Finding:
    """False where the skill is missing from a treated arm, or is there in the baseline."""
    listed = (*init.skills, *(command.removeprefix("/") for command in init.slash_commands))
    there = any(name == skill.name or name.endswith(f":{skill.name}") for name in listed)
    if there == skill.present:
        return Finding(name="skill", value=True, reason="")
    said = "the CLI does not list the skill" if skill.present else "the baseline has the skill"
    return Finding(name="skill", value=False, reason=f"{said} {skill.name}")
