"""Playbooks written short."""

from collections.abc import Mapping
from pathlib import Path

from harness.model.scenario import Playbook, Subplay, ToolUse, Turn


def turn(text: str = "", *tools: tuple[str, Mapping[str, object]]) -> Turn:
    return Turn(text=text, tools=tuple(ToolUse(name=name, input=given) for name, given in tools))


def playbook(*turns: Turn, subagents: tuple[Subplay, ...] = ()) -> Playbook:
    path = Path("playbooks/test.yaml")
    return Playbook(name="test", kind="ideal", note="", path=path, turns=turns, subagents=subagents)
