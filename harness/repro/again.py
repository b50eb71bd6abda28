"""A run of the past had again: its answers replayed or the model asked anew, and both runs compared."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp

from msgspec import Struct, field
from msgspec.structs import replace

from harness.checks.verdict import judge
from harness.claude.binary import Claude, find_claude
from harness.engine.box import Box, choose_kind
from harness.engine.models import responder_for
from harness.engine.opening import open_setting
from harness.engine.recheck import record_of
from harness.engine.rows import row_of
from harness.engine.run_cell import playbook_of, run_cell
from harness.engine.setting import Setting
from harness.engine.skill_cell import score_kept
from harness.engine.started import Staging
from harness.errors import UserError
from harness.gateway.canonical import Moved
from harness.gateway.credential import Credential
from harness.gateway.exchange import Responder
from harness.gateway.replay import Replay, Stop
from harness.gateway.wire import Recorded
from harness.model.cell import Cell
from harness.model.check import Judgement
from harness.model.run import Run
from harness.repro.cell import make_cell
from harness.repro.compare import calls_differ, worlds_differ
from harness.repro.heard import Heard
from harness.repro.notes import judged_anew, other_claude, told_elsewhere
from harness.repro.outcome import CannotReplayError, Outcome, Reproduced, Request
from harness.repro.past import Past, open_past
from harness.repro.proposal import as_then
from harness.repro.seen import seen_diff
from harness.repro.upto import Place, place_of
from harness.results.folder import RunFolder
from harness.world.removal import remove_tree
from harness.world.sandbox import clean_base

SEEN_OF_THE_CALLER = ("TZ", "LANG", "LANGUAGE")
"""Variables of whoever starts it that a run sees, with all LC_*: a replay gets those of then."""


class _Stage(Struct, kw_only=True):
    """What is known of one repetition; the fields with defaults are found out while it is on."""

    past: Past
    request: Request
    cell: Cell
    setting: Setting
    exchanges: tuple[Recorded, ...]
    place: Place | None
    notes: tuple[str, ...]
    replay: Replay | None = None
    moved: Moved = field(default_factory=lambda: Moved(()))
    kept: dict[str, str] = field(default_factory=dict)


def reproduce(request: Request, *, root: Path, environ: Mapping[str, str]) -> Reproduced:
    """Have the run again. ``root`` is where the project is looked for, if the results do not hold all.

    Raises UserError where the run is not known, or cannot be started again as it was.
    """
    with _scratch(environ, keep=request.keeps) as scratch:
        past = open_past(request.target, request.results, scratch)
        exchanges = () if request.live and not request.what_if else past.exchanges()
        if not exchanges and not request.live:
            raise CannotReplayError(f"there is no recording of {past.run_id}; --live asks the model again")
        cell, changed = make_cell(past, request, scratch / "restored", root)
        claude = find_claude(request.claude, environ)
        kind, told = _sandbox(past, request, cell)
        notes = (*changed, *other_claude(past, claude), *told)
        place = place_of(request.upto, past, exchanges) if request.upto is not None else None
        with _setting(past, request, cell, claude, kind, scratch, environ) as setting:
            stage = _Stage(
                past=past,
                request=request,
                cell=cell,
                setting=setting,
                exchanges=exchanges,
                place=place,
                notes=notes,
            )
            run = run_cell(cell, setting, attempt=past.invocation.attempt, staging=_staging(stage))
            return _compared(stage, run)


@contextmanager
def _scratch(environ: Mapping[str, str], *, keep: bool) -> Iterator[Path]:
    """A folder above which there is nothing that claude would load, for what is restored and recorded."""
    place = Path(mkdtemp(prefix="harness-repro-", dir=clean_base(environ)))
    done = False
    try:
        yield place
        done = True
    finally:
        if not (keep and done):
            remove_tree(place)


def _sandbox(past: Past, request: Request, cell: Cell) -> tuple[str, tuple[str, ...]]:
    """The kind to use, and what there is to say about it. Raises UserError for a stranger's run outside of a jail."""
    then = past.invocation.sandbox.split(" ")[0]
    wary = past.stranger and not request.trust
    now = choose_kind(request.sandbox or ("auto" if wary or then == "jail" else "tempdir"))
    if wary and now != "jail":
        raise UserError(
            "a bundle runs hooks and commands of whoever made it, and without a jail they could do all that you can;"
            " --trust does it all the same"
        )
    opened = _opened(cell)
    if wary and opened:
        raise UserError(f"the bundle's suite asks for {opened}, which opens the jail; --trust lets it")
    if now == then or request.sandbox is not None:
        return now, ()
    return now, (
        f"it ran in a {then}, this is a {now}: its paths are put in place, owners of files may differ",
    )


def _opened(cell: Cell) -> str:
    """What a suite has let into the jail, in words. A variable can load code into programs outside of it."""
    rule = cell.suite.jail
    asked = [*map(str, rule.read_only), *(["the network"] if rule.network else []), *sorted(cell.suite.env)]
    return ", ".join(asked)


