"""Knows how a run ended, from structured fields and the harness's own actions, never from words in text."""

from msgspec import Struct

from harness.checks.api_failure import ApiKind, api_failed, api_kind, kind_of_retry, retry_text, turned_away
from harness.model.event import Result
from harness.model.outcome import Status
from harness.model.run import ProcessExit
from harness.model.transcript import Transcript

LONG_WAIT_S = 30.0
"""Silence of the API that a run cannot be blamed for, whatever it did before."""
_LIMIT_BY_ENDING = {
    "error_max_turns": "max_turns",
    "max_turns": "max_turns",
    "error_max_budget_usd": "max_cost_usd",
    "budget_exhausted": "max_cost_usd",
    "error_max_structured_output_retries": "structured_output",
    "structured_output_retry_exhausted": "structured_output",
}


class Classification(Struct, frozen=True, kw_only=True):
    """How the run ended, and by what."""

    status: Status
    reason: str
    api_kind: ApiKind = ""
    resets_at: float | None = None
    """Seconds since the epoch at which the API said that its limit ends."""
    retry_after_s: float | None = None
    limit: str = ""
    """The limit that really fired: max_turns, max_cost_usd, timeout, idle, startup, output, …"""


def classify(
    transcript: Transcript,
    exit: ProcessExit,
    gateway_failure: str = "",
    api_pending: bool | None = None,
) -> Classification:
    """Say how a run ended.

    ``gateway_failure``: why the model server could not play its part (a playbook that ran out), or ''.
    ``api_pending``: whether a request stood at the gateway without one byte of answer when the run ended;
    None where no gateway saw it, and the stream must tell.
    """
    if exit.start_error or exit.exit_code is None:
        return _of(Status.SETUP_ERROR, f"claude did not start: {exit.start_error or 'no exit code'}")
    if exit.limit == "interrupt":
        return _of(Status.INTERRUPTED, "interrupted by the user of harness", limit="interrupt")
    if gateway_failure:
        return _of(Status.SETUP_ERROR, gateway_failure)
    result = transcript.result
    if exit.limit in ("timeout", "idle", "startup", "output") and not _finished(result):
        return _by_limit(transcript, exit, api_pending)
    if transcript.faults.truncated and not (result is not None and exit.limit == "grace"):
        return _of(Status.CRASHED, f"the stream was cut in the middle of an event ({_exit_text(exit)})")
    if result is None:
        return _without_result(transcript, exit)
    return _by_result(transcript, result)


def _of(
    status: Status,
    reason: str,
    *,
    limit: str = "",
    api_kind: ApiKind = "",
    transcript: Transcript | None = None,
) -> Classification:
    if transcript is None:
        return Classification(status=status, reason=reason, limit=limit, api_kind=api_kind)
    resets = [limit.resets_at for limit in transcript.rate_limits if limit.status == "rejected"]
    return Classification(
        status=status,
        reason=reason,
        limit=limit,
        api_kind=api_kind,
        resets_at=resets[-1] if resets else None,
        retry_after_s=transcript.retries[-1].delay_ms / 1000 if transcript.retries else None,
    )


def _finished(result: Result | None) -> bool:
    """Whether the agent was done by itself, so that a limit that fired afterwards took nothing from it."""
    if result is None or result.terminal_reason.startswith("aborted_"):
        return False
    # Older versions gave an interrupted run no terminal reason.
    return result.subtype != "error_during_execution" or bool(result.terminal_reason)


