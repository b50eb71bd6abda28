"""``suite.yaml`` with all its scenarios, or every problem in any of their files at once."""

import re
from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from harness.errors import AuthoringError, UserError
from harness.loaders.limits import read_limits
from harness.loaders.playbook import load_turns
from harness.loaders.scenario import load_scenario
from harness.loaders.yamlfile import MappingReader, YamlFile
from harness.model.problem import Problem
from harness.model.scenario import ConsultRule, HookRule, JailRule, Limits, Suite

PERMISSION_MODES = ("bypassPermissions", "acceptEdits", "dontAsk", "default", "plan")
USUAL = "os-adr"
"""The suite that is meant where none is named and there are several."""


def _consult(reader: MappingReader | None) -> ConsultRule:
    if reader is None:
        return ConsultRule(skills=(), commands=(), paths=())
    made = ConsultRule(
        skills=reader.texts("skills") or (),
        commands=reader.texts("commands") or (),
        paths=reader.texts("paths") or (),
        literal=reader.flag("literal", False),
    )
    if not (made.skills or made.commands or made.paths):
        reader.file.note(reader.line, "axis_a names nothing to look for; give skills, commands or paths")
    reader.done()
    return made


def _hook(reader: MappingReader | None) -> HookRule | None:
    if reader is None:
        return None
    made = HookRule(event=reader.text("event"), contains=reader.text("contains"))
    reader.done()
    return made


def _env(top: MappingReader) -> dict[str, str]:
    data = top.data("env")
    if data is None:
        return {}
    if not isinstance(data, dict):
        top.note("env", "must be a mapping of names to values")
        return {}
    for name in data:
        if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", str(name)) or re.search(
            r"KEY|TOKEN|SECRET", str(name)
        ):
            top.note("env", f"holds {name!r}; a plain variable name, and no secret, may stand here")
    return {str(k): str(v) for k, v in data.items()}


def _jail(reader: MappingReader | None) -> JailRule:
    if reader is None:
        return JailRule()
    paths = tuple(Path(p).expanduser() for p in reader.texts("read_only") or ())
    for path in paths:
        if not path.is_absolute():
            reader.note("read_only", f"holds {path}; write an absolute path, or one from ~")
    made = JailRule(read_only=paths, network=reader.flag("network", False))
    reader.done()
    return made


def _plugin(top: MappingReader, root: Path) -> Path:
    text = top.text("plugin")
    plugin = root / text
    if text and not (plugin / ".claude-plugin" / "plugin.json").is_file():
        top.note("plugin", f"names {text}, which has no .claude-plugin/plugin.json; give the plugin's folder")
    return plugin


USUAL = "os-adr"


class _Loaded(Struct, frozen=True):
    suite: Suite | None
    problems: tuple[Problem, ...]


def _load(folder: Path, root: Path) -> _Loaded:
    problems: list[Problem] = []
    top = YamlFile(folder / "suite.yaml", problems).top()
    if top is None:
        return _Loaded(None, tuple(problems))
    name = top.text("suite")
    if name and name != folder.name:
        top.note("suite", f"is {name!r} but the folder is {folder.name!r}; make them the same")
    shell = _shell(top, folder, root, name)
    shared = load_turns(folder / "turns.yaml", {}, problems)
    folders = sorted(p.parent for p in folder.glob("*/scenario.yaml"))
    if not folders:
        top.file.note(1, "has no scenario beside it; add a folder with a scenario.yaml")
    found = [load_scenario(f, shell, shared, problems) for f in folders]
    scenarios = tuple(s for s in found if s is not None)
    return _Loaded(replace(shell, scenarios=scenarios), tuple(problems))


def _shell(top: MappingReader, folder: Path, root: Path, name: str) -> Suite:
    """The suite without its scenarios."""
    adr = top.mapping("adr")
    adr_dir = adr.text("dir", "docs/adr") if adr is not None else "docs/adr"
    if adr is not None:
        adr.done()
    made = Suite(
        name=name,
        description=top.text("description", ""),
        folder=folder,
        root=root,
        plugin=_plugin(top, root),
        held_out=top.flag("held_out", False),
        consult=_consult(top.mapping("axis_a", required=True)),
        hook=_hook(top.mapping("hook")),
        adr_dir=adr_dir,
        arms=top.texts("arms") or ("new",),
        limits=read_limits(top.mapping("limits"), Limits()),
        never_say=top.texts("never_say") or (),
        playbook_kinds=top.texts("playbook_kinds") or (),
        allowed_tools=top.texts("tools") or (),
        only_tools=top.texts("only_tools") or (),
        permission_mode=top.choice("permission_mode", PERMISSION_MODES, "bypassPermissions"),
        env=_env(top),
        jail=_jail(top.mapping("jail")),
        requires=top.texts("requires") or (),
        lines={key: top.line_of(key) for key in top.keys()},  # noqa: SIM118  (a reader, not a dict)
        scenarios=(),
    )
    top.done()
    return made


def project_root(start: Path) -> Path:
    """The nearest folder from ``start`` upwards that holds ``scenarios/``."""
    for folder in (start, *start.parents):
        if (folder / "scenarios").is_dir():
            return folder
    raise UserError(
        f"no scenarios/ folder in {start} or above it; run this in a project that has one, or `harness init`"
    )


def suite_names(root: Path) -> tuple[str, ...]:
    """Every suite of the project, sorted."""
    return tuple(sorted(p.parent.name for p in (root / "scenarios").glob("*/suite.yaml")))


def default_suites(start: Path) -> tuple[str, ...]:
    """What is meant where no suite is named: ``os-adr``, or the only one. Raises UserError where that is none."""
    names = suite_names(project_root(start))
    if len(names) > 1 and USUAL not in names:
        raise UserError(f"there are several suites here; name one or more of {', '.join(names)}")
    return names if len(names) == 1 else (USUAL,)


def load_suites(root: Path, names: Iterable[str]) -> tuple[Suite, ...]:
    """The suites named, fully loaded.

    Raises UserError for a name that no folder has, AuthoringError with every problem of every file.
    """
    known = suite_names(root)
    problems: list[Problem] = []
    suites: list[Suite] = []
    for name in names:
        if name not in known:
            there = ", ".join(known) or "none"
            raise UserError(f"there is no suite {name!r} under {root / 'scenarios'}; there is: {there}")
        loaded = _load(root / "scenarios" / name, root)
        problems += loaded.problems
        if loaded.suite is not None:
            suites.append(loaded.suite)
    if problems:
        raise AuthoringError(problems)
    return tuple(suites)
