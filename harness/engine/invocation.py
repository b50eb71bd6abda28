"""``invocation.json``: how a run was started, complete but for secrets."""

from collections.abc import Mapping
from pathlib import Path

import orjson
from msgspec import Struct

NAME = "invocation.json"


class Invocation(Struct, frozen=True, kw_only=True):
    run_id: str
    suite: str
    scenario: str
    kind: str
    arm: str
    model: str
    trial: int
    attempt: int
    started_at: str
    argv: tuple[str, ...]
    env: Mapping[str, str]
    """Values of variables that may hold a secret are replaced."""
    prompt: str
    prompt_on_stdin: bool
    session_id: str
    limits: Mapping[str, object]
    claude_path: str
    claude_version: str
    claude_source: str
    sandbox: str
    wire: str
    world: str
    """The world's path as the arm saw it."""
    fixture: str
    plugin_name: str
    plugin_present: bool
    plugin_root: str | None
    plugin_skills: tuple[str, ...]
    model_asked: str | None
    scenario_digest: str
    plugin_digest: str
    cell_digest: str
    harness_version: str
    case: str = ""
    """The ``case.md`` that the run answers; '' for another kind of run."""
    skill: str = ""
    """The skill under test as the arm was to list it; '' without one."""


def read_invocation(folder: Path) -> Invocation:
    """Raises OSError or ValueError where the folder has no whole one."""
    data = orjson.loads((folder / NAME).read_bytes())
    if not isinstance(data, dict):
        raise ValueError("not an object")
    for name in ("argv", "plugin_skills"):
        data[name] = tuple(data[name])
    try:
        return Invocation(**data)
    except TypeError as error:
        raise ValueError(str(error)) from None
