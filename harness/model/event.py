"""One line of ``claude -p --output-format stream-json`` as a closed union of frozen events.

``index`` is the 0-based number of the line in ``stream.jsonl`` that the event came from, so that
``sed -n "$((index + 1))p" stream.jsonl`` shows it. Several events of one line (a JSON array) share it.

Messages and their blocks are nearly all of a stream, so they are msgspec structs: made in a tenth of the time.
"""

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct, field


class TextBlock(Struct, frozen=True, kw_only=True, gc=False):
    text: str


class ToolUseBlock(Struct, frozen=True, kw_only=True, gc=False):
    id: str
    name: str
    input: Mapping[str, object]
    readable: bool = True
    """False where the CLI sent something that is not an object; ``input`` is then empty."""


class ToolResultBlock(Struct, frozen=True, kw_only=True, gc=False):
    tool_use_id: str
    text: str
    is_error: bool


class OtherBlock(Struct, frozen=True, kw_only=True, gc=False):
    type: str


Block = TextBlock | ToolUseBlock | ToolResultBlock | OtherBlock


class Usage(Struct, frozen=True, kw_only=True):
    """Token counts of one account; ``cost_usd`` is the CLI's own estimate."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    cost_usd: float = 0.0


class Plugin(Struct, frozen=True, kw_only=True):
    name: str
    path: str = ""
    source: str = ""


class McpServer(Struct, frozen=True, kw_only=True):
    name: str
    status: str


class Init(Struct, frozen=True, kw_only=True):
    index: int
    session_id: str
    cwd: str
    model: str
    tools: tuple[str, ...]
    skills: tuple[str, ...]
    slash_commands: tuple[str, ...]
    plugins: tuple[Plugin, ...]
    plugin_errors: tuple[str, ...]
    mcp_servers: tuple[McpServer, ...]
    permission_mode: str
    cli_version: str
    api_key_source: str


class HookStarted(Struct, frozen=True, kw_only=True):
    index: int
    hook_id: str
    hook_name: str
    hook_event: str


class HookResponse(Struct, frozen=True, kw_only=True):
    index: int
    hook_id: str
    hook_name: str
    hook_event: str
    stdout: str
    stderr: str
    exit_code: int | None
    outcome: str


class AssistantMessage(Struct, frozen=True, kw_only=True, gc=False):
    index: int
    message_id: str
    model: str
    blocks: tuple[Block, ...]
    parent_tool_use_id: str | None
    error: str
    usage: Usage
    timestamp: str = ""


class UserMessage(Struct, frozen=True, kw_only=True, gc=False):
    index: int
    blocks: tuple[Block, ...]
    parent_tool_use_id: str | None
    denied: frozenset[str]
    """Ids of the tool calls that the permission system refused."""
    timestamp: str = ""


class ApiRetry(Struct, frozen=True, kw_only=True):
    index: int
    attempt: int
    max_retries: int
    delay_ms: float
    error_status: int | None
    error: str


class RateLimit(Struct, frozen=True, kw_only=True):
    index: int
    status: str
    resets_at: float | None
    """Seconds since the epoch."""
    limit_type: str


class PermissionDenied(Struct, frozen=True, kw_only=True):
    index: int
    tool_use_id: str
    tool: str


class Compaction(Struct, frozen=True, kw_only=True):
    index: int
    trigger: str


class Result(Struct, frozen=True, kw_only=True):
    index: int
    subtype: str
    is_error: bool
    terminal_reason: str
    api_error_status: int | None
    num_turns: int
    text: str
    cost_usd: float
    duration_ms: float
    usage: Usage
    model_usage: Mapping[str, Usage]
    denied_tool_use_ids: tuple[str, ...]
    errors: tuple[str, ...]
    structured_output: object = None
    api_error_type: str = ""
    """What the API itself called its refusal (overloaded_error, …), or ``connection_failed``."""


class OtherSystem(Struct, frozen=True, kw_only=True):
    """A system event of a kind that nothing here decides on (task_started, status, …)."""

    index: int
    subtype: str
    detail: Mapping[str, object] = field(default_factory=dict)


class Unknown(Struct, frozen=True, kw_only=True):
    """Valid JSON of a kind this version does not know; kept, counted, never decided on."""

    index: int
    type: str


class Noise(Struct, frozen=True, kw_only=True):
    """Something in a line that is not as the CLI writes it; the rest of the line still counts."""

    index: int
    why: str
    preview: str
    fault: Literal["noise", "odd", "utf8"] = "noise"
    """No JSON object or array at all, a part with a shape not expected, or bytes that were replaced."""


class Oversize(Struct, frozen=True, kw_only=True):
    """A line over the size limit: still in ``stream.jsonl``, not loaded."""

    index: int
    offset: int
    size: int


Event = (
    Init
    | HookStarted
    | HookResponse
    | AssistantMessage
    | UserMessage
    | ApiRetry
    | RateLimit
    | PermissionDenied
    | Compaction
    | Result
    | OtherSystem
    | Unknown
    | Noise
    | Oversize
)