@contextmanager
def _setting(
    past: Past,
    request: Request,
    cell: Cell,
    claude: Claude,
    kind: str,
    scratch: Path,
    environ: Mapping[str, str],
) -> Iterator[Setting]:
    seen = {k: v for k, v in environ.items() if k not in SEEN_OF_THE_CALLER and not k.startswith("LC_")}
    then = past.invocation.env
    seen |= {k: v for k, v in then.items() if k in SEEN_OF_THE_CALLER or k.startswith("LC_")}
    with open_setting(
        (cell,),
        claude=claude,
        sandbox=kind,
        results=scratch / "results",
        root=cell.suite.root,
        environ=environ,
        keep=request.keeps,
        credential=None if request.live else _stand_in(then),
    ) as setting:
        yield replace(setting, environ=seen)


def _stand_in(env: Mapping[str, str]) -> Credential:
    """As claude behaves by the kind of its credential, it gets the same kind; nobody is shown this one."""
    oauth = "CLAUDE_CODE_OAUTH_TOKEN" in env
    return Credential(kind="oauth" if oauth else "api_key", value="not-a-credential", source="a replay")


def _staging(stage: _Stage) -> Staging:
    def at_end(box: Box, env: Mapping[str, str]) -> None:
        if stage.request.keeps:
            stage.kept |= {"world": str(box.place.settle()), "home": str(box.place.home)}
        if stage.request.shell is not None:
            stage.request.shell(box, env)

    if not stage.exchanges:
        return Staging(at_end=at_end)
    return Staging(
        wire="replay",
        responder=lambda box, folder: _replay(stage, box, folder),
        propose=None if stage.request.live else as_then(stage.past),
        at_end=at_end,
    )


def _replay(stage: _Stage, box: Box, folder: RunFolder) -> Responder:
    request, setting = stage.request, stage.setting
    paths = () if request.strict else tuple(_paths(stage.past, box))
    stage.moved = Moved(paths)
    skill = stage.cell.arm.skill.name if stage.cell.arm.skill is not None else ""
    own = playbook_of(stage.cell)
    beyond = responder_for(stage.cell, own, box, setting, skill) if request.live else None
    stop = Stop(before=stage.place.exchange, reached=setting.stop.set) if stage.place is not None else None
    stage.replay = Replay(
        stage.exchanges,
        strict=request.strict,
        paths=paths,
        stop_at_difference=request.what_if,
        beyond=beyond,
        stop=stop,
        heard=Heard(folder.path / "stream.jsonl"),
    )
    return stage.replay


def _paths(past: Past, box: Box) -> Iterator[tuple[str, str]]:
    """Where the run's places were, and where they are now."""
    then, place = past.invocation, box.place
    yield then.world, place.world_seen_as
    for name, now in (("HOME", place.home_seen_as), ("TMPDIR", place.seen_as(place.tmp))):
        if then.env.get(name):
            yield then.env[name], now
    if then.plugin_root and box.plugin_seen_as:
        yield then.plugin_root, box.plugin_seen_as


def _compared(stage: _Stage, run: Run) -> Reproduced:
    past, request, cell, replay = stage.past, stage.request, stage.cell, stage.replay
    then = Outcome.of(_judged(past, cell))
    record = record_of(run.folder)
    departure = replay.departure if replay is not None else None
    whole = replay is not None and not (
        stage.place or replay.went_beyond or (record.gateway_failure and departure)
    )
    if request.keeps:
        stage.kept["record"] = str(run.folder)
    return Reproduced(
        run_id=past.run_id,
        how="live" if replay is None else "replay, then live" if replay.went_beyond else "replay",
        then=then,
        now=Outcome.of(run.judgement),
        row=row_of(run),
        requests=len(stage.exchanges),
        notes=(*stage.notes, *told_elsewhere(replay), *judged_anew(past, then)),
        difference=departure.difference if departure is not None else None,
        seen=seen_diff(departure.old, departure.new) if departure is not None else "",
        calls=calls_differ(past.record.transcript.calls, run.transcript.calls, stage.moved) if whole else "",
        world=worlds_differ(past.record.changes or (), record.changes or (), stage.moved) if whole else (),
        not_asked=tuple(e.n for e in replay.unused()) if replay is not None and whole else (),
        failure="" if record.gateway_failure == past.record.gateway_failure else record.gateway_failure,
        went_live=replay.went_beyond if replay is not None else "",
        stopped_before=stage.place.call if stage.place is not None and stage.setting.stop.is_set() else "",
        kept=stage.kept,
    )


def _judged(past: Past, cell: Cell) -> Judgement:
    if cell.scenario.of_skill:
        return score_kept(cell, past.record, past.folder)
    return judge(past.record, cell.suite, cell.scenario, as_then(past))
