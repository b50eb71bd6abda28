"""How one arm's ``claude -p`` is started: its arguments and its environment, and nothing inherited."""

import uuid
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from harness.errors import UserError
from harness.model.cell import Cell, CellKey
from harness.model.scenario import Limits

ARGUMENT_LIMIT = 100_000
"""Bytes of prompt that still go in as an argument; the kernel refuses single arguments of 128 KiB."""

QUIET = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "DISABLE_TELEMETRY": "1",
    "IS_SANDBOX": "1",  # bypassPermissions refuses to start as root without it
}
SCRIPTED_MODEL = "haiku"
"""What the CLI is asked for when a playbook stands in for the model."""

_NAMESPACE = uuid.UUID("6f0c2a52-5d0f-5a3b-9a55-7b1b6d2c9d11")


class Launch(Struct, frozen=True, kw_only=True):
    argv: tuple[str, ...]
    env: Mapping[str, str]
    session_id: str
    prompt_on_stdin: bool


def session_id(key: CellKey) -> str:
    """The same id for the same cell, so that two runs of it differ only where the model does."""
    return str(uuid.uuid5(_NAMESPACE, "\x1f".join(map(str, key))))


def cell_session_id(cell: Cell) -> str:
    """The arms of a skill's case share theirs: nothing but the skill may differ in what the model is sent."""
    return session_id(cell.key._replace(arm="") if cell.scenario.of_skill else cell.key)


def is_scripted(model: str) -> bool:
    return model.startswith("scripted:")


def model_argument(model: str) -> str:
    return SCRIPTED_MODEL if is_scripted(model) else model


def _limit_arguments(limits: Limits) -> list[str]:
    argv: list[str] = []
    if limits.max_turns is not None:
        argv += ["--max-turns", str(limits.max_turns)]
    if limits.max_cost_usd is not None:
        argv += ["--max-budget-usd", f"{limits.max_cost_usd:g}"]
    return argv


def prompt_arguments(prompt: str) -> tuple[list[str], bool]:
    """The arguments that carry the prompt, and whether it must go to stdin instead.

    A slash command expands only as an argument; a prompt that starts with ``-`` needs the ``--`` before it.
    """
    if "\x00" in prompt:
        raise UserError("the prompt holds a NUL byte, which no program argument can carry; take it out")
    if len(prompt.encode("utf-8", "surrogatepass")) <= ARGUMENT_LIMIT:
        return ["--", prompt], False
    if prompt.lstrip().startswith("/"):
        raise UserError(
            f"a slash-command prompt of over {ARGUMENT_LIMIT} bytes cannot be given as an argument; shorten it"
        )
    return [], True


def build_launch(
    cell: Cell,
    *,
    claude: str,
    plugin_dir: str | None,
    limits: Limits,
    deny: tuple[str, ...],
    sandbox_env: Mapping[str, str],
    api_env: Mapping[str, str],
    resume: str | None = None,
    add_dirs: tuple[str, ...] = (),
) -> Launch:
    """Arguments and environment of one cell; ``claude`` and ``plugin_dir`` as paths the sandbox sees."""
    sid = cell_session_id(cell)
    argv = [claude, "-p", "--output-format", "stream-json", "--verbose", "--include-hook-events"]
    argv += ["--forward-subagent-text", "--model", model_argument(cell.model)]
    argv += ["--resume", resume] if resume else ["--session-id", sid]
    argv += ["--permission-mode", cell.suite.permission_mode, *_limit_arguments(limits)]
    if plugin_dir is not None:
        argv += [f"--plugin-dir={plugin_dir}"]
    argv += [f"--add-dir={folder}" for folder in add_dirs]
    if cell.suite.only_tools:
        argv += ["--tools=" + ",".join(cell.suite.only_tools)]
    if cell.suite.allowed_tools:
        argv += ["--allowedTools=" + ",".join(cell.suite.allowed_tools)]
    if deny:
        argv += ["--disallowedTools=" + ",".join(deny)]
    carried, on_stdin = prompt_arguments(cell.scenario.prompt)
    env = {**cell.suite.env, **sandbox_env, **QUIET, **api_env}
    return Launch(argv=(*argv, *carried), env=env, session_id=resume or sid, prompt_on_stdin=on_stdin)


def read_plugin_name(plugin: Path) -> str:
    """The name in the plugin's manifest."""
    import orjson

    try:
        data = orjson.loads((plugin / ".claude-plugin" / "plugin.json").read_bytes())
    except (OSError, orjson.JSONDecodeError) as error:
        raise UserError(f"{plugin}/.claude-plugin/plugin.json cannot be read: {error}") from None
    name = data.get("name") if isinstance(data, dict) else None
    if not isinstance(name, str) or not name:
        raise UserError(f"{plugin}/.claude-plugin/plugin.json has no name; add one")
    return name


def plugin_skills(plugin: Path, name: str) -> tuple[str, ...]:
    """The skills that the plugin's folder holds, as the CLI lists them."""
    return tuple(sorted(f"{name}:{p.parent.name}" for p in plugin.glob("skills/*/SKILL.md")))
