"""When cells may start again after the API turned one away: limits of rate and load are weather, not results."""

import random
import time
from collections.abc import Callable

from msgspec import Struct, field

WEATHER = frozenset({"rate_limit", "overload"})
HOPELESS = frozenset({"auth", "credit"})
"""Failures that every further cell would meet as well, and no waiting mends."""
_FIRST_WAIT_S = 5.0
_LONGEST_WAIT_S = 600.0
_SPREAD = 0.25


class Weather(Struct):
    """One credential's. Times are seconds since the epoch, as the API names them."""

    max_wait_s: float
    """The longest that it may go without one run getting through."""
    now: Callable[[], float] = time.time
    chance: random.Random = field(default_factory=random.Random)
    until: float = 0.0
    """Nothing is to be started before."""
    _since: float | None = None
    """When the first run of this spell was turned away."""
    _spells: int = 0
    """Waits in a row that were followed by being turned away again."""

    @property
    def wait_s(self) -> float:
        return max(0.0, self.until - self.now())

    def turned_away(self, started: float, *, resets_at: float | None, retry_after_s: float | None) -> bool:
        """Note it and wait accordingly; False: the wait would be longer than allowed.

        ``started``: when the run did. One that was under way before the present wait began says nothing new, but
        for a later time that it names.
        """
        now = self.now()
        if self._since is None:
            self._since = now
        fresh = started >= self.until
        named = resets_at if resets_at is not None and resets_at > now else None
        if named is None and retry_after_s is not None:
            named = now + retry_after_s
        if fresh:
            backoff = min(_LONGEST_WAIT_S, _FIRST_WAIT_S * 2**self._spells)
            # The time that the API names is kept to; backing off is for when it names none, or named one too early.
            wait = (
                named - now if named is not None and not self._spells else max(backoff, (named or now) - now)
            )
            self._spells += 1
            until = now + wait + self.chance.uniform(0.0, _SPREAD * min(wait, _FIRST_WAIT_S))
        else:
            until = max(self.until, named or 0.0)
        if until - self._since > self.max_wait_s:
            return False
        self.until = max(self.until, until)
        return True

    def got_through(self, started: float) -> None:
        """A run that the API answered to its end; one from before the wait does not end the spell."""
        if started >= self.until:
            self._spells = 0
            self._since = None
