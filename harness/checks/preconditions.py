"""Knows what must be true of a run before any score of it means something."""

import re
from collections.abc import Iterable, Iterator

from harness.claude.ledger import todays_name
from harness.model.check import Evidence, Finding
from harness.model.event import Init, McpServer, Plugin
from harness.model.transcript import Transcript

_ALIASES = frozenset({"haiku", "sonnet", "opus"})
_SCRIPTED = "scripted:"
_READY = frozenset({"connected", ""})
_SUFFIX = re.compile(r"\[[^\]]*\]$")
_DATE = re.compile(r"-(?:latest|\d{8})$")
_LISTING_CUT = re.compile(r"^.*skill listing over budget.*$", re.IGNORECASE | re.MULTILINE)


def preconditions(
    transcript: Transcript,
    *,
    world: str | None = None,
    plugin_name: str | None = None,
    plugin_skills: tuple[str, ...] = (),
    baseline_plugin: str | None = None,
    model_asked: str | None = None,
    skills_matter: bool | None = None,
    mcp_needed: tuple[str, ...] = (),
    strangers: tuple[str, ...] | None = None,
    only_tools: tuple[str, ...] = (),
    stderr: str = "",
) -> tuple[Finding, ...]:
    """Return one finding a precondition: False names what makes a score worthless, None is a note.

    ``world``: the cwd that the arm must have; ``plugin_name`` with its ``plugin_skills`` (``name`` or
    ``plugin:name``): what a treated arm must have loaded; ``baseline_plugin``: what a baseline must not have.
    None leaves a question out. ``skills_matter``: the Skill tool must be offered (default: if it has skills).
    ``mcp_needed``: MCP servers that the scenario cannot do without. ``strangers``: the skills and commands in
    the list that nobody asked for. ``only_tools``: the tools that the arm was to have, where that was bounded.
    """
    init = transcript.init
    if init is None:
        return (_bad("init", "no init event: nothing is known of what the arm had"), *_answered(transcript))
    wants_skill = bool(plugin_skills) if skills_matter is None else skills_matter
    return (
        Finding(name="init", value=True, reason="", evidence=(_offered(init),)),
        *_cwd(init, world),
        *_plugin(init, plugin_name, plugin_skills),
        *_baseline(init, baseline_plugin),
        *_surplus(init, plugin_name, strangers or ()),
        *_plugin_errors(init),
        *_skill_tool(init, wants_skill),
        *_tools(transcript, init, only_tools),
        *_mcp(init, mcp_needed),
        *_model(transcript, init, model_asked),
        *_answered(transcript),
        *_skill_listing(init, stderr),
    )


def _good(name: str, reason: str = "") -> Finding:
    return Finding(name=name, value=True, reason=reason)


def _bad(name: str, reason: str) -> Finding:
    return Finding(name=name, value=False, reason=reason)


def _note(name: str, reason: str) -> Finding:
    return Finding(name=name, value=None, reason=reason)


def _offered(init: Init) -> Evidence:
    return Evidence(where=f"stream:{init.index}", text="tools offered: " + " ".join(init.tools))


def _cwd(init: Init, world: str | None) -> Iterator[Finding]:
    if world is None:
        return
    if init.cwd.rstrip("/") == world.rstrip("/"):
        yield _good("cwd")
    else:
        yield _bad("cwd", f"cwd is {init.cwd or 'not told'}, the world is {world}")


def _plugin(init: Init, name: str | None, skills: tuple[str, ...]) -> Iterator[Finding]:
    if name is None:
        return
    if not any(plugin.name == name for plugin in init.plugins):
        loaded = ", ".join(plugin.name for plugin in init.plugins) or "none"
        yield _bad("plugin", f"plugin {name} is not loaded (loaded: {loaded})")
        return
    known = {*init.skills, *(command.removeprefix("/") for command in init.slash_commands)}
    missing = [skill for skill in skills if not _known(skill, name, known)]
    if missing:
        yield _bad("plugin", f"plugin {name} is loaded without its skills {', '.join(missing)}")
    else:
        yield _good("plugin")


def _known(skill: str, plugin: str, known: set[str]) -> bool:
    return skill in known or f"{plugin}:{skill}" in known


def _baseline(init: Init, name: str | None) -> Iterator[Finding]:
    if name is None:
        return
    skills = [skill for skill in (*init.skills, *init.slash_commands) if skill.startswith(f"{name}:")]
    if any(plugin.name == name for plugin in init.plugins) or skills:
        yield _bad("baseline", f"the baseline has plugin {name} {' '.join(skills)}".rstrip())
    else:
        yield _good("baseline")


