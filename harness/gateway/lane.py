"""What the gateway knows about one run: its responder, how far it came, and why it could not go on."""

import asyncio
import time

from harness.gateway.difference import Difference
from harness.gateway.exchange import Responder


class Lane:
    """One run's way through the gateway. Written by the gateway's thread only; any thread may read.

    Every field is a single value that is replaced whole, so a reader never sees half of one.
    """

    def __init__(self, token: str, responder: Responder) -> None:
        self.token = token
        self.responder = responder
        self.failure = ""
        """Why the responder could not answer, or ''; the first reason stays."""
        self.difference: Difference | None = None
        """On replay: the first place where a request differs from the recorded one."""
        self.first_request = ""
        """All text of the system prompt and messages of the first main-loop request."""
        self.requests = 0
        """Requests for a message, of the main loop and of subagents, retries included."""
        self.pending = 0
        """Requests for a message that have had no byte of an answer yet."""
        self.streaming = 0
        """Requests for a message whose answer has begun and not ended."""
        self.last_byte_at = time.monotonic()
        """When the gateway last sent something on this lane (``time.monotonic``)."""
        self.asked_at = time.monotonic()
        """When the last request for a message came."""
        self.last_status = 0
        self.first_failure_status = 0
        self.retry_after_s: float | None = None
        """What the last answer that asked to wait asked for."""
        self.broken = ""
        """How the last connection to the model broke without an answer, or ''."""
        self.tasks: set[asyncio.Task[object]] = set()

    def fail(self, reason: str) -> None:
        self.failure = self.failure or reason

    def owes(self, silent_s: float) -> bool:
        """Whether a request waits for its answer, or the rest of it, and nothing passed for so long."""
        waiting = self.pending > 0 or self.streaming > 0
        return waiting and time.monotonic() - max(self.last_byte_at, self.asked_at) >= silent_s

    def saw_status(self, status: int, retry_after: str | None) -> None:
        self.last_status = status
        if status >= 400 and not self.first_failure_status:
            self.first_failure_status = status
        if retry_after is not None:
            try:
                self.retry_after_s = float(retry_after)
            except ValueError:
                self.retry_after_s = None
