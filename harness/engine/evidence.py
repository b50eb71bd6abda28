"""What a run left behind: freed of secrets first, then read, then written down beside its raw bytes."""

import os
import shutil
from collections.abc import Iterable

import orjson
from msgspec import Struct, structs
from msgspec.structs import replace

from harness.checks.record import Record
from harness.claude.launch import Launch, is_scripted
from harness.claude.session import hook_contexts, session_path
from harness.claude.transcript import read_transcript
from harness.engine.hidden import hidden_programs
from harness.engine.recheck import read_stderr
from harness.engine.setting import Setting
from harness.engine.started import Started
from harness.engine.strangers import strangers
from harness.gateway.lane import Lane
from harness.model.change import Change
from harness.model.run import ProcessExit, Run
from harness.model.transcript import Transcript
from harness.redact import Redactor
from harness.world.changes import to_json, unified


class Evidence(Struct, frozen=True, kw_only=True):
    record: Record
    redacted: int
    """How many secrets were taken out of what claude itself wrote."""


def gather(
    state: Started,
    setting: Setting,
    ended: ProcessExit,
    lane: Lane,
    owed: bool,
    launch: Launch,
    meddled: tuple[str, ...],
) -> Evidence:
    """Load what the process left, after every secret was taken out of it.

    ``owed``: the API had to answer when a limit fired; ``meddled``: results of before that are not as they were.
    """
    folder, place = state.folder.path, state.box.place
    session = folder / "session.jsonl"
    kept = session_path(place.config_dir, place.world_seen_as, launch.session_id)
    if kept.is_file():
        shutil.copyfile(kept, session)
    raw = (folder / "stream.jsonl", folder / "stderr.log", session)
    redacted = sum(state.redactor.file(path) for path in raw if path.is_file())
    transcript = read_transcript(folder / "stream.jsonl")
    record = Record(
        transcript=transcript,
        exit=replace(ended, start_error=state.redactor.text(ended.start_error)),
        changes=tuple(_without_secrets(place.changes(), state.redactor)),
        session=hook_contexts(session) if session.is_file() else None,
        first_request=lane.first_request or None,
        gateway_failure=state.redactor.text(lane.failure),
        api_pending=owed,
        world=place.world_seen_as,
        plugin=state.plugin,
        model_asked=None if is_scripted(state.cell.model) else state.cell.model,
        skill=state.prepared.skill,
        tampered=(*meddled, *(path for watch in setting.watches for path in watch.changed())),
        stderr=read_stderr(folder),
        strangers=_strangers(state, transcript, setting),
        hidden=hidden_programs(transcript, place, os.environ.get("PATH", os.defpath)),
    )
    return Evidence(record=record, redacted=redacted)


def _without_secrets(changes: Iterable[Change], redactor: Redactor) -> Iterable[Change]:
    for change in changes:
        yield replace(
            change,
            path=redactor.text(change.path),
            before=None if change.before is None else redactor.text(change.before),
            after=None if change.after is None else redactor.text(change.after),
        )


def _strangers(state: Started, transcript: Transcript, setting: Setting) -> tuple[str, ...] | None:
    if transcript.init is None:
        return None
    plugin = state.plugin.name if state.plugin is not None and state.plugin.present else None
    return strangers(transcript.init, plugin, state.prepared.listed, state.cell, setting)


def write_evidence(state: Started, evidence: Evidence, lane: Lane, run: Run) -> None:
    """All files of the run folder that are made from others, and what only this process knows."""
    folder, record = state.folder, evidence.record
    changes = record.changes or ()
    folder.write("exit.json", orjson.dumps(record.exit, default=structs.asdict, option=orjson.OPT_INDENT_2))
    folder.write("changes.json", to_json(changes))
    folder.write("world.diff", unified(changes))
    folder.write("output.md", record.transcript.final_message)
    gateway = {
        "failure": record.gateway_failure,
        "requests": lane.requests,
        "pending": record.api_pending,
        "first_failure_status": lane.first_failure_status,
        "retry_after_s": lane.retry_after_s,
        "tampered": record.tampered,
        "strangers": record.strangers,
        "hidden": dict(record.hidden),
        "redacted": evidence.redacted,
    }
    folder.write("gateway.json", orjson.dumps(gateway, option=orjson.OPT_INDENT_2))
    folder.write(
        "checks.json", orjson.dumps(run.judgement, default=structs.asdict, option=orjson.OPT_INDENT_2)
    )
