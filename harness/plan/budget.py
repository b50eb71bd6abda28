"""How much may still be started: money is set aside before a run begins, so that what was spent and what may be is never over the total.

A run is held to its cap by the CLI, which looks only after a turn; so a run can cost more than its cap. No ledger undoes that. This one
records it, starts nothing that the rest does not cover, and sets the largest excess seen aside on top of every later cap.
"""

import math
import threading

from msgspec import Struct, field

from harness.errors import UserError

_MICRO = 1_000_000  # sums of whole millionths of a dollar do not drift


class Standing(Struct, frozen=True, kw_only=True):
    """The ledger at one moment, in dollars and runs."""

    spent_usd: float
    reserved_usd: float
    runs_done: int
    runs_reserved: int
    overshoots: int
    """Runs that cost more than was set aside for them."""
    overshoot_usd: float
    """By how much, in sum: the only amount by which spent and reserved can be over the total."""


class Reservation(Struct, eq=False):
    """Money and one run set aside; settled or cancelled exactly once."""

    _ledger: "Ledger"
    _cap: int
    _micros: int
    """The cap and what is set aside on top of it."""
    _open: bool = True

    def settle(self, actual_usd: float | None) -> None:
        """The run is over and cost this much. None, or no number: not known, so all that was set aside counts as spent."""
        self._ledger._close(self, actual_usd, ran=True)

    def cancel(self) -> None:
        """The run was never started."""
        self._ledger._close(self, 0.0, ran=False)


class Ledger(Struct):
    """Thread-safe. A total of None is no limit; ``spent_usd`` and ``runs_done`` carry over from rows already there."""

    total_usd: float | None = None
    total_runs: int | None = None
    spent_usd: float = 0.0
    runs_done: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _total: float = math.inf
    _spent: int = 0
    _reserved: int = 0
    _runs_reserved: int = 0
    _overshoots: int = 0
    _overshoot: int = 0
    _worst: int = 0

    def __post_init__(self) -> None:
        for name, value in (("dollars", self.total_usd), ("runs", self.total_runs)):
            if value is not None and not 0 <= value < math.inf:
                raise UserError(f"a budget of {value} {name} is not possible; give a number from 0 up")
        self._total = math.inf if self.total_usd is None else _down(self.total_usd)
        self._spent = _up(self.spent_usd)

    def reserve(self, cap_usd: float | None) -> Reservation | None:
        """Set one run aside that may cost ``cap_usd``; None where it does not fit now. Raises UserError: a run without a cap."""
        micros = self._needed(cap_usd)
        with self._lock:
            need = micros + self._worst
            if self._spent + self._reserved + need > self._total or not self._run_fits(self._runs_reserved):
                return None
            self._reserved += need
            self._runs_reserved += 1
            return Reservation(self, micros, need)

    def can_ever_fit(self, cap_usd: float | None) -> bool:
        """Whether waiting for what is running can help: it may cost less than was set aside for it."""
        micros = self._needed(cap_usd)
        with self._lock:
            return self._spent + micros + self._worst <= self._total and self._run_fits(0)

    def standing(self) -> Standing:
        with self._lock:
            return Standing(
                spent_usd=self._spent / _MICRO,
                reserved_usd=self._reserved / _MICRO,
                runs_done=self.runs_done,
                runs_reserved=self._runs_reserved,
                overshoots=self._overshoots,
                overshoot_usd=self._overshoot / _MICRO,
            )

    def _needed(self, cap_usd: float | None) -> int:
        if self.total_usd is None:
            return 0
        if cap_usd is None or not math.isfinite(cap_usd) or cap_usd < 0:
            raise UserError(
                "a budget in dollars needs a max_cost_usd for every run; give limits.max_cost_usd"
            )
        return _up(cap_usd)

    def _run_fits(self, reserved: int) -> bool:
        return self.total_runs is None or self.runs_done + reserved < self.total_runs

    def _close(self, reservation: Reservation, actual_usd: float | None, *, ran: bool) -> None:
        with self._lock:
            if not reservation._open:
                raise ValueError("this reservation was settled before")
            reservation._open = False
            self._reserved -= reservation._micros
            self._runs_reserved -= 1
            self.runs_done += ran
            known = actual_usd is not None and math.isfinite(actual_usd) and actual_usd >= 0
            actual = _up(actual_usd) if known and actual_usd is not None else reservation._micros
            self._spent += actual
            self.spent_usd = self._spent / _MICRO
            over = actual - reservation._micros
            if over > 0 and self.total_usd is not None:
                self._overshoots += 1
                self._overshoot += over
                self._worst = max(self._worst, actual - reservation._cap)


def _up(usd: float) -> int:
    # Twelve digits first: 0.1 + 0.2 is not one millionth over 0.3.
    return math.ceil(round(usd * _MICRO, 6))


def _down(usd: float) -> int:
    return math.floor(round(usd * _MICRO, 6))
