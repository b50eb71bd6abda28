"""The role-tagged conversation of ``## Seed``."""

import re
from pathlib import Path

from harness.loaders.case.sections import Line, Section
from harness.model.case import Role, SeedTurn
from harness.model.problem import Problem

_TAG = re.compile(r"^\*\*(User|Assistant):\*\*[ \t]*(.*)$")
_ALMOST = re.compile(
    r"^\s*(?:(?:\*\*|__)(?:user|assistant|human|claude|system|ai)(?::(?:\*\*|__)|(?:\*\*|__):)"
    r"|(?:user|assistant|human):)",
    re.I,
)
_ROLES: dict[str, Role] = {"User": "user", "Assistant": "assistant"}


def _message(lines: list[str]) -> str:
    return "\n".join(lines).strip("\n").rstrip()


def read_seed(section: Section, path: Path, problems: list[Problem]) -> tuple[SeedTurn, ...]:
    """The turns in order: the user first, then by turns, the assistant last; the prompt comes after."""

    def note(line: int, text: str) -> None:
        problems.append(Problem(path=path, line=line, text=text))

    open_turns: list[tuple[Role, int, list[str]]] = []
    for line in section.lines:
        tag = None if line.fenced else _TAG.match(line.text)
        if tag:
            open_turns.append((_ROLES[tag[1]], line.number, [tag[2]]))
        elif open_turns:
            _note_almost(line, open_turns[-1][1], path, problems)
            open_turns[-1][2].append(line.text)
        elif line.text.strip():
            note(line.number, "the Seed must begin with '**User:**'; this text has no role")
            open_turns.append(("user", line.number, [line.text]))
    turns = tuple(SeedTurn(role=r, text=_message(t), line=n) for r, n, t in open_turns)
    if not turns:
        note(section.line, "the Seed is empty; write '**User:** …' and '**Assistant:** …', or take it out")
    _check_order(turns, path, problems)
    return turns


def _note_almost(line: Line, turn_line: int, path: Path, problems: list[Problem]) -> None:
    if not line.fenced and _ALMOST.match(line.text):
        problems.append(
            Problem(
                path=path,
                line=line.number,
                text=f"looks like a role tag but would stay text of the turn in line {turn_line}; "
                "write '**User:**' or '**Assistant:**' at the start of the line, or put it in a code fence",
            )
        )


def _check_order(turns: tuple[SeedTurn, ...], path: Path, problems: list[Problem]) -> None:
    def note(line: int, text: str) -> None:
        problems.append(Problem(path=path, line=line, text=text))

    for place, turn in enumerate(turns):
        expected: Role = "user" if place % 2 == 0 else "assistant"
        if not turn.text.strip():
            note(turn.line, f"this {turn.role} turn says nothing")
        if turn.role != expected:
            note(
                turn.line,
                f"a {turn.role} turn where the {expected}'s is due; roles take turns, the user first",
            )
            return
    if turns and turns[-1].role == "user":
        note(
            turns[-1].line,
            "the Seed ends with the user, whose next turn is the prompt; end it with the assistant",
        )
