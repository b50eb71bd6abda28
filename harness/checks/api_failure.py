"""Knows whether it was the API that failed, and of what kind its failure is."""

from typing import Literal

from harness.model.event import ApiRetry, Result
from harness.model.transcript import Transcript

ApiKind = Literal["", "auth", "credit", "rate_limit", "overload", "refused", "stalled", "other"]
"""``refused``: no answer came at all, or it broke off; ``stalled``: one was owed when a limit fired."""

_KIND_BY_ERROR: dict[str, ApiKind] = {
    "authentication_failed": "auth",
    "authentication_error": "auth",
    "permission_error": "auth",
    "oauth_org_not_allowed": "auth",
    "account_on_hold": "auth",
    "verification_required": "auth",
    "billing_error": "credit",
    "rate_limit": "rate_limit",
    "rate_limit_error": "rate_limit",
    "overloaded": "overload",
    "overloaded_error": "overload",
    "connection_failed": "refused",
}
_KIND_BY_STATUS: dict[int, ApiKind] = {
    401: "auth",
    402: "credit",
    403: "auth",
    429: "rate_limit",
    529: "overload",
}


def api_failed(transcript: Transcript, result: Result) -> bool:
    """Whether this result tells of the API, not of the agent."""
    if result.terminal_reason in ("api_error", "model_error"):
        return True
    if not result.is_error:
        return transcript.ends_synthetic and bool(transcript.synthetic_error)
    rejected = bool(transcript.rate_limits) and transcript.rate_limits[-1].status == "rejected"
    named = result.api_error_status is not None or bool(result.api_error_type)
    return named or rejected or (transcript.synthetic and transcript.ends_synthetic)


def turned_away(transcript: Transcript) -> bool:
    """Whether the CLI was waiting to ask again: nothing was answered since it was last turned away."""
    if not transcript.retries or not transcript.waits_for_model:
        return False
    answers = [said.index for said in transcript.said] + [call.index for call in transcript.calls]
    return transcript.retries[-1].index > max(answers, default=-1)


def retry_text(retry: ApiRetry) -> str:
    status = f"status {retry.error_status}" if retry.error_status is not None else "no status"
    return ", ".join(part for part in (status, retry.error) if part)


def kind_of_retry(retry: ApiRetry) -> ApiKind:
    if retry.error in _KIND_BY_ERROR:
        return _KIND_BY_ERROR[retry.error]
    if retry.error_status is None:
        return "refused"
    return _KIND_BY_STATUS.get(retry.error_status, "other")


def api_kind(transcript: Transcript, result: Result) -> ApiKind:
    if transcript.rate_limits and transcript.rate_limits[-1].status == "rejected":
        return "rate_limit"
    for error in (transcript.synthetic_error, result.api_error_type):
        if error in _KIND_BY_ERROR:
            return _KIND_BY_ERROR[error]
    if result.api_error_status is not None:
        return _KIND_BY_STATUS.get(result.api_error_status, "other")
    unanswered = transcript.retries and transcript.retries[-1].error_status is None
    return "refused" if unanswered else "other"
