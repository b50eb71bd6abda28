"""Where the decisions, the graph and the plugin lie in one run, and where its shell stands."""

from collections.abc import Mapping
from fnmatch import fnmatchcase

from msgspec import Struct, field

from harness.checks.paths import Region, region
from harness.checks.shell.pattern import quote
from harness.checks.shell.scope import resolve
from harness.model.scenario import ConsultRule
from harness.model.transcript import Transcript

_GRAPH_FOLDER = "graphify-out/**"


class Ground(Struct, kw_only=True):
    """What every call of a run is held against; only ``cwd``, the main conversation's folder, moves."""

    rule: ConsultRule
    world: str
    """Absolute, as a pattern."""
    decisions: Region
    graph: Region
    plugin_roots: tuple[str, ...]
    skills: tuple[str, ...]
    links: dict[str, str]
    cwd: str = field(default="")


def survey(
    transcript: Transcript, rule: ConsultRule, cwd: str, plugin_root: str | None, links: Mapping[str, str]
) -> Ground:
    """The ground of one run; the world and the plugin are known under the names that init gives them, too."""
    init = transcript.init
    tops = [cwd] + ([init.cwd] if init is not None and init.cwd else [])
    prefixes = tuple(p.partition(":")[0] for p in rule.skills if ":" in p)
    roots = [plugin_root] if plugin_root else []
    roots += [
        p.path
        for p in (init.plugins if init else ())
        if p.path and any(fnmatchcase(p.name, x) for x in prefixes)
    ]
    made = {
        resolve(quote(link), quote(top), quote(top), {}): resolve(quote(target), quote(top), quote(top), {})
        for top in tops
        for link, target in links.items()
    }
    return Ground(
        rule=rule,
        world=quote(cwd),
        decisions=region(rule.paths, tops, made),
        graph=region((_GRAPH_FOLDER,), tops, made),
        plugin_roots=tuple(dict.fromkeys(quote(r.rstrip("/")) for r in roots)),
        skills=(*init.skills, *init.slash_commands) if init else (),
        links=made,
        cwd=quote(cwd),
    )