def _surplus(init: Init, name: str | None, strangers: tuple[str, ...]) -> Iterator[Finding]:
    extra = [plugin.name for plugin in init.plugins if plugin.name != name and not _builtin(plugin)]
    told = []
    if extra:
        told.append(f"plugins that nobody asked for are loaded: {', '.join(extra)}")
    if strangers:
        told.append(f"skills or commands that nobody asked for are listed: {', '.join(strangers)}")
    yield _bad("isolation", "; ".join(told)) if told else _good("isolation")


def _builtin(plugin: Plugin) -> bool:
    return plugin.source.endswith("@builtin") or plugin.path == "builtin"


def _plugin_errors(init: Init) -> Iterator[Finding]:
    if init.plugin_errors:
        yield _bad("plugin_errors", f"the CLI reports plugin errors: {'; '.join(init.plugin_errors)}")
    else:
        yield _good("plugin_errors")


def _skill_tool(init: Init, wanted: bool) -> Iterator[Finding]:
    if not wanted:
        return
    if "Skill" in init.tools:
        yield _good("skill_tool")
    else:
        yield _bad("skill_tool", f"the Skill tool is not offered (offered: {' '.join(init.tools)})")


def _tools(transcript: Transcript, init: Init, only: tuple[str, ...]) -> Iterator[Finding]:
    """A call that was carried out shows what was available; the lists show only what was said of it."""
    used = dict.fromkeys(call.tool for call in transcript.calls if not (call.denied or call.failed))
    allowed = {todays_name(name) for name in only or init.tools}
    outside = [tool for tool in used if tool not in allowed]
    if not outside:
        yield _good("tools")
    elif only:
        yield _bad("tools", f"tools were used that the suite leaves out: {', '.join(outside)}")
    else:
        yield _note("tools", f"tools were used that init does not list: {', '.join(outside)}")


def _mcp(init: Init, needed: tuple[str, ...]) -> Iterator[Finding]:
    waiting = [server for server in init.mcp_servers if server.status not in _READY]
    missing = [name for name in needed if not any(_named(server, name) for server in init.mcp_servers)]
    required = [server for server in waiting if any(_named(server, name) for name in needed)]
    if missing or required:
        told = [*missing, *(f"{server.name} ({server.status})" for server in required)]
        yield _bad("mcp", f"MCP servers not ready: {', '.join(told)}")
    elif waiting:
        told = [f"{server.name} ({server.status})" for server in waiting]
        yield _note("mcp", f"MCP servers not connected at the start: {', '.join(told)}")


def _named(server: McpServer, name: str) -> bool:
    return server.name == name or server.name.endswith(f":{name}")


def _model(transcript: Transcript, init: Init, asked: str | None) -> Iterator[Finding]:
    """``init.model`` is what the CLI made of the name asked for; every answer must be of that model."""
    if asked is not None and not _is_asked(asked, init.model):
        yield _bad("model", f"asked for {asked}, the CLI took {init.model or 'an unnamed model'}")
        return
    others = [model for model in transcript.models if not _same(model, init.model)]
    if others:
        yield _bad("model", f"{init.model} was to answer, {', '.join(others)} did")
    elif asked is not None:
        yield _good("model", init.model)


def _is_asked(asked: str, model: str) -> bool:
    if asked.startswith(_SCRIPTED):
        return True
    name = _SUFFIX.sub("", asked).lower()
    if name in _ALIASES:
        return name in re.split(r"[^a-z0-9]+", model.lower())
    # Another word without number or hyphen is an alias whose meaning only the CLI knows.
    return name.isalpha() or _same(asked, model)


def _same(one: str, other: str) -> bool:
    """Equal but for the window suffix, or a date that only one of them has: the API adds one."""
    one, other = _SUFFIX.sub("", one), _SUFFIX.sub("", other)
    if one == other:
        return True
    undated = _DATE.sub("", one), _DATE.sub("", other)
    return undated[0] == undated[1] and (undated[0] == one or undated[1] == other)


def _answered(transcript: Transcript) -> Iterator[Finding]:
    if transcript.assistant_messages == 0:
        yield _bad("answer", "no message of a model in the stream")
    elif transcript.ends_synthetic:
        yield _bad("answer", "the last message is the CLI's own, not a model's")
    else:
        yield _good("answer")


def _skill_listing(init: Init, stderr: str) -> Iterator[Finding]:
    found = _LISTING_CUT.search(stderr)
    if found:
        told = f"{found.group().strip()} ({len(init.skills)} skills listed)"
        yield _note("skill_listing", told)


def failed(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Those that make a run invalid."""
    return tuple(finding for finding in findings if finding.value is False)
