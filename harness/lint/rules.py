"""Every rule of ``harness lint``, run over whole suites."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import orjson

from harness.checks.files import glob_regex
from harness.lint.adr_files import AdrFile, read_adrs
from harness.lint.prompt import plugin_names, prompt_problems
from harness.model.problem import Problem
from harness.model.scenario import ImportEdge, RetrievalExpectation, Scenario, Suite, WriteExpectation

NEAR_MISSES = (2, 3)


def lint_suites(suites: Iterable[Suite]) -> tuple[Problem, ...]:
    """Everything that is wrong, in file order; empty where all is well."""
    suites = tuple(suites)
    found = [p for suite in suites for p in _suite_problems(suite)]
    found += _doubled_ids(suites)
    return tuple(sorted(found, key=lambda p: (str(p.path), p.line)))


def _suite_problems(suite: Suite) -> Iterator[Problem]:
    have = {s.id for s in suite.scenarios}
    for missing in [name for name in suite.requires if name not in have]:
        yield _of_suite(suite, "requires", f"requires {missing}, which has no folder here; add it")
    fixtures = {s.fixture: read_adrs(s.fixture, suite.adr_dir) for s in suite.scenarios}
    named = plugin_names(suite)
    for scenario in suite.scenarios:
        adrs = fixtures[scenario.fixture]
        yield from prompt_problems(scenario, named, adrs)
        yield from _adr_problems(adrs)
        yield from _expectation_problems(suite, scenario, adrs)
        yield from _graph_problems(scenario, adrs)
        yield from _playbook_problems(suite, scenario)
        if suite.held_out and not scenario.held_out:
            yield _of(scenario, "held_out", "is not held out although its suite is; mark it held_out: true")


def _doubled_ids(suites: tuple[Suite, ...]) -> Iterator[Problem]:
    first: dict[str, Scenario] = {}
    for scenario in [s for suite in suites for s in suite.scenarios]:
        other = first.setdefault(scenario.id, scenario)
        if other is not scenario:
            yield _of(scenario, "id", f"has the id {scenario.id} of {other.folder}; give it one of its own")


def _of(scenario: Scenario, key: str, text: str) -> Problem:
    return Problem(path=scenario.folder / "scenario.yaml", line=scenario.lines.get(key, 1), text=text)


def _of_suite(suite: Suite, key: str, text: str) -> Problem:
    return Problem(path=suite.folder / "suite.yaml", line=suite.lines.get(key, 1), text=text)


def _adr_problems(adrs: tuple[AdrFile, ...]) -> Iterator[Problem]:
    seen: dict[str, Path] = {}
    for adr in adrs:
        if adr.fault:
            yield Problem(path=adr.path, line=1, text=adr.fault)
        elif adr.id in seen:
            yield Problem(
                path=adr.path, line=1, text=f"has the id {adr.id} of {seen[adr.id].name}; renumber one"
            )
        seen.setdefault(adr.id, adr.path)


def _expectation_problems(suite: Suite, scenario: Scenario, adrs: tuple[AdrFile, ...]) -> Iterator[Problem]:
    status = {a.id: a.status for a in adrs}
    expect = scenario.expect
    if not isinstance(expect, RetrievalExpectation):
        if (
            isinstance(expect, WriteExpectation)
            and expect.supersedes is not None
            and status.get(expect.supersedes) != "Accepted"
        ):
            yield _of(
                scenario,
                "expect",
                f"supersedes {expect.supersedes}, which is no Accepted decision of the fixture",
            )
        return
    if status.get(expect.adr) != "Accepted":
        there = status.get(expect.adr, "not there")
        yield _of(
            scenario, "expect", f"expects {expect.adr}, which is {there} in the fixture; it must be Accepted"
        )
    for distractor in expect.distractors:
        if distractor not in status:
            yield _of(
                scenario, "expect", f"names the distractor {distractor}, which the fixture does not have"
            )
    least, most = NEAR_MISSES
    wanted = "near-misses" in scenario.tags
    if (wanted or expect.distractors) and not least <= len(expect.distractors) <= most:
        yield _of(
            scenario,
            "expect",
            f"has {len(expect.distractors)} distractors; a near-miss set has {least} to {most}",
        )


def _edges(graph: Path) -> set[tuple[str, str]]:
    """File-to-file imports that the graph's builder extracted from code: (importer, imported)."""
    data = orjson.loads(graph.read_bytes())
    nodes = {n.get("id"): n for n in data.get("nodes", [])}

    def source(node_id: object) -> str:
        return str(nodes.get(node_id, {}).get("source_file", ""))

    return {
        (source(link.get("source")), source(link.get("target")))
        for link in data.get("links", [])
        if link.get("relation") == "imports_from" and link.get("confidence") == "EXTRACTED"
    }


def _graph_problems(scenario: Scenario, adrs: tuple[AdrFile, ...]) -> Iterator[Problem]:
    edge = scenario.graph
    if edge is None:
        return
    graph = scenario.fixture / "graphify-out" / "graph.json"
    try:
        edges = _edges(graph)
    except (OSError, ValueError, AttributeError):
        yield _of(
            scenario, "graph", f"needs {graph}, which is not there or is no graph; build it from the fixture"
        )
        return
    if (edge.conflict, edge.affected) not in edges and (edge.affected, edge.conflict) not in edges:
        yield _of(
            scenario,
            "graph",
            f"claims a hop from {edge.conflict} to {edge.affected} that graph.json does not have",
        )
    yield from _reach_problems(scenario, edge, adrs)


def _reach_problems(scenario: Scenario, edge: ImportEdge, adrs: tuple[AdrFile, ...]) -> Iterator[Problem]:
    expect = scenario.expect
    wanted = expect.adr if isinstance(expect, RetrievalExpectation) else None
    globs = [glob for adr in adrs if adr.id == wanted for glob in adr.affected_paths]
    if not any(glob_regex(glob).fullmatch(edge.affected) for glob in globs):
        yield _of(scenario, "graph", f"says that {wanted} affects {edge.affected}; its affected-paths do not")
    if any(glob_regex(glob).fullmatch(edge.conflict) for glob in globs):
        yield _of(
            scenario,
            "graph",
            f"has a conflict, {edge.conflict}, that {wanted} lists itself; it must be a hop away",
        )


def _playbook_problems(suite: Suite, scenario: Scenario) -> Iterator[Problem]:
    have = {p.kind for p in scenario.playbooks.values()}
    missing = [kind for kind in suite.playbook_kinds if kind not in have]
    if missing:
        yield _of(scenario, "id", f"has no playbook of kind {', '.join(missing)}; add {_plural(missing)}")


def _plural(missing: list[str]) -> str:
    return "one" if len(missing) == 1 else "one of each"
