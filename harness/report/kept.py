"""What a run folder holds, read for people: whatever is missing or broken in it is said, and ends nothing."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import orjson
from msgspec import Struct, field

from harness.claude.fields import items, mapping, text
from harness.claude.session import HookContext, hook_contexts
from harness.errors import UserError
from harness.model.check import Evidence, Finding, Signal
from harness.model.row import Row
from harness.report.marks import mark
from harness.report.skill_verdicts import Compared, JudgedCase, JudgedSkill, said_of
from harness.report.story import Story, read_events, tell
from harness.results.folder import ROW_FILE
from harness.results.latest import iterate
from harness.results.record import TABLE
from harness.results.row_codec import read_rows

RESCORED = "rescored from "
_DIFF_LIMIT_BYTES = 4 << 20


class Kept(Struct, frozen=True, kw_only=True):
    run_id: str
    folder: Path
    row: Row | None
    invocation: Mapping[str, object] = field(default_factory=dict)
    exit: Mapping[str, object] = field(default_factory=dict)
    gateway: Mapping[str, object] = field(default_factory=dict)
    proposal: Mapping[str, object] = field(default_factory=dict)
    judgement: Mapping[str, object] = field(default_factory=dict)
    gate: tuple[Mapping[str, object], ...] = ()
    """The hard assertions of a skill's case, each with its outcome."""
    trigger: Mapping[str, object] = field(default_factory=dict)
    compared: tuple[tuple[JudgedCase, Compared], ...] = ()
    """What a blind judge said of this run beside another."""
    signals: tuple[Signal, ...] = ()
    findings: tuple[Finding, ...] = ()
    contexts: tuple[HookContext, ...] = ()
    story: Story = field(default_factory=Story)
    diff: str = ""
    stderr: str = ""
    faults: tuple[str, ...] = ()
    """Sentences on what could not be read."""

    @property
    def world(self) -> str:
        """The world's path as the run saw it."""
        return text(self.invocation.get("world"))

    @property
    def prompt(self) -> str:
        return text(self.invocation.get("prompt"))


def origin_of(row: Row) -> str:
    """The run that a row is about: a rescored row tells of the run that it was made from."""
    return row.warnings.removeprefix(RESCORED) if row.warnings.startswith(RESCORED) else row.run_id


def is_safe_name(run_id: str) -> bool:
    return (
        bool(run_id)
        and run_id not in (".", "..")
        and "/" not in run_id
        and "\\" not in run_id
        and "\0" not in run_id
    )


def find_run(results: Path, asked: str) -> Path:
    """The run folder whose id is ``asked``, begins with it, or ends with it. Raises UserError where that is not one."""
    runs = results / "runs"
    if not runs.is_dir():
        raise UserError(f"there are no runs in {results}; run `harness eval` first or give --results DIR")
    if is_safe_name(asked) and (runs / asked).is_dir():
        return runs / asked
    names = sorted(p.name for p in runs.iterdir() if p.is_dir())
    found = [n for n in names if asked and (n.startswith(asked) or n.endswith(asked))]
    if len(found) == 1:
        return runs / found[0]
    if not found:
        raise UserError(f"there is no run {asked!r} in {runs}; `harness ls` lists them")
    raise UserError(
        f"{asked!r} names {len(found)} runs, {found[0]} and {found[1]} among them; give more of the id"
    )


def read_kept(results: Path, run_id: str, skills: tuple[JudgedSkill, ...] = ()) -> Kept:
    """The folder ``results/runs/<run_id>``; a rescored run is shown with the stream of its original."""
    folder = results / "runs" / run_id
    row = _row(results, folder, run_id)
    source = results / "runs" / origin_of(row) if row is not None and is_safe_name(origin_of(row)) else folder
    faults: list[str] = []
    judgement = _object(folder / "checks.json", faults)
    signals, findings = _signals(judgement), _findings(judgement)
    return Kept(
        run_id=run_id,
        folder=source,
        row=row,
        invocation=_object(source / "invocation.json", faults),
        exit=_object(source / "exit.json", faults),
        gateway=_object(source / "gateway.json", faults),
        proposal=_object(source / "proposal.json", faults, needed=False),
        judgement=judgement,
        gate=tuple(map(mapping, items(_object(source / "gate.json", faults, needed=False).get("results")))),
        trigger=_object(source / "trigger.json", faults, needed=False),
        compared=tuple(said_of(skills, source.name)),
        signals=signals,
        findings=findings,
        contexts=_contexts(source / "session.jsonl", faults),
        story=_story(source / "stream.jsonl", signals, findings, faults),
        diff=_text(source / "world.diff", faults),
        stderr=_text(source / "stderr.log", faults),
        faults=tuple(faults),
    )


def findings_at(folder: Path) -> tuple[Finding, ...]:
    """What the checkers found in a run, without the rest of its folder; empty where that is not kept."""
    return _findings(_object(folder / "checks.json", []))


def _row(results: Path, folder: Path, run_id: str) -> Row | None:
    try:
        found = read_rows(folder / ROW_FILE).rows
        return found[0] if found else next((r for r in iterate(results / TABLE) if r.run_id == run_id), None)
    except UserError:
        return None


def _object(path: Path, faults: list[str], *, needed: bool = True) -> Mapping[str, object]:
    try:
        return mapping(orjson.loads(path.read_bytes()))
    except FileNotFoundError:
        if needed:
            faults.append(f"{path.name} is not there")
    except (OSError, orjson.JSONDecodeError) as error:
        faults.append(f"{path.name} cannot be read: {error}")
    return {}


def _text(path: Path, faults: list[str]) -> str:
    try:
        with path.open("rb") as file:
            return file.read(_DIFF_LIMIT_BYTES).decode(errors="replace")
    except FileNotFoundError:
        faults.append(f"{path.name} is not there")
    except OSError as error:
        faults.append(f"{path.name} cannot be read: {error.strerror}")
    return ""


def _contexts(path: Path, faults: list[str]) -> tuple[HookContext, ...]:
    try:
        return hook_contexts(path)
    except OSError:
        faults.append(f"{path.name} is not there: what the hooks put before the model is not known")
        return ()


def _story(path: Path, signals: Sequence[Signal], findings: Sequence[Finding], faults: list[str]) -> Story:
    try:
        return mark(tell(read_events(path)), signals, findings)
    except OSError as error:
        faults.append(f"{path.name} cannot be read: {error.strerror}")
        return Story()


def _signals(judgement: Mapping[str, object]) -> tuple[Signal, ...]:
    made = []
    for item in items(judgement.get("signals")):
        try:
            made.append(Signal(**mapping(item)))  # type: ignore[arg-type]
        except TypeError:
            continue
    return tuple(made)


def _findings(judgement: Mapping[str, object]) -> tuple[Finding, ...]:
    made = []
    for item in items(judgement.get("findings")):
        found = mapping(item)
        value = found.get("value")
        made.append(
            Finding(
                name=text(found.get("name")),
                value=value if isinstance(value, bool) else None,
                reason=text(found.get("reason")),
                evidence=tuple(
                    Evidence(where=text(mapping(e).get("where")), text=text(mapping(e).get("text")))
                    for e in items(found.get("evidence"))
                ),
            )
        )
    return tuple(made)
