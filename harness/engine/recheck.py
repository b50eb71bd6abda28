"""Judging what was recorded before: a stream from anywhere, or a run folder of ours."""

from pathlib import Path

import orjson

from harness.checks.record import ExpectedPlugin, Record
from harness.checks.verdict import judge
from harness.claude.launch import plugin_skills, read_plugin_name
from harness.claude.session import hook_contexts
from harness.claude.transcript import read_transcript
from harness.engine.invocation import read_invocation
from harness.errors import UserError
from harness.gateway.conversation import is_subagent, request_text
from harness.gateway.exchange import Request
from harness.gateway.wire import read_wire
from harness.loaders.suite import load_suites
from harness.model.check import Judgement
from harness.model.run import ProcessExit
from harness.model.scenario import Scenario, Suite
from harness.model.transcript import Transcript
from harness.world.changes import changes_between, from_json

STDERR_READ_BYTES = 1 << 20
UNKNOWN_EXIT = ProcessExit(exit_code=0)
"""Stands in where only a stream was kept: the classification rests on the stream alone."""


def scenario_at(folder: Path) -> tuple[Suite, Scenario]:
    """The scenario whose folder this is, with its suite."""
    folder = folder.absolute()
    if not (folder / "scenario.yaml").is_file() or folder.parent.parent.name != "scenarios":
        raise UserError(f"{folder} is no scenario; give a folder scenarios/SUITE/ID that has a scenario.yaml")
    (suite,) = load_suites(folder.parents[2], [folder.parent.name])
    return suite, next(s for s in suite.scenarios if s.folder == folder)


def check_stream(scenario_dir: Path, *, stream: Path, session: Path | None, world: Path | None) -> Judgement:
    """Judge a recorded stream as a treated run of the scenario. No judge is asked."""
    suite, scenario = scenario_at(scenario_dir)
    for path, what in ((stream, "stream"), (session, "session")):
        if path is not None and not path.is_file():
            raise UserError(f"--{what} {path} is not a file")
    if world is not None and not world.is_dir():
        raise UserError(f"--world {world} is not a folder")
    transcript = read_transcript(stream)
    record = Record(
        transcript=transcript,
        exit=UNKNOWN_EXIT,
        changes=changes_between(scenario.fixture, world) if world is not None else None,
        session=hook_contexts(session) if session is not None else None,
        first_request=None,
        gateway_failure="",
        api_pending=None,
        world=None,
        plugin=_plugin(suite, transcript),
        model_asked=None,
    )
    return judge(record, suite, scenario)


def _plugin(suite: Suite, transcript: Transcript) -> ExpectedPlugin:
    name = read_plugin_name(suite.plugin)
    seen = transcript.init.plugins if transcript.init is not None else ()
    root = next((p.path for p in seen if p.name == name), None)
    return ExpectedPlugin(name=name, skills=plugin_skills(suite.plugin, name), present=True, root=root)


def record_of(folder: Path) -> Record:
    """A run folder as it was when it was judged.

    Raises OSError or ValueError where it is not complete.
    """
    invocation = read_invocation(folder)
    gateway = orjson.loads((folder / "gateway.json").read_bytes())
    session = folder / "session.jsonl"
    plugin = ExpectedPlugin(
        name=invocation.plugin_name,
        skills=invocation.plugin_skills,
        present=invocation.plugin_present,
        root=invocation.plugin_root,
    )
    return Record(
        transcript=read_transcript(folder / "stream.jsonl"),
        exit=_exit(folder),
        changes=from_json((folder / "changes.json").read_bytes()),
        session=hook_contexts(session) if session.is_file() else None,
        first_request=_first_request(folder),
        gateway_failure=str(gateway["failure"]),
        api_pending=gateway["pending"],
        world=invocation.world,
        plugin=plugin if invocation.plugin_name else None,
        model_asked=invocation.model_asked,
        tampered=tuple(gateway["tampered"]),
        stderr=read_stderr(folder),
        strangers=tuple(gateway["strangers"]) if gateway.get("strangers") is not None else None,
        hidden=gateway.get("hidden", {}),
    )


def read_stderr(folder: Path) -> str:
    """The head of what claude said on stderr, of a run folder."""
    try:
        with (folder / "stderr.log").open("rb") as file:
            return file.read(STDERR_READ_BYTES).decode(errors="replace")
    except OSError:
        return ""


def _exit(folder: Path) -> ProcessExit:
    data = orjson.loads((folder / "exit.json").read_bytes())
    data["signals_sent"] = tuple(data["signals_sent"])
    return ProcessExit(**data)


def _first_request(folder: Path) -> str | None:
    """All text of the first request of the main conversation, from the recording."""
    body = first_body(folder)
    return request_text(body) if body is not None else None


def first_body(folder: Path) -> object:
    """The first request of the main conversation; None where none was recorded."""
    path = folder / "wire.jsonl.zst"
    if not path.is_file():
        return None
    for seen in read_wire(path):
        request = Request(
            method=seen.method, path=seen.path, headers=seen.headers, body=orjson.dumps(seen.body)
        )
        if request.asks_for_message and not is_subagent(request):
            return seen.body
    return None
