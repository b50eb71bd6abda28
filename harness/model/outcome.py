"""What the harness saw (status) and what the arm achieved (verdict), kept apart on purpose."""

from enum import StrEnum


class Status(StrEnum):
    """How the run ended, as the harness saw it."""

    COMPLETED = "completed"
    LIMIT_REACHED = "limit_reached"
    TIMED_OUT = "timed_out"
    API_ERROR = "api_error"
    SETUP_ERROR = "setup_error"
    CRASHED = "crashed"
    INTERRUPTED = "interrupted"


class Verdict(StrEnum):
    """What the arm achieved; INVALID means that nobody can tell, and is never part of a rate."""

    PASS = "pass"
    FAIL = "fail"
    INVALID = "invalid"


class ExitCode:
    """Exit codes of every command."""

    PASS = 0
    FAIL = 1
    USAGE = 2
    NOT_EVALUATED = 3
    INTERRUPTED = 130
