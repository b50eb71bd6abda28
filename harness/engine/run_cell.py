"""One cell, from a fresh world to a judged run with its folder complete on disk."""

import secrets
from collections.abc import Callable
from contextlib import ExitStack, nullcontext
from datetime import UTC, datetime

import orjson
from msgspec import structs
from msgspec.structs import replace

from harness import __version__
from harness.checks.record import ExpectedPlugin, Record
from harness.checks.status import LONG_WAIT_S, classify
from harness.checks.verdict import Propose, judge
from harness.claude.launch import Launch, build_launch, is_scripted, plugin_skills, read_plugin_name
from harness.claude.process import Command, supervise
from harness.engine.box import Box, open_box
from harness.engine.evidence import gather, write_evidence
from harness.engine.invocation import NAME, Invocation
from harness.engine.models import api_env, responder_for, wire_name
from harness.engine.proposal import proposer
from harness.engine.setting import Setting
from harness.engine.started import FIRST_TIME, Prepared, Staging, Started
from harness.gateway.exchange import Responder
from harness.gateway.lane import Lane
from harness.model.cell import Cell
from harness.model.check import Judgement
from harness.model.run import LimitFired, ProcessExit, Run
from harness.model.scenario import CaseExpectation, Limits, Playbook
from harness.redact import Redactor
from harness.results.folder import RunFolder
from harness.results.watch import TableWatch
from harness.world.small_tree import is_known_small

WIRE = "wire.jsonl.zst"
LONG_RUN_S = 0.5
"""After a shorter one (no claude is as quick) earlier runs are not looked at: that would take as long as it did.
They are when the evaluation is over."""


def playbook_of(cell: Cell) -> Playbook | None:
    if not is_scripted(cell.model):
        return None
    return cell.scenario.playbooks[cell.model.partition(":")[2]]


def limits_of(cell: Cell, playbook: Playbook | None) -> Limits:
    limits = cell.scenario.limits
    if playbook is not None and playbook.max_turns is not None:
        return replace(limits, max_turns=playbook.max_turns)
    return limits


def expected_plugin(cell: Cell, seen_root: str | None) -> ExpectedPlugin | None:
    if cell.scenario.of_skill:
        return None
    folder = cell.arm.plugin or cell.suite.plugin
    name = read_plugin_name(folder)
    present = cell.arm.plugin is not None
    return ExpectedPlugin(
        name=name, skills=plugin_skills(folder, name), present=present, root=seen_root if present else None
    )


def run_cell(
    cell: Cell, setting: Setting, *, attempt: int = 1, cell_digest: str = "", staging: Staging = FIRST_TIME
) -> Run:
    """Run the cell and judge it. The row is the caller's to append, after this returns."""
    started = datetime.now(UTC)
    with ExitStack() as stack, setting.desk:
        token = secrets.token_urlsafe(24)
        redactor = Redactor((token, *setting.secrets))
        folder = replace(RunFolder.create(setting.results, started, cell.key, attempt), redactor=redactor)
        # A large world is copied by another program, which nobody need wait for at the desk.
        with nullcontext() if is_known_small(cell.scenario.fixture) else setting.desk.away():
            box = stack.enter_context(open_box(cell, setting, token))
        state = Started(
            cell=cell,
            attempt=attempt,
            cell_digest=cell_digest,
            folder=folder,
            box=box,
            token=token,
            started=started,
            playbook=playbook_of(cell),
            plugin=expected_plugin(cell, box.plugin_seen_as),
            prepared=_prepare(cell, box, setting),
            staging=staging,
            redactor=redactor,
            source=wire_name(cell, setting),
        )
        return _run(state, setting)


def _prepare(cell: Cell, box: Box, setting: Setting) -> Prepared:
    if not cell.scenario.of_skill:
        return Prepared()
    from harness.engine.skill_cell import prepare  # brings in all that is of skills

    return prepare(cell, box, setting)


def _case_of(cell: Cell) -> str:
    """The cell's ``case.md``; '' where it has none."""
    expect = cell.scenario.expect
    return str(expect.case.path) if isinstance(expect, CaseExpectation) else ""


def _launch(state: Started, setting: Setting, limits: Limits) -> Launch:
    return build_launch(
        state.cell,
        claude=state.box.claude_seen_as,
        plugin_dir=state.box.plugin_seen_as,
        limits=limits,
        deny=state.playbook.deny if state.playbook is not None else (),
        sandbox_env=state.box.place.env,
        api_env=api_env(state.cell, state.token, state.box.gateway_url, setting),
        resume=state.prepared.resume,
        add_dirs=state.prepared.add_dirs,
    )


