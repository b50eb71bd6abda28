"""Whether this machine and this project are fit for an evaluation, and what to do where they are not."""

import os
import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal

from msgspec import Struct

from harness.claude.binary import find_claude
from harness.engine.local import affordable_lanes
from harness.errors import UserError
from harness.gateway.credential import Credential, LoginOnly, find_credential
from harness.lint.rules import lint_suites
from harness.loaders.case.tree import discover, tree_root
from harness.loaders.suite import load_suites, project_root, suite_names
from harness.world.kernel import kernel_offers

TESTED = ("2.1.332", "2.1.332")
"""The oldest and the newest claude that the tests of this version ran with."""
FREE_BYTES = 2 << 30
"""Of disk: results and the worlds of some runs at once."""
_GIT_LIMIT_S = 30.0

State = Literal["ok", "note", "bad"]
"""Fit; fit, but something is to be known; not fit."""


class Examined(Struct, frozen=True, kw_only=True):
    name: str
    state: State
    found: str
    todo: str = ""


class Patient(Struct, frozen=True, kw_only=True):
    """What is examined."""

    root: Path
    results: Path
    jobs: int
    claude: str | None
    environ: Mapping[str, str]
    home: Path


def examine(patient: Patient) -> tuple[Examined, ...]:
    """Every examination in turn; none starts a run or asks the API."""
    checks: tuple[Callable[[Patient], Examined], ...] = (
        _claude, _login, _sandbox, _memory, _disk, _project, _fixtures, _graphify
    )  # fmt: skip
    return tuple(check(patient) for check in checks)


def _claude(patient: Patient) -> Examined:
    try:
        found = find_claude(patient.claude, patient.environ)
    except UserError as error:
        said, _, todo = str(error).partition("\n")
        return Examined(
            name="claude", state="bad", found=said, todo=todo or "Give another with --claude PATH."
        )
    told = f"{found.path}, version {found.version}, from {found.source}"
    if _number(TESTED[0]) <= _number(found.version) <= _number(TESTED[1]):
        return Examined(name="claude", state="ok", found=f"{told}; tested with this version")
    span = TESTED[0] if TESTED[0] == TESTED[1] else f"{TESTED[0]} to {TESTED[1]}"
    todo = (
        "Run `make test`, or `harness calibrate`, to see whether it still behaves; rows record the version."
    )
    return Examined(name="claude", state="note", found=f"{told}; tested with {span} only", todo=todo)


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("-")[0].split(".") if part.isdecimal())


def _login(patient: Patient) -> Examined:
    match find_credential(patient.environ, patient.home):
        case Credential() as found:
            return Examined(name="login", state="ok", found=f"real models are asked with {found.source}")
        case LoginOnly(why=why):
            todo = "Set CLAUDE_CODE_OAUTH_TOKEN to what `claude setup-token` gives, or ANTHROPIC_API_KEY."
            return Examined(name="login", state="note", found=why, todo=todo)
        case None:
            todo = (
                "Set ANTHROPIC_API_KEY or CLAUDE_CODE_OAUTH_TOKEN for real models; scripted ones need none."
            )
            return Examined(name="login", state="note", found="there is no credential", todo=todo)


def _sandbox(_: Patient) -> Examined:
    offer = kernel_offers()
    if offer.bwrap is not None:
        return Examined(name="sandbox", state="ok", found=f"jail: {offer.why}")
    todo = "Runs are kept apart by temporary folders only, and can reach the network and your files; rows say so."
    return Examined(name="sandbox", state="note", found=f"no jail: {offer.why}", todo=todo)


def _memory(patient: Patient) -> Examined:
    lanes = affordable_lanes(patient.jobs)
    if lanes >= patient.jobs:
        return Examined(name="memory", state="ok", found=f"enough for --jobs {patient.jobs}")
    found = f"enough for {lanes} runs at once, not {patient.jobs}"
    return Examined(
        name="memory", state="note", found=found, todo=f"Give --jobs {lanes}; more would wait anyway."
    )


