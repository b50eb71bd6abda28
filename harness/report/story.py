"""A run as it is told: its stream in order, turn by turn, with what the checkers found where it stands."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Literal

import orjson
from msgspec import Struct, field
from msgspec.structs import replace

from harness.claude.framing import LineFramer
from harness.claude.parse import parse_line
from harness.claude.transcript import build_transcript
from harness.model.event import (
    ApiRetry,
    AssistantMessage,
    Compaction,
    Event,
    HookResponse,
    Init,
    Noise,
    Oversize,
    PermissionDenied,
    RateLimit,
    Result,
    Unknown,
)
from harness.model.transcript import SYNTHETIC, Said, ToolCall, Transcript
from harness.report.inert import one_line

StepKind = Literal["start", "hook", "said", "told", "call", "note", "result"]
_CHUNK = 128 * 1024
_MAIN_INPUT = ("command", "file_path", "skill", "pattern", "path", "description", "url", "query")


class Mark(Struct, frozen=True, kw_only=True):
    """What a checker says of a step; ``good`` None: neither for nor against."""

    label: str
    reason: str
    good: bool | None = None
    words: str = ""
    """The words in the step's text that it rests on."""


class Step(Struct, frozen=True, kw_only=True):
    index: int
    """The line of stream.jsonl, from 0."""
    kind: StepKind
    title: str
    turn: int = 0
    """Of the main conversation, from 1; 0 before the first."""
    body: str = ""
    answer: str | None = None
    """A call's result; None: none came, or the step has none."""
    subagent: bool = False
    denied: bool = False
    failed: bool = False
    marks: tuple[Mark, ...] = ()


class Story(Struct, frozen=True, kw_only=True):
    steps: tuple[Step, ...] = ()
    transcript: Transcript = field(default_factory=lambda: build_transcript(()))


def read_events(path: Path) -> Iterator[Event]:
    framer = LineFramer()
    with path.open("rb") as stream:
        while chunk := stream.read(_CHUNK):
            for line in framer.feed(chunk):
                yield from parse_line(line)
    for line in framer.close():
        yield from parse_line(line)


def tell(events: Iterable[Event]) -> Story:
    """The steps in the order of the stream, not marked."""
    events = list(events)
    transcript = build_transcript(events)
    turns = _turns(events)
    steps = [step for event in events if (step := _of_event(event)) is not None]
    steps += [_call(call) for call in transcript.calls]
    steps += [_said(said) for said in transcript.said]
    steps.sort(key=lambda step: step.index)
    placed = _in_turns(steps, turns)
    return Story(steps=tuple(placed), transcript=transcript)


def _turns(events: Iterable[Event]) -> dict[int, int]:
    """Stream line of each message of the main conversation to its turn."""
    number, last = 0, ""
    found: dict[int, int] = {}
    for event in events:
        if not isinstance(event, AssistantMessage) or event.parent_tool_use_id is not None:
            continue
        if event.message_id != last or not event.message_id:
            number, last = number + 1, event.message_id
        found[event.index] = number
    return found


def _in_turns(steps: Iterable[Step], turns: Mapping[int, int]) -> list[Step]:
    turn = 0
    made = []
    for step in steps:
        turn = turns.get(step.index, turn)
        made.append(replace(step, turn=turn))
    return made


