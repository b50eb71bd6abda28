"""What a cell of a skill needs beyond others: its skill and Seed put in place, and its own way of being scored."""

from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import orjson
from msgspec.structs import replace

from harness.checks.record import ExpectedSkill, Record
from harness.claude.launch import cell_session_id
from harness.engine.box import Box
from harness.engine.recheck import first_body
from harness.engine.setting import Setting
from harness.engine.started import Prepared
from harness.model.cell import Cell
from harness.model.check import Finding, Judgement
from harness.model.scenario import CaseExpectation, TriggerExpectation
from harness.results.folder import RunFolder
from harness.skills.arms import install_personal
from harness.skills.gate import gate_json, read_gate, run_gate
from harness.skills.request import asked_wrongly
from harness.skills.scoring import gate_finding, score_run, trigger_finding
from harness.skills.session import plant_session
from harness.skills.trigger import how_triggered
from harness.world.confine import Wrap, open_confinement

GATE, TRIGGER = "gate.json", "trigger.json"
GATE_TIMEOUT_S = 30.0


def prepare(cell: Cell, box: Box, setting: Setting) -> Prepared:
    """Put the skill into the config folder and the Seed into a session file."""
    place, expect = box.place, cell.scenario.expect
    listed = install_personal(cell.arm.skill, place.config_dir)
    resume: tuple[str, ...] = ()
    if isinstance(expect, CaseExpectation):
        resume = plant_session(
            expect.case.seed,
            config_dir=place.config_dir,
            cwd=place.world_seen_as,
            session_id=cell_session_id(cell),
            version=setting.claude.version,
        )
    return Prepared(
        skill=_expected(cell),
        listed=listed,
        resume=resume[1] if resume else None,
        add_dirs=_readable(cell, place.config_dir / "skills", place.seen_as(place.config_dir / "skills")),
    )


def _readable(cell: Cell, folder: Path, seen_as: str) -> tuple[str, ...]:
    """Without bypassPermissions the model may not read a skill's further files, which lie outside of the world."""
    if cell.suite.permission_mode == "bypassPermissions":
        return ()
    folder.mkdir(exist_ok=True)
    return (seen_as,)


def score(cell: Cell, record: Record, box: Box, folder: RunFolder) -> Judgement:
    """The judgement of one arm by itself. The gate of every arm is kept; which arms' count is decided later."""
    expect = cell.scenario.expect
    if isinstance(expect, TriggerExpectation):
        return _score_trigger(cell, expect, record, folder)
    assert isinstance(expect, CaseExpectation), "a scenario of a skill is a case or a query"
    case = expect.case

    def gate() -> Finding:
        output = folder.write("output.md", record.transcript.final_message)
        with _confined(box) as wrap:
            made = run_gate(case.assertions, box.place.settle(), output, wrap=wrap, timeout_s=GATE_TIMEOUT_S)
        folder.write(GATE, gate_json(made))
        return gate_finding(made)

    asked = _asked(asked_wrongly(first_body(folder.path), case.seed, case.prompt))
    return score_run(record, cell.suite, gate, asked=asked, cut_fails=True)


def score_kept(cell: Cell, record: Record, folder: Path) -> Judgement:
    """As ``score``, of a run that is over: what its gate came to is taken as it was, for its world is gone."""
    expect = cell.scenario.expect
    record = replace(record, skill=_expected(cell))
    if isinstance(expect, TriggerExpectation):
        how = how_triggered(record.transcript, [cell.suite.plugin.name], cell.scenario.prompt)
        fired = trigger_finding(how, expect.should_trigger)
        return score_run(record, cell.suite, lambda: fired, asked=None, cut_fails=False)
    assert isinstance(expect, CaseExpectation), "a scenario of a skill is a case or a query"

    def gate() -> Finding:
        try:
            return gate_finding(read_gate(folder / GATE))
        except (OSError, ValueError) as error:
            return Finding(name="gate", value=None, reason=f"what its gate came to was not kept: {error}")

    asked = _asked(asked_wrongly(first_body(folder), expect.case.seed, expect.case.prompt))
    return score_run(record, cell.suite, gate, asked=asked, cut_fails=True)


def _expected(cell: Cell) -> ExpectedSkill:
    return ExpectedSkill(name=cell.suite.plugin.name, present=cell.arm.skill is not None)


def _asked(wrong: str) -> Finding:
    return Finding(name="asked", value=not wrong, reason=wrong)


def _confined(box: Box) -> AbstractContextManager[Wrap | None]:
    return open_confinement() if box.place.kind == "jail" else nullcontext()


def _score_trigger(cell: Cell, expect: TriggerExpectation, record: Record, folder: RunFolder) -> Judgement:
    def fired() -> Finding:
        how = how_triggered(record.transcript, [cell.suite.plugin.name], cell.scenario.prompt)
        told = {"query": cell.scenario.prompt, "should_trigger": expect.should_trigger, "how": how}
        folder.write(TRIGGER, orjson.dumps(told, option=orjson.OPT_INDENT_2))
        return trigger_finding(how, expect.should_trigger)

    return score_run(record, cell.suite, fired, asked=None, cut_fails=False)
