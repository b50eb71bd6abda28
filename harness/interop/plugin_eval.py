"""Suites of ``claude plugin eval``: ``case.yaml`` or ``prompt.md`` with ``graders/*.md`` (Claude Code 2.1.332)."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

import frontmatter
import yaml

from harness.errors import AuthoringError, UserError
from harness.interop.graders import Converted, convert
from harness.interop.imported import Imported, ImportedCase, Notes, folder_name
from harness.model.problem import Problem

_TOP = {"schema_version", "name", "description", "tags", "plugins", "runs", "expected_outcome"}
_EXECUTION = {
    "model",
    "max_turns",
    "timeout_seconds",
    "allowed_tools",
    "disallowed_tools",
    "artifact_publish",
    "growthbook_overrides",
    "append_system_prompt",
    "env",
}
_BODY = {"llm": "criteria", "baseline": "criteria", "regex": "pattern"}


class _Case:
    """One case folder while it is put together."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.source = folder / ("prompt.md" if (folder / "prompt.md").is_file() else "case.yaml")
        self.top: dict[str, object] = {}
        self.execution: dict[str, object] = {}
        self.context: dict[str, object] = {}
        self.graders: list[tuple[Mapping[str, object], Path]] = []


def _mapping(value: object) -> dict[str, object]:
    return {str(k): v for k, v in value.items()} if isinstance(value, dict) else {}


def _read(path: Path) -> tuple[dict[str, object], str]:
    try:
        data, body = frontmatter.parse(path.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise AuthoringError(
            [Problem(path=path, line=1, text=f"cannot be read: {error}".split("\n")[0])]
        ) from None
    return _mapping(data), body


def _case_yaml(case: _Case) -> None:
    path = case.folder / "case.yaml"
    try:
        data: object = yaml.safe_load(path.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark is not None else 1
        raise AuthoringError(
            [Problem(path=path, line=line, text=f"is not YAML: {error}".split("\n")[0])]
        ) from None
    given = _mapping(data)
    case.context, case.execution = (
        _mapping(given.pop("context", None)),
        _mapping(given.pop("execution", None)),
    )
    graders = given.pop("graders", None)
    case.graders += [(_mapping(g), path) for g in (graders if isinstance(graders, list) else [])]
    case.top = given


def _prompt_md(case: _Case) -> None:
    data, body = _read(case.folder / "prompt.md")
    for key, value in data.items():
        (case.execution if key in _EXECUTION else case.top)[key] = value
    if body.strip():
        case.execution["prompt"] = body.strip()


def _grader_files(case: _Case) -> None:
    for path in sorted((case.folder / "graders").glob("*.md")):
        data, body = _read(path)
        if not data:
            continue
        grader = {"name": path.stem, **data}
        field = _BODY.get(str(grader.get("type")))
        if field and field not in grader and body.strip():
            grader[field] = body.strip()
        case.graders.append((grader, path))


def _unsaid(case: _Case, notes: Notes) -> None:
    """Settings that a case.md has no place for."""
    known = {"schema_version", "name", "description", "tags", "expected_outcome"}
    for key, value in case.top.items():
        if key not in known:
            where = (
                "run with --trials instead"
                if key == "runs"
                else "give it on the command line or in suite.yaml"
            )
            reason = where if key in _TOP else "the key is not known"
            notes.left_out(case.source, f"{key}: {value!r} ({reason})")
    if case.top.get("tags"):
        notes.left_out(case.source, f"tags: {case.top['tags']!r}")
    for key, value in case.execution.items():
        if key != "prompt":
            reason = "set it in suite.yaml" if key in _EXECUTION else "the key is not known"
            notes.left_out(case.source, f"execution.{key}: {value!r} ({reason})")
    for key, value in case.context.items():
        if key != "scaffold_script" and value:
            notes.left_out(case.source, f"context.{key}: {value!r}")


def _scaffolded(case: _Case, made: Path | None, notes: Notes) -> dict[str, Path]:
    """Files that the case's scaffold script makes, run only where ``made`` says so."""
    script = case.context.get("scaffold_script")
    if not script:
        return {}
    if made is None:
        notes.left_out(
            case.source,
            f"context.scaffold_script: {script!r} (a program of the author; allow it with --scaffold)",
        )
        return {}
    world = made / case.folder.name
    world.mkdir(parents=True)
    path = case.folder / str(script)
    argv = ["bash", str(path)] if path.is_file() else ["bash", "-c", str(script)]
    env = {"PATH": os.environ.get("PATH", os.defpath), "HOME": str(world), "LC_ALL": "C.UTF-8"}
    try:
        done = subprocess.run(
            argv, cwd=world, env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=120, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UserError(f"{case.source}: its scaffold script could not be run: {error}") from None
    if done.returncode != 0:
        said = done.stderr.decode(errors="replace").strip()[-200:]
        raise UserError(f"{case.source}: its scaffold script ended with {done.returncode}: {said}")
    return {p.relative_to(world).as_posix(): p for p in sorted(world.rglob("*")) if p.is_file()}


def _convert(folder: Path, taken: list[str], notes: Notes, made: Path | None) -> ImportedCase | None:
    case = _Case(folder)
    if (folder / "case.yaml").is_file():
        _case_yaml(case)
    if (folder / "prompt.md").is_file():
        _prompt_md(case)
    _grader_files(case)
    prompt = case.execution.get("prompt")
    if not isinstance(prompt, str) or not prompt.strip():
        notes.left_out(case.source, "the case has no prompt")
        return None
    into = Converted()
    for grader, source in case.graders:
        convert(grader, source, notes, into)
    outcome = case.top.get("expected_outcome")
    if isinstance(outcome, str) and outcome.strip():
        into.criteria.append(outcome)
    if not into.criteria:
        notes.left_out(case.source, "the case says in no words what is good; write a soft criterion")
        into.criteria.append("The task is done as it was asked.")
    _unsaid(case, notes)
    name = str(case.top.get("name") or folder.name)
    return ImportedCase(
        name=folder_name(name, taken),
        source=case.source,
        description=str(case.top.get("description") or name),
        prompt=prompt,
        assertions=tuple(into.assertions),
        criteria=tuple(into.criteria),
        files=_scaffolded(case, made, notes),
    )


def import_plugin_eval(evals: Path, *, scaffold_into: Path | None = None) -> Imported:
    """All cases below the eval folder. Scaffold scripts run only where ``scaffold_into`` names a new folder for
    what they make. Raises AuthoringError for a file that cannot be read, UserError where there is no case."""
    folders = sorted({p.parent for name in ("case.yaml", "prompt.md") for p in evals.rglob(name)})
    folders = [f for f in folders if not {"results", "mocks"} & set(f.relative_to(evals).parts)]
    if not folders:
        raise UserError(f"{evals} holds no case.yaml and no prompt.md; give the eval folder of a plugin")
    notes, cases = Notes(), list[ImportedCase]()
    for folder in folders:
        made = _convert(folder, [c.name for c in cases], notes, scaffold_into)
        if made is not None:
            cases.append(made)
    return Imported(cases=tuple(cases), left_out=tuple(notes.found))