def _of_event(event: Event) -> Step | None:
    match event:
        case Init():
            return _start(event)
        case HookResponse():
            failed = event.exit_code not in (None, 0)
            title = f"hook {event.hook_name}" + (f", exit code {event.exit_code}" if failed else "")
            said = "\n".join(part for part in (_hook_words(event.stdout), event.stderr) if part)
            return Step(index=event.index, kind="hook", title=title, body=said, failed=failed)
        case ApiRetry():
            title = f"the API failed ({event.error_status or ''} {event.error}), try {event.attempt} of {event.max_retries}"
            return Step(index=event.index, kind="note", title=title, failed=True)
        case RateLimit() if event.status not in ("", "allowed"):
            return Step(
                index=event.index, kind="note", title=f"rate limit: {event.status} ({event.limit_type})"
            )
        case PermissionDenied():
            return Step(index=event.index, kind="note", title=f"permission denied: {event.tool}", denied=True)
        case Compaction():
            return Step(index=event.index, kind="note", title=f"context compacted ({event.trigger})")
        case Result():
            return _result(event)
        case Noise():
            return Step(
                index=event.index,
                kind="note",
                title=f"not as claude writes it: {event.why}",
                body=event.preview,
            )
        case Oversize():
            return Step(
                index=event.index, kind="note", title=f"a line of {event.size} bytes, only in stream.jsonl"
            )
        case Unknown():
            return Step(index=event.index, kind="note", title=f"an event of the unknown kind {event.type}")
        case _:
            return None


def _start(event: Init) -> Step:
    lines = [
        f"model: {event.model}",
        f"permission mode: {event.permission_mode}",
        f"claude: {event.cli_version}",
        f"tools: {', '.join(event.tools)}",
        f"skills: {', '.join(event.skills)}",
        f"plugins: {', '.join(f'{p.name} ({p.source or p.path})' for p in event.plugins)}",
        *(f"plugin error: {text}" for text in event.plugin_errors),
    ]
    return Step(
        index=event.index, kind="start", title=f"session starts in {event.cwd}", body="\n".join(lines)
    )


def _hook_words(stdout: str) -> str:
    """The context that a hook gives, out of its JSON; any other output as it is."""
    match _loads(stdout):
        case {"hookSpecificOutput": {"additionalContext": str(text)}}:
            return text
        case _:
            return stdout


def _loads(text: str) -> object:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return None


def _result(event: Result) -> Step:
    told = event.terminal_reason or event.subtype
    status = f", API status {event.api_error_status}" if event.api_error_status else ""
    title = f"result: {told}{status}, {event.num_turns} turns, ${event.cost_usd:.4f}"
    body = "\n".join(event.errors) if event.errors else (event.text if event.is_error else "")
    return Step(index=event.index, kind="result", title=title, body=body, failed=event.is_error)


def _said(said: Said) -> Step:
    by_model = said.role == "assistant"
    speaker = (
        {True: "assistant", False: "user side"}[by_model] if said.model != SYNTHETIC else "claude itself"
    )
    return Step(
        index=said.index,
        kind="said" if by_model else "told",
        title=speaker,
        body=said.text,
        subagent=said.parent_tool_use_id is not None,
    )


def _call(call: ToolCall) -> Step:
    return Step(
        index=call.index,
        kind="call",
        title=call.tool,
        body=input_text(call.input),
        answer=call.result.text if call.result is not None else None,
        subagent=call.parent_tool_use_id is not None,
        denied=call.denied,
        failed=call.failed,
    )


def input_text(given: Mapping[str, object]) -> str:
    """The input of a call as a person reads it: what it is mainly about first, the rest by name."""
    main = next((name for name in _MAIN_INPUT if isinstance(given.get(name), str)), None)
    lines = [str(given[main])] if main is not None else []
    for name, value in given.items():
        if name != main:
            text = (
                value if isinstance(value, str) else orjson.dumps(value, default=str).decode(errors="replace")
            )
            lines.append(f"{name}: {text}")
    return "\n".join(lines)


def about(step: Step, world: str = "", most: int = 160) -> str:
    """What a step is about in a few words: of a call its main input, with paths as they are from the world on."""
    body = step.body.partition("\n")[0] if step.kind == "call" else step.body
    return one_line(body.replace(f"{world}/", "") if world else body, most)


def headline(step: Step, world: str = "", most: int = 160) -> str:
    """A step in one line."""
    words = about(step, world, most)
    return f"{step.title}: {words}" if words else step.title