def _disk(patient: Patient) -> Examined:
    places = (_existing(patient.results), Path(patient.environ.get("TMPDIR", "/tmp")))
    free = {place: shutil.disk_usage(place).free for place in places if place.is_dir()}
    told = ", ".join(f"{size / (1 << 30):.1f} GiB free at {place}" for place, size in free.items())
    if all(size >= FREE_BYTES for size in free.values()):
        return Examined(name="disk", state="ok", found=told)
    return Examined(
        name="disk",
        state="bad",
        found=told,
        todo="Free some, or name another place with --results or TMPDIR.",
    )


def _existing(path: Path) -> Path:
    return next(p for p in (path, *path.parents) if p.exists())


def _project(patient: Patient) -> Examined:
    try:
        root = project_root(patient.root)
    except UserError:
        return _skills(patient)
    try:
        suites = load_suites(root, suite_names(root))
    except UserError as error:
        first, *more = str(error).split("\n")
        rest = f" (and {len(more)} more problems)" if more else ""
        return Examined(
            name="project", state="bad", found=first + rest, todo="Mend it; `harness lint` tells all."
        )
    problems = lint_suites(suites)
    told = ", ".join(f"{suite.name} ({len(suite.scenarios)} scenarios)" for suite in suites) or "no suite"
    if problems:
        found = f"{told}; {len(problems)} lint problems, the first: {problems[0]}"
        return Examined(name="project", state="bad", found=found, todo="`harness lint` tells all of them.")
    return Examined(name="project", state="ok", found=told)


def _skills(patient: Patient) -> Examined:
    """The tree of skills that a place without suites may be."""
    try:
        found = discover(tree_root(patient.root))
    except UserError:
        todo = "Begin one with `harness init` in the repository of a plugin or of skills."
        said = f"no scenarios/ and no skills in {patient.root} or above it"
        return Examined(name="project", state="note", found=said, todo=todo)
    told = f"{len(found.skills)} skills, {len(found.skills) - len(found.untested)} with cases"
    if found.problems:
        said = f"{told}; {len(found.problems)} problems, the first: {found.problems[0]}"
        return Examined(
            name="project", state="bad", found=said, todo="Mend it; `harness eval --skills` tells all."
        )
    return Examined(name="project", state="ok", found=told)


def _fixtures(patient: Patient) -> Examined:
    try:
        root = project_root(patient.root)
    except UserError:
        return Examined(name="fixtures", state="note", found="no suites here, whose fixtures/ they would be")
    changed = _changed(root)
    if changed is None:
        todo = "Keep the project in git: it shows what an evaluation was made with."
        return Examined(name="fixtures", state="note", found="not in a git repository", todo=todo)
    if not changed:
        return Examined(name="fixtures", state="ok", found="fixtures/ and scenarios/ are as committed")
    found = f"{len(changed)} paths differ from the last commit, {changed[0]} among them"
    todo = "`git status fixtures scenarios` tells which; commit them so that rows can be made again."
    return Examined(name="fixtures", state="note", found=found, todo=todo)


def _changed(root: Path) -> list[str] | None:
    env = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")} | {"GIT_OPTIONAL_LOCKS": "0"}
    words = ("git", "-C", str(root), "status", "--porcelain", "-z", "--", "fixtures", "scenarios")
    try:
        done = subprocess.run(words, env=env, capture_output=True, timeout=_GIT_LIMIT_S, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    if done.returncode != 0:
        return None
    return [os.fsdecode(entry[3:]) for entry in done.stdout.split(b"\0") if entry]


def _graphify(_: Patient) -> Examined:
    found = shutil.which("graphify")
    if found:
        return Examined(name="graphify", state="ok", found=found)
    todo = "Only needed to build a fixture's graph again: pip install 'harness[graph]'."
    return Examined(name="graphify", state="note", found="not installed", todo=todo)
