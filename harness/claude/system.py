"""Knows the system events and the result event of the stream, today's and older ones."""

from harness.claude.blocks import model_usage_of, usage_of
from harness.claude.fields import (
    integer,
    items,
    mapping,
    maybe_integer,
    number,
    text,
    texts,
)
from harness.model.event import (
    ApiRetry,
    Compaction,
    Event,
    HookResponse,
    HookStarted,
    Init,
    McpServer,
    OtherSystem,
    PermissionDenied,
    Plugin,
    Result,
)

Json = dict[str, object]


def parse_system(index: int, data: Json) -> Event:
    subtype = text(data.get("subtype"))
    match subtype:
        case "init":
            return _init(index, data)
        case "hook_started":
            name, event = _hook_names(data)
            return HookStarted(
                index=index, hook_id=text(data.get("hook_id")), hook_name=name, hook_event=event
            )
        case "hook_response":
            return _hook_response(index, data)
        case "api_retry":
            return _api_retry(index, data)
        case "permission_denied":
            return PermissionDenied(
                index=index, tool_use_id=text(data.get("tool_use_id")), tool=text(data.get("tool_name"))
            )
        case "compact_boundary":
            trigger = mapping(data.get("compact_metadata")).get("trigger")
            return Compaction(index=index, trigger=text(trigger))
        case _:
            return OtherSystem(index=index, subtype=subtype, detail=data)


def _init(index: int, data: Json) -> Init:
    return Init(
        index=index,
        session_id=text(data.get("session_id")),
        cwd=text(data.get("cwd")),
        model=text(data.get("model")),
        tools=texts(data.get("tools")),
        skills=texts(data.get("skills")),
        slash_commands=texts(data.get("slash_commands")),
        plugins=tuple(_plugin(item) for item in items(data.get("plugins"))),
        plugin_errors=_plugin_errors(data.get("plugin_errors")),
        mcp_servers=tuple(
            McpServer(name=text(server.get("name")), status=text(server.get("status")))
            for server in map(mapping, items(data.get("mcp_servers")))
        ),
        permission_mode=text(data.get("permissionMode")),
        cli_version=text(data.get("claude_code_version")),
        api_key_source=text(data.get("apiKeySource")),
    )


def _plugin(item: object) -> Plugin:
    if isinstance(item, str):
        return Plugin(name=item)
    entry = mapping(item)
    return Plugin(
        name=text(entry.get("name")), path=text(entry.get("path")), source=text(entry.get("source"))
    )


def _plugin_errors(value: object) -> tuple[str, ...]:
    """Every entry counts, also one of a shape not known here: an error must not vanish."""
    found = []
    for item in items(value):
        entry = mapping(item)
        named = [text(entry.get(key)) for key in ("plugin", "name", "type", "message", "error")]
        found.append(item if isinstance(item, str) else ": ".join(filter(None, named)) or str(item))
    return tuple(found)


def _hook_names(data: Json) -> tuple[str, str]:
    name = text(data.get("hook_name"))
    return name, text(data.get("hook_event")) or name.partition(":")[0]


def _hook_response(index: int, data: Json) -> HookResponse:
    name, event = _hook_names(data)
    return HookResponse(
        index=index,
        hook_id=text(data.get("hook_id")),
        hook_name=name,
        hook_event=event,
        stdout=text(data.get("stdout")) or ("" if "stdout" in data else text(data.get("output"))),
        stderr=text(data.get("stderr")),
        exit_code=maybe_integer(data.get("exit_code")),
        outcome=text(data.get("outcome")),
    )


def _api_retry(index: int, data: Json) -> ApiRetry:
    return ApiRetry(
        index=index,
        attempt=integer(data.get("attempt")),
        max_retries=integer(data.get("max_retries")),
        delay_ms=number(data.get("retry_delay_ms")),
        error_status=maybe_integer(data.get("error_status")),
        error=text(data.get("error")),
    )


def parse_result(index: int, data: Json) -> Result:
    cost = data["total_cost_usd"] if "total_cost_usd" in data else data.get("cost_usd")
    return Result(
        index=index,
        subtype=text(data.get("subtype")),
        is_error=_is_error(data),
        terminal_reason=text(data.get("terminal_reason")),
        api_error_status=maybe_integer(data.get("api_error_status")),
        num_turns=integer(data.get("num_turns")),
        text=text(data.get("result")),
        cost_usd=number(cost),
        duration_ms=number(data.get("duration_ms")),
        usage=usage_of(data.get("usage")),
        model_usage=model_usage_of(data.get("modelUsage")),
        denied_tool_use_ids=tuple(
            text(mapping(item).get("tool_use_id")) for item in items(data.get("permission_denials"))
        ),
        errors=texts(data.get("errors")),
        structured_output=data.get("structured_output"),
        api_error_type=text(data.get("api_error_type")) or text(data.get("api_error")),
    )


def _is_error(data: Json) -> bool:
    """Without the flag the subtype tells; a result that says nothing of itself is not taken for a success."""
    flag = data.get("is_error")
    if isinstance(flag, bool):
        return flag
    return data.get("subtype") != "success"
