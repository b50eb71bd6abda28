"""What cells are made of, kept beside their results by content: a run can be had again after its files have changed."""

import os
import re
from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct

from harness.engine.input_store import (
    MOST_BYTES,
    Missing,
    archive_of,
    check_digests,
    index_of,
    keep_files,
    keep_tree,
    plain_name,
    read_index,
    unpack_tree,
    write_index,
)
from harness.engine.invocation import Invocation
from harness.errors import UserError
from harness.loaders.suite import load_suites
from harness.model.cell import Arm, Cell
from harness.model.scenario import SKILLS, Scenario, Suite
from harness.results.archive import unpack
from harness.results.folder import INPUTS
from harness.world.digest import tree_digest


class Kept(Struct, frozen=True, kw_only=True):
    """One scenario as it was: where its parts lay in the project, and the digests that they are kept under.

    Paths are relative to the project root, and may lead out of it.
    """

    suite: str
    scenario: str
    root: str
    """The name of the project's folder: it can be part of a path that a model sees."""
    definition: str
    """Digest of the suite's and the scenario's files."""
    fixture: str
    fixture_path: str
    plugin: str
    plugin_path: str


def keep_inputs(cells: Iterable[Cell], results: Path) -> tuple[str, ...]:
    """Keep what the cells are made of, each content once. What cannot be kept is told, and harms no run."""
    store = results / INPUTS
    told: dict[str, None] = {}
    seen: set[tuple[str, ...]] = set()
    for cell in cells:
        key = (cell.suite.name, cell.scenario.id, cell.scenario_digest, cell.arm.plugin_digest)
        if key in seen:
            continue
        seen.add(key)
        try:
            store.mkdir(parents=True, exist_ok=True)
            for treatment in (cell.arm.plugin, cell.arm.skill):
                if treatment is not None:
                    keep_tree(treatment, cell.arm.plugin_digest, results)
            if cell.scenario.of_skill:
                from harness.engine.skill_inputs import keep_skill  # brings in all that is of skills

                keep_skill(cell, results)
            else:
                _keep_scenario(cell, results)
        except (UserError, OSError) as error:
            told[f"not kept, so that its runs can be repeated only as long as nothing changes: {error}"] = (
                None
            )
    return tuple(told)


def _keep_scenario(cell: Cell, results: Path) -> None:
    index = index_of(results, cell.scenario_digest)
    if index.is_file():
        return
    suite, scenario = cell.suite, cell.scenario
    plugin, fixture = tree_digest(suite.plugin), tree_digest(scenario.fixture)
    keep_tree(suite.plugin, plugin, results)
    keep_tree(scenario.fixture, fixture, results)
    files = _definition_files(suite, scenario)
    definition = keep_files(files, results)
    made = Kept(
        suite=suite.name,
        scenario=scenario.id,
        root=suite.root.resolve().name or "project",
        definition=definition,
        fixture=fixture,
        fixture_path=_from(suite.root, scenario.fixture),
        plugin=plugin,
        plugin_path=_from(suite.root, suite.plugin),
    )
    write_index(index, made)


def _definition_files(suite: Suite, scenario: Scenario) -> list[tuple[str, Path]]:
    within = f"scenarios/{suite.name}"
    shared = suite.folder / "turns.yaml"
    files = [(f"{within}/suite.yaml", suite.folder / "suite.yaml")]
    files += [(f"{within}/turns.yaml", shared)] if shared.is_file() else []
    return [*files, (f"{within}/{scenario.id}", scenario.folder)]


def _from(root: Path, path: Path) -> str:
    return Path(os.path.relpath(os.path.abspath(path), os.path.abspath(root))).as_posix()  # noqa: PTH100