def _run(state: Started, setting: Setting) -> Run:
    limits = limits_of(state.cell, state.playbook)
    launch = _launch(state, setting, limits)
    _write_invocation(state, setting, launch, limits)
    lane = setting.gateway.open(
        state.token,
        _responder(state, setting),
        wire=state.folder.path / WIRE if setting.record else None,
        secrets=setting.secrets,
    )
    # A jail does not show the results at all.
    recorded = TableWatch.near(setting.results) if state.box.place.kind == "tempdir" else None
    owed: list[bool] = []
    try:
        with setting.desk.away():
            ended = _supervise(
                state, setting, launch, limits, lambda limit: owed.append(_owes(lane, limit, limits))
            )
    finally:
        setting.gateway.close(state.token)
    meddled = recorded.changed() if recorded is not None else ()
    if recorded is not None and ended.wall_s >= LONG_RUN_S:
        meddled += setting.sealed.changed()
    evidence = gather(state, setting, ended, lane, any(owed), launch, meddled)
    record = evidence.record
    judgement = _judge(state, setting, record)
    judgement = replace(judgement, reason=state.redactor.text(judgement.reason))
    ending = classify(
        record.transcript, ended, gateway_failure=record.gateway_failure, api_pending=record.api_pending
    )
    run = Run(
        run_id=state.folder.run_id,
        cell=state.cell,
        folder=state.folder.path,
        started_at=state.started.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        exit=ended,
        transcript=record.transcript,
        judgement=judgement,
        cli_version=setting.claude.version,
        sandbox=state.box.told,
        wire=state.wire,
        attempt=state.attempt,
        cell_digest=state.cell_digest,
        tampered=record.tampered,
        api_kind=ending.api_kind,
        resets_at=ending.resets_at,
        retry_after_s=ending.retry_after_s if lane.retry_after_s is None else lane.retry_after_s,
        warnings=tuple(map(state.redactor.text, (*setting.warnings, *judgement.warnings))),
    )
    write_evidence(state, evidence, lane, run)
    state.staging.at_end(state.box, launch.env)
    return run


def _judge(state: Started, setting: Setting, record: Record) -> Judgement:
    cell = state.cell
    if cell.scenario.of_skill:
        from harness.engine.skill_cell import score

        with setting.desk.away():  # the commands of its assertions can take their time
            return score(cell, record, state.box, state.folder)
    return judge(record, cell.suite, cell.scenario, _propose(state, setting))


def _responder(state: Started, setting: Setting) -> Responder:
    if state.staging.responder is not None:
        return state.staging.responder(state.box, state.folder)
    return responder_for(state.cell, state.playbook, state.box, setting, state.prepared.listed)


def _propose(state: Started, setting: Setting) -> Propose | None:
    asked = proposer(state.cell, state.playbook, state.folder, setting)
    return asked if asked is None else state.staging.propose or asked


def _owes(lane: Lane, limit: LimitFired, limits: Limits) -> bool:
    """Whether the API, not the agent, used up the time; a short wait at the very end is the agent's own."""
    return lane.owes(limits.idle_s / 2 if limit == "idle" else min(LONG_WAIT_S, limits.timeout_s / 2))


def _supervise(
    state: Started,
    setting: Setting,
    launch: Launch,
    limits: Limits,
    on_limit: Callable[[LimitFired], None],
) -> ProcessExit:
    stdin = None
    if launch.prompt_on_stdin:
        stdin = state.box.place.root / "prompt"
        stdin.write_text(state.cell.scenario.prompt, encoding="utf-8", errors="surrogatepass")
    command = Command(
        argv=state.box.place.wrap(launch.argv),
        env=launch.env,
        cwd=state.box.place.cwd,
        stdin=stdin,
        token=state.token,
        owned=state.box.place.root,
        wrapped=state.box.place.kind == "jail",
    )
    folder = state.folder.path
    return supervise(
        command,
        stdout=folder / "stream.jsonl",
        stderr=folder / "stderr.log",
        limits=limits,
        stop=setting.stop,
        on_limit=on_limit,
    )


def _write_invocation(state: Started, setting: Setting, launch: Launch, limits: Limits) -> None:
    cell, box = state.cell, state.box
    plugin = state.plugin
    made = Invocation(
        run_id=state.folder.run_id,
        suite=cell.suite.name,
        scenario=cell.scenario.id,
        kind=cell.scenario.kind,
        arm=cell.arm.name,
        model=cell.model,
        trial=cell.trial,
        attempt=state.attempt,
        started_at=state.started.isoformat(),
        argv=launch.argv,
        env=state.redactor.variables(launch.env),
        prompt=cell.scenario.prompt,
        prompt_on_stdin=launch.prompt_on_stdin,
        session_id=launch.session_id,
        limits=structs.asdict(limits),
        claude_path=str(setting.claude.path),
        claude_version=setting.claude.version,
        claude_source=setting.claude.source,
        sandbox=box.told,
        wire=state.wire,
        world=box.place.world_seen_as,
        fixture=str(cell.scenario.fixture),
        plugin_name=plugin.name if plugin is not None else "",
        plugin_present=plugin is not None and plugin.present,
        plugin_root=plugin.root if plugin is not None else None,
        plugin_skills=plugin.skills if plugin is not None else (),
        case=_case_of(cell),
        skill=state.prepared.listed,
        model_asked=None if is_scripted(cell.model) else cell.model,
        scenario_digest=cell.scenario_digest,
        plugin_digest=cell.arm.plugin_digest,
        cell_digest=state.cell_digest,
        harness_version=__version__,
    )
    state.folder.write(NAME, orjson.dumps(made, default=structs.asdict, option=orjson.OPT_INDENT_2))
