"""What one run said and did: the events of a stream, paired and sorted by what a checker asks for."""

from collections.abc import Iterator, Mapping

from msgspec import Struct

from harness.model.event import (
    ApiRetry,
    HookResponse,
    HookStarted,
    Init,
    RateLimit,
    Result,
    ToolResultBlock,
    Usage,
)

SYNTHETIC = "<synthetic>"
"""The model that the CLI names where it speaks itself."""


class ToolCall(Struct, frozen=True, kw_only=True, gc=False):
    """One tool_use block with its result, whoever made it."""

    id: str
    tool: str
    """The tool's name with old names brought to today's (Task is Agent)."""
    input: Mapping[str, object]
    readable: bool
    index: int
    """The stream line that made the call."""
    parent_tool_use_id: str | None
    """The Agent call whose subagent made it; None in the main conversation."""
    result: ToolResultBlock | None
    denied: bool

    @property
    def failed(self) -> bool:
        return self.result is not None and self.result.is_error


class Said(Struct, frozen=True, kw_only=True, gc=False):
    """Text of one assistant message (or of the user side, e.g. a hook's feedback)."""

    index: int
    role: str
    text: str
    parent_tool_use_id: str | None
    model: str


class StreamFaults(Struct, frozen=True, kw_only=True):
    """What was wrong with the bytes; nothing here ends a run by itself but ``truncated``."""

    noise_lines: int = 0
    unknown_events: int = 0
    odd_shapes: int = 0
    oversize_lines: int = 0
    invalid_utf8_lines: int = 0
    truncated: bool = False
    """The last line had no newline and is not JSON: the writer was cut."""


class Transcript(Struct, frozen=True, kw_only=True):
    init: Init | None
    hooks_started: tuple[HookStarted, ...]
    hooks: tuple[HookResponse, ...]
    calls: tuple[ToolCall, ...]
    said: tuple[Said, ...]
    results: tuple[Result, ...]
    retries: tuple[ApiRetry, ...]
    rate_limits: tuple[RateLimit, ...]
    models: tuple[str, ...]
    """Models that answered in the main conversation, in order of appearance, ``<synthetic>`` left out."""
    synthetic: bool
    """A message of the CLI itself (model ``<synthetic>`` or marked as an API error) stands in the stream."""
    synthetic_error: str
    """The structured ``error`` field of that message (rate_limit, authentication_failed, …), or ''."""
    first_action_index: int | None
    """The stream line of the first assistant message of a model."""
    compactions: int
    assistant_messages: int
    events: int
    faults: StreamFaults
    usage: Usage
    """The whole account: modelUsage of the last result, else the message usages, one per message id."""
    waits_for_model: bool = False
    """At its end nothing runs and the last word is the tools' or the user's: the API owes an answer."""
    span_s: float | None = None
    """Seconds between the first and the last timestamp in the stream; None where it has none."""

    @property
    def result(self) -> Result | None:
        """The result that counts: the last one with turns of its own, else the last."""
        with_turns = [r for r in self.results if r.num_turns > 0]
        every = with_turns or list(self.results)
        return every[-1] if every else None

    @property
    def final_message(self) -> str:
        """The answer: the counting result's text, else the last main-conversation text of a model."""
        result = self.result
        if result is not None and result.text and not result.is_error:
            return result.text
        answers = (said.text for said in self._spoken() if said.model != SYNTHETIC)
        return next((text for text in answers if text.strip()), "")

    def _spoken(self) -> Iterator[Said]:
        """What was said on the assistant's side of the main conversation, the last first."""
        return (s for s in reversed(self.said) if s.role == "assistant" and s.parent_tool_use_id is None)

    @property
    def ends_synthetic(self) -> bool:
        """The CLI itself, not a model, had the last word of the main conversation."""
        last = next(self._spoken(), None)
        return last is not None and last.model == SYNTHETIC

    @property
    def final_from_messages(self) -> bool:
        """The result carried no answer of its own, so that ``final_message`` is what was said before it."""
        result = self.result
        return bool(self.final_message) and (result is None or not result.text or result.is_error)

    @property
    def turns(self) -> int:
        """Turns of the main conversation: every result counts its own."""
        return sum(r.num_turns for r in self.results)