def _by_limit(transcript: Transcript, exit: ProcessExit, api_pending: bool | None) -> Classification:
    if transcript.init is None:
        return _of(Status.SETUP_ERROR, _no_start(transcript, exit), limit=exit.limit)
    if exit.limit == "output":
        return _of(Status.LIMIT_REACHED, "wrote more output than allowed", limit="output")
    if turned_away(transcript):
        last = transcript.retries[-1]
        return _of(
            Status.API_ERROR,
            f"the API turned requests away ({retry_text(last)}) until the {exit.limit} limit ended the run"
            f" after {exit.wall_s:.0f} s",
            limit=exit.limit,
            api_kind=kind_of_retry(last),
            transcript=transcript,
        )
    stalled = _stalled(transcript, exit) if api_pending is None else api_pending
    if stalled:
        return _of(
            Status.API_ERROR,
            f"the API owed an answer when the {exit.limit} limit ended the run after {exit.wall_s:.0f} s",
            limit=exit.limit,
            api_kind="stalled",
            transcript=transcript,
        )
    return _of(
        Status.TIMED_OUT, f"the {exit.limit} limit ended the run after {exit.wall_s:.0f} s", limit=exit.limit
    )


def _stalled(transcript: Transcript, exit: ProcessExit) -> bool:
    """Whether the run waited for the API, and not just for the moment in which its time was up.

    An agent that works until the wall limit is mostly cut between two answers: that is its own time.
    """
    if not transcript.waits_for_model:
        return False
    if exit.limit != "timeout" or transcript.span_s is None:
        return True
    return exit.wall_s - transcript.span_s >= min(LONG_WAIT_S, exit.wall_s / 2)


def _no_start(transcript: Transcript, exit: ProcessExit) -> str:
    ended = {hook.hook_id: hook for hook in transcript.hooks}
    told = []
    for hook in transcript.hooks_started:
        if hook.hook_id not in ended:
            told.append(f"hook {hook.hook_name} had not answered")
        elif ended[hook.hook_id].outcome not in ("", "success"):
            # The INT that ends claude ends its hook first, which then looks like one that failed.
            told.append(f"hook {hook.hook_name} was still running or had failed")
    waiting = f": {', '.join(told)}" if told else ""
    return f"no init event when the {exit.limit} limit ended the start after {exit.wall_s:.0f} s{waiting}"


def _exit_text(exit: ProcessExit) -> str:
    return f"exit code {exit.exit_code}"


def _without_result(transcript: Transcript, exit: ProcessExit) -> Classification:
    code = exit.exit_code or 0
    began = transcript.init is not None or transcript.assistant_messages > 0
    if not began and 0 < code < 128:
        return _of(Status.SETUP_ERROR, f"claude ended before it began, no init event ({_exit_text(exit)})")
    if transcript.faults.oversize_lines:
        return _of(Status.CRASHED, f"no result event, but a line over the size limit ({_exit_text(exit)})")
    return _of(Status.CRASHED, f"no result event ({_exit_text(exit)})")


def _by_result(transcript: Transcript, result: Result) -> Classification:
    limit = _LIMIT_BY_ENDING.get(result.subtype) or _LIMIT_BY_ENDING.get(result.terminal_reason)
    if limit:
        return _of(Status.LIMIT_REACHED, f"{limit} reached after {result.num_turns} turns", limit=limit)
    if api_failed(transcript, result):
        return _of_api(transcript, result)
    if result.terminal_reason.startswith("aborted_"):
        return _of(Status.INTERRUPTED, f"ended from outside ({_ending(result)})")
    if result.terminal_reason == "turn_setup_failed":
        return _of(Status.SETUP_ERROR, f"the turn could not be set up ({_ending(result)})")
    if result.is_error:
        return _of(Status.CRASHED, f"the result is an error ({_ending(result)})")
    return _of(Status.COMPLETED, "")


def _ending(result: Result) -> str:
    parts = (result.subtype, result.terminal_reason, *result.errors[:1])
    return ", ".join(part for part in parts if part)


def _of_api(transcript: Transcript, result: Result) -> Classification:
    kind = api_kind(transcript, result)
    status = result.api_error_status
    named = transcript.synthetic_error or result.api_error_type
    details = [f"status {status}" if status is not None else "no status", named]
    reason = f"the API failed ({kind}: {', '.join(filter(None, details))})"
    if transcript.retries:
        reason += f" after {len(transcript.retries)} retries"
    return _of(Status.API_ERROR, reason, api_kind=kind, transcript=transcript)