def kept_files(invocation: Invocation, results: Path) -> tuple[Path, ...] | Missing:
    """Every file of the store that the run needs."""
    if invocation.suite.startswith(SKILLS):
        from harness.engine.skill_inputs import skill_files

        return skill_files(invocation, results)
    kept = _read(invocation, results)
    if isinstance(kept, Missing):
        return kept
    digests = {kept.definition, kept.fixture, kept.plugin, invocation.plugin_digest} - {""}
    files = [
        index_of(results, invocation.scenario_digest),
        *(archive_of(results, d) for d in sorted(digests)),
    ]
    gone = next((f for f in files if not f.is_file()), None)
    return Missing(f"{gone} is not there") if gone is not None else tuple(files)


def _read(invocation: Invocation, results: Path) -> Kept | Missing:
    return read_index(
        index_of(results, invocation.scenario_digest), Kept, lambda kept: _check(kept, invocation)
    )


def _check(kept: Kept, invocation: Invocation) -> None:
    """Raises ValueError where it cannot have been written by ``keep_inputs``: it may come from a stranger."""
    if not all(getattr(kept, name) for name in Kept.__struct_fields__):
        raise ValueError("a field is empty")
    digests = [kept.definition, kept.fixture, kept.plugin, invocation.scenario_digest]
    digests += [invocation.plugin_digest] if invocation.plugin_digest else []
    check_digests(digests)
    if any(
        Path(path).is_absolute() or path.count("..") > 16 for path in (kept.fixture_path, kept.plugin_path)
    ):
        raise ValueError("a path leads out of everything")
    if not all(re.fullmatch(r"[\w.-]+", name) for name in (kept.suite, kept.scenario)):
        raise ValueError("a name is none")


def restore(invocation: Invocation, results: Path, target: Path) -> tuple[Suite, Scenario, Arm] | Missing:
    """The run's scenario and arm, made again under ``target`` from what was kept; whole trees, or Missing.

    Raises UserError where a kept file is not what its name says.
    """
    if invocation.suite.startswith(SKILLS):
        from harness.engine.skill_inputs import restore_skill

        return restore_skill(invocation, results, target)
    files = kept_files(invocation, results)
    kept = _read(invocation, results)
    if isinstance(files, Missing) or isinstance(kept, Missing):
        return files if isinstance(files, Missing) else kept if isinstance(kept, Missing) else Missing("")
    paths = (kept.fixture_path, kept.plugin_path)
    depth = max(Path(p).parts.count("..") for p in paths)
    root = target.joinpath(*["x"] * depth, plain_name(kept.root))
    root.mkdir(parents=True)
    unpack_tree(results, kept.plugin, Path(os.path.normpath(root / kept.plugin_path)), target)
    unpack_tree(results, kept.fixture, Path(os.path.normpath(root / kept.fixture_path)), target)
    unpack(archive_of(results, kept.definition), root, most_bytes=MOST_BYTES)
    _point_to_plugin(root / "scenarios" / kept.suite / "suite.yaml", kept.plugin_path)
    (suite,) = load_suites(root, [kept.suite])
    scenario = next((s for s in suite.scenarios if s.id == kept.scenario), None)
    if scenario is None:
        raise UserError(f"{archive_of(results, kept.definition)} does not hold scenario {kept.scenario}")
    return suite, scenario, _arm(invocation, suite, kept, results, target)


def _arm(invocation: Invocation, suite: Suite, kept: Kept, results: Path, target: Path) -> Arm:
    digest = invocation.plugin_digest
    if not digest:
        return Arm(name=invocation.arm, plugin=None, plugin_digest="")
    if digest == kept.plugin:
        return Arm(name=invocation.arm, plugin=suite.plugin, plugin_digest=digest)
    name = Path(invocation.plugin_root or suite.plugin).name
    place = target / "arm" / plain_name(name)
    unpack_tree(results, digest, place, target)
    return Arm(name=invocation.arm, plugin=place, plugin_digest=digest)


def _point_to_plugin(suite_file: Path, plugin_path: str) -> None:
    """Where the suite named its plugin by an absolute path, that path means nothing here."""
    text = suite_file.read_text()
    named = re.search(r"(?m)^plugin:\s*[\"']?(/[^\s\"'#]*)", text)
    if named is not None:
        suite_file.write_text(text.replace(named[1], plugin_path, 1))
