"""skill-creator's files: ``evals/evals.json``, and the folders of an iteration with their outputs."""

import re
from collections.abc import Mapping
from pathlib import Path

import orjson
from msgspec import Struct

from harness.errors import AuthoringError, UserError
from harness.interop.imported import Imported, ImportedCase, Notes, folder_name
from harness.model.judge import Output
from harness.model.problem import Problem

_EVAL = {"id", "name", "eval_name", "prompt", "expected_output", "files", "expectations", "assertions"}
_METADATA = {"eval_id", "eval_name", "prompt", "assertions"}


def _json(path: Path) -> object:
    try:
        data: object = orjson.loads(path.read_bytes())
    except (OSError, orjson.JSONDecodeError) as error:
        line = getattr(error, "lineno", 1)
        raise AuthoringError(
            [Problem(path=path, line=line, text=f"cannot be read as JSON: {error}")]
        ) from None
    return data


def _sentence(item: object) -> str:
    """An assertion is a sentence, or an object with a description."""
    if isinstance(item, Mapping):
        item = item.get("description") or item.get("text") or item.get("name")
    return item if isinstance(item, str) else ""


def _list(item: Mapping[str, object], key: str) -> list[object]:
    value = item.get(key)
    return value if isinstance(value, list) else []


def import_evals(path: Path) -> Imported:
    """``evals.json`` of a skill. Its sentences become soft criteria: they are for a judge, not for a shell."""
    data = _json(path)
    items = data.get("evals") if isinstance(data, dict) else None
    if not isinstance(data, dict) or not isinstance(items, list):
        raise AuthoringError([Problem(path=path, line=1, text="must be an object with a list 'evals'")])
    notes, cases = Notes(), list[ImportedCase]()
    for key in data.keys() - {"skill_name", "evals"}:
        notes.left_out(path, f"the key {key!r} is not known")
    root = path.parent.parent if path.parent.name == "evals" else path.parent
    for place, item in enumerate(items):
        made = _eval(item, f"evals[{place}]", path, root, [c.name for c in cases], notes)
        if made is not None:
            cases.append(made)
    return Imported(cases=tuple(cases), left_out=tuple(notes.found))


def _eval(
    item: object, where: str, path: Path, root: Path, taken: list[str], notes: Notes
) -> ImportedCase | None:
    if not isinstance(item, dict) or not isinstance(item.get("prompt"), str) or not item["prompt"].strip():
        notes.left_out(path, f"{where} has no prompt")
        return None
    for key in item.keys() - _EVAL:
        notes.left_out(path, f"{where}.{key} is not known")
    sentences = [_sentence(i) for key in ("expectations", "assertions") for i in _list(item, key)]
    if not all(sentences):
        notes.left_out(path, f"{where} holds an expectation that is no sentence")
    outcome = item.get("expected_output")
    criteria = [s for s in sentences if s] + (
        [outcome] if isinstance(outcome, str) and outcome.strip() else []
    )
    if not criteria:
        notes.left_out(path, f"{where} says in no words what is good; write a soft criterion")
        criteria = ["The task is done as it was asked."]
    files: dict[str, Path] = {}
    for name in _list(item, "files"):
        source = (root / str(name)).resolve()
        if not source.is_file() or not source.is_relative_to(root.resolve()):
            notes.left_out(path, f"{where}.files: {name!r} is no file of the skill")
        elif source.name in files:
            notes.left_out(path, f"{where}.files: {name!r} has the name of another file")
        else:
            files[source.name] = source
    title = str(item.get("name") or item.get("eval_name") or f"eval-{item.get('id', where)}")
    return ImportedCase(
        name=folder_name(title, taken),
        source=path,
        description=title,
        prompt=item["prompt"],
        criteria=tuple(criteria),
        files=files,
    )


class IterationRun(Struct, frozen=True, kw_only=True):
    """One configuration's outputs of one eval, ready for the grader."""

    folder: Path
    """Where its ``grading.json`` belongs."""
    eval_id: int
    eval_name: str
    configuration: str
    run: int
    prompt: str
    assertions: tuple[str, ...]
    """The descriptions, byte for byte."""
    output: Output


def read_output(outputs: Path) -> tuple[Output, tuple[str, ...]]:
    """All text below ``outputs/``, and the paths of what is no text (they are named to no judge)."""
    files: dict[str, str] = {}
    binary: list[str] = []
    for path in sorted(p for p in outputs.rglob("*") if p.is_file() and not p.is_symlink()):
        name = path.relative_to(outputs).as_posix()
        try:
            files[name] = path.read_text(encoding="utf-8")
        except (UnicodeDecodeError, OSError):
            binary.append(name)
    return Output(message="", files=files), tuple(binary)


def _metadata(run: Path, eval_folder: Path, notes: Notes) -> tuple[Mapping[str, object], Path] | None:
    for folder in (run, run.parent, eval_folder):
        path = folder / "eval_metadata.json"
        if path.is_file():
            data = _json(path)
            if isinstance(data, dict):
                return data, path
            notes.left_out(path, "it is not an object")
    notes.left_out(run, "there is no eval_metadata.json, so nothing says what to grade")
    return None


def _number(name: str) -> int:
    found = re.search(r"\d+", name)
    return int(found[0]) if found else 0


def _run(run: Path, eval_folder: Path, configuration: str, notes: Notes) -> IterationRun | None:
    found = _metadata(run, eval_folder, notes)
    if found is None:
        return None
    data, path = found
    for key in data.keys() - _METADATA:
        notes.left_out(path, f"the key {key!r} is not known")
    assertions = tuple(_sentence(i) for i in _list(data, "assertions"))
    if not assertions or not all(assertions):
        notes.left_out(path, "an assertion needs a description, and at least one is due")
        return None
    output, binary = read_output(run / "outputs")
    for name in binary:
        notes.left_out(run / "outputs" / name, "it is no text, so no judge can read it")
    number = data.get("eval_id")
    return IterationRun(
        folder=run,
        eval_id=number if isinstance(number, int) else _number(eval_folder.name),
        eval_name=str(data.get("eval_name") or eval_folder.name),
        configuration=configuration,
        run=_number(run.name) if run.name.startswith("run-") else 1,
        prompt=str(data.get("prompt") or ""),
        assertions=assertions,
        output=output,
    )


def read_iteration(iteration: Path) -> tuple[tuple[IterationRun, ...], tuple[Problem, ...]]:
    """Every run below ``iteration-N/eval-M/CONFIGURATION/`` (or its ``run-K/``), and what could not be read."""
    notes, runs = Notes(), list[IterationRun]()
    evals = sorted(
        (p for p in iteration.glob("eval-*") if p.is_dir()), key=lambda p: (_number(p.name), p.name)
    )
    if not evals:
        raise UserError(f"{iteration} holds no eval-* folder; give an iteration-N folder")
    for eval_folder in evals:
        for configuration in sorted(p for p in eval_folder.iterdir() if p.is_dir()):
            many = sorted(configuration.glob("run-*"), key=lambda p: _number(p.name)) or [configuration]
            for run in many:
                if not (run / "outputs").is_dir():
                    notes.left_out(run, "it has no outputs/ folder")
                elif (made := _run(run, eval_folder, configuration.name, notes)) is not None:
                    runs.append(made)
    return tuple(runs), tuple(notes.found)
