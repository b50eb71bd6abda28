"""Knows how the events of a stream add up to a transcript: calls with results, accounts, who said what."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import assert_never

from harness.claude.framing import Line, LineFramer
from harness.claude.ledger import CallLedger, UsageLedger, span_s
from harness.claude.parse import parse_line
from harness.model.event import (
    ApiRetry,
    AssistantMessage,
    Compaction,
    Event,
    HookResponse,
    HookStarted,
    Init,
    Noise,
    OtherSystem,
    Oversize,
    PermissionDenied,
    RateLimit,
    Result,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
    Unknown,
    UserMessage,
)
from harness.model.transcript import SYNTHETIC, Said, StreamFaults, Transcript

_INTERRUPTION = "[Request interrupted by user"
_INTERRUPTION_OF_TOOL = "[Request interrupted by user for tool use"
_CHUNK = 1024 * 1024


def read_transcript(path: Path) -> Transcript:
    """Read a whole ``stream.jsonl``; raises only what opening and reading the file raises."""
    build = _Build()
    last = Line(-1, 0, b"", 0, True)
    for line in _lines(path):
        for event in parse_line(line):
            build.add(event)
        last = line
    return build.transcript(truncated=is_cut(last))


def is_cut(line: Line) -> bool:
    """Whether a stream that ends in this line was cut: no newline, and the beginning of an event only."""
    if line.terminated:
        return False
    if line.data is None:
        return True
    begins_as_json = line.data.lstrip(b"\xef\xbb\xbf \t").startswith((b"{", b"["))
    return begins_as_json and any(isinstance(e, Noise) and e.fault == "noise" for e in parse_line(line))


def build_transcript(events: Iterable[Event], truncated: bool = False) -> Transcript:
    """Add up the events in the order of the stream."""
    build = _Build()
    for event in events:
        build.add(event)
    return build.transcript(truncated=truncated)


def _lines(path: Path) -> Iterator[Line]:
    framer = LineFramer()
    with path.open("rb", buffering=0) as stream:
        while chunk := stream.read(_CHUNK):
            yield from framer.feed(chunk)
    yield from framer.close()


class _Build:
    """A transcript in the making."""

    def __init__(self) -> None:
        self.inits: list[Init] = []
        self.hooks_started: list[HookStarted] = []
        self.hooks: list[HookResponse] = []
        self.said: list[Said] = []
        self.spoken: set[tuple[str | None, str, str, str]] = set()
        self.results: list[Result] = []
        self.retries: list[ApiRetry] = []
        self.rate_limits: list[RateLimit] = []
        self.models: dict[str, None] = {}
        self.synthetic = False
        self.synthetic_error = ""
        self.first_action: int | None = None
        self.compactions = 0
        self.message_ids: set[str] = set()
        self.events = 0
        self.faults = {"noise": 0, "odd": 0, "utf8": 0, "unknown": 0, "oversize": 0}
        self.calls = CallLedger()
        self.account = UsageLedger()
        self.asks_model = False
        self.times = ("", "")

    def add(self, event: Event) -> None:
        self.events += 1
        match event:
            case UserMessage():
                self._user(event)
            case AssistantMessage():
                self._assistant(event)
            case OtherSystem():
                pass
            case Init():
                self.inits.append(event)
                self.asks_model = True
            case HookStarted():
                self.hooks_started.append(event)
            case HookResponse():
                self.hooks.append(event)
            case ApiRetry():
                self.retries.append(event)
                self.asks_model = True
            case RateLimit():
                self.rate_limits.append(event)
            case PermissionDenied():
                self.calls.deny((event.tool_use_id,))
            case Compaction():
                self.compactions += 1
            case Result():
                self.results.append(event)
                self.calls.deny(event.denied_tool_use_ids)
                # A result that only tells of the interruption answers nothing.
                self.asks_model = self.asks_model and event.terminal_reason.startswith("aborted_")
            case Unknown():
                self.faults["unknown"] += 1
            case Noise():
                self._noise(event)
            case Oversize():
                self.faults["oversize"] += 1
            case _:
                assert_never(event)

    def _noise(self, event: Noise) -> None:
        self.faults[event.fault] += 1
        self.events -= 1

    def _user(self, event: UserMessage) -> None:
        if self._tells_interruption(event):
            return
        self.asks_model = True
        self._at(event.timestamp)
        if event.denied:
            self.calls.deny(event.denied)
        for block in event.blocks:
            if type(block) is ToolResultBlock:
                self.calls.answer(block)
            elif type(block) is TextBlock:
                self._say(event.index, "user", block.text, event.parent_tool_use_id, "")

    def _tells_interruption(self, event: UserMessage) -> bool:
        """The CLI's own note after SIGINT: nobody said it, and it is no question to the model."""
        first = event.blocks[0] if event.blocks else None
        if type(first) is not TextBlock or not first.text.startswith(_INTERRUPTION):
            return False
        if first.text.startswith(_INTERRUPTION_OF_TOOL):
            self.asks_model = False
        return True

    def _assistant(self, event: AssistantMessage) -> None:
        self.asks_model = False
        self._at(event.timestamp)
        if event.model == SYNTHETIC or event.error:
            self.synthetic = True
            self.synthetic_error = event.error or self.synthetic_error
        elif event.parent_tool_use_id is None:
            self._answered(event)
        self.account.add(event)
        for block in event.blocks:
            if type(block) is ToolUseBlock:
                self.calls.call(block, event.index, event.parent_tool_use_id)
            elif type(block) is TextBlock:
                self._say_once(event, block.text)

    def _answered(self, event: AssistantMessage) -> None:
        if self.first_action is None:
            self.first_action = event.index
        self.message_ids.add(event.message_id or f"line {event.index}")
        if event.model:
            self.models[event.model] = None

    def _say_once(self, event: AssistantMessage, text: str) -> None:
        """One message can come as several events, and again as a whole."""
        model = SYNTHETIC if event.error else event.model
        if event.message_id:
            key = (event.parent_tool_use_id, event.message_id, model, text)
            if key in self.spoken:
                return
            self.spoken.add(key)
        self._say(event.index, "assistant", text, event.parent_tool_use_id, model)

    def _say(self, index: int, role: str, text: str, parent: str | None, model: str) -> None:
        self.said.append(Said(index=index, role=role, text=text, parent_tool_use_id=parent, model=model))

    def _at(self, timestamp: str) -> None:
        if timestamp:
            self.times = (self.times[0] or timestamp, timestamp)

    def transcript(self, *, truncated: bool) -> Transcript:
        calls = self.calls.calls()
        return Transcript(
            init=self.inits[0] if self.inits else None,
            hooks_started=tuple(self.hooks_started),
            hooks=tuple(self.hooks),
            calls=calls,
            said=tuple(self.said),
            results=tuple(self.results),
            retries=tuple(self.retries),
            rate_limits=tuple(self.rate_limits),
            models=tuple(self.models),
            synthetic=self.synthetic,
            synthetic_error=self.synthetic_error,
            first_action_index=self.first_action,
            compactions=self.compactions,
            assistant_messages=len(self.message_ids),
            events=self.events,
            faults=self._stream_faults(truncated),
            usage=self.account.total(self.results),
            waits_for_model=self._waits(),
            span_s=span_s(*self.times),
        )

    def _waits(self) -> bool:
        """A subagent that runs no tool itself waits for the model, too."""
        pending = self.calls.pending_tools()
        if not self.inits or pending - {"Agent"}:
            return False
        return bool(pending) or self.asks_model

    def _stream_faults(self, truncated: bool) -> StreamFaults:
        return StreamFaults(
            noise_lines=self.faults["noise"],
            unknown_events=self.faults["unknown"],
            odd_shapes=self.faults["odd"],
            oversize_lines=self.faults["oversize"],
            invalid_utf8_lines=self.faults["utf8"],
            truncated=truncated,
        )
