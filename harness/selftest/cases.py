"""Each way in which a run can come to nothing, with the reason that its row must give."""

from collections.abc import Mapping

from msgspec import Struct, field

from harness.model.outcome import Status

Turn = Mapping[str, object]

RIGHT: Turn = {
    "tools": [{"Bash": {"command": "cat docs/adr/0001-money.md && echo 'D = Decimal' >> src/price.py"}}]
}
"""What a right run does: whoever looks only at the tools and files takes every case below for a pass."""
DONE: Turn = {"text": "Done as ADR-0001 says."}
TOLD = "decisions live in docs/adr: look there"
LONG_HOOK = 12_000
"""Characters; the CLI hands on 10,000."""


class Case(Struct, frozen=True, kw_only=True):
    """One thing that goes wrong around an agent that does everything right."""

    name: str
    status: Status
    reason: str
    """A pattern that the row's reason must match."""
    turns: tuple[Turn, ...] = (RIGHT, DONE)
    limits: Mapping[str, float] = field(default_factory=dict)
    hook: str = f"echo '{TOLD}'"
    """The command of the plugin's SessionStart hook."""
    manifest: Mapping[str, object] = field(default_factory=dict)
    """What stands in the plugin's manifest besides its name."""
    refused: bool = False
    """Nobody listens where the gateway should be."""


def _api_error(status: int, kind: str, message: str, reason: str) -> Case:
    error = {"error": {"status": status, "type": kind, "message": message}}
    return Case(name=f"api-{status}", status=Status.API_ERROR, reason=reason, turns=(RIGHT, error))


CONTROL = Case(name="control", status=Status.COMPLETED, reason="")
"""Nothing goes wrong in it: without its pass, the others prove nothing."""

CASES = (
    Case(name="api-refuses", status=Status.API_ERROR, reason=r"\(refused", refused=True),
    Case(
        name="api-resets",
        status=Status.API_ERROR,
        reason=r"\(refused",
        turns=(RIGHT, {"fault": "reset"}),
    ),
    Case(
        name="api-hangs",
        status=Status.API_ERROR,
        reason="the API owed an answer when the idle limit ended the run",
        turns=(RIGHT, {"fault": "hang"}),
        limits={"idle_s": 3},
    ),
    _api_error(400, "invalid_request_error", "the request is not valid", r"\(other: status 400"),
    _api_error(401, "authentication_error", "invalid x-api-key", r"\(auth: status 401"),
    _api_error(403, "permission_error", "not allowed to use this model", r"\(auth: status 403"),
    _api_error(404, "not_found_error", "there is no such model", r"\(other: status 404"),
    _api_error(429, "rate_limit_error", "too many requests", r"\(rate_limit: status 429"),
    _api_error(500, "api_error", "internal server error", r"\(other: status 500"),
    _api_error(529, "overloaded_error", "overloaded", r"\(overload: status 529"),
    Case(
        name="stream-cut",
        status=Status.API_ERROR,
        reason="the API failed",
        turns=(RIGHT, {**DONE, "fault": "cut"}),
    ),
    Case(
        name="stream-malformed",
        status=Status.API_ERROR,
        reason="the API failed",
        turns=(RIGHT, {**DONE, "fault": "malformed"}),
    ),
    Case(
        name="credit-runs-out",
        status=Status.API_ERROR,
        reason=r"\(credit: status 400",
        turns=(
            RIGHT,
            {
                "error": {
                    "status": 400,
                    "type": "invalid_request_error",
                    "message": "Your credit balance is too low to access the Anthropic API. "
                    "Please go to Plans & Billing to upgrade or purchase credits.",
                }
            },
        ),
    ),
    Case(
        name="cost-cap",
        status=Status.LIMIT_REACHED,
        reason="max_cost_usd reached .* a cap of ours cut the run",
        limits={"max_cost_usd": 0.001},
    ),
    Case(
        name="child-killed",
        status=Status.CRASHED,
        reason="no result event",
        turns=(RIGHT, {"tools": [{"Bash": {"command": "kill -KILL $PPID"}}]}, DONE),
    ),
    Case(
        name="hook-hangs",
        status=Status.SETUP_ERROR,
        reason="no init event when the startup limit .* hook SessionStart:startup",
        hook=f"echo '{TOLD}'; sleep 600",
        limits={"startup_s": 4},
    ),
    Case(
        name="hook-fails",
        status=Status.SETUP_ERROR,
        reason=r"hook SessionStart:startup failed \(exit code 3\)",
        hook=f"echo '{TOLD}'; exit 3",
    ),
    Case(
        name="hook-too-long",
        status=Status.SETUP_ERROR,
        reason=f"hook output of {LONG_HOOK} characters is over 10000",
        hook=f"printf '%{LONG_HOOK - len(TOLD)}s{TOLD}' x | tr ' ' .",
    ),
    Case(
        name="hook-dropped",
        status=Status.SETUP_ERROR,
        reason="hook SessionStart:startup failed .*hookEventName",
        hook=f'echo \'{{"hookSpecificOutput": {{"additionalContext": "{TOLD}"}}}}\'',
    ),
    Case(
        name="plugin-broken",
        status=Status.SETUP_ERROR,
        reason="plugin",
        manifest={"version": 7},
    ),
)
