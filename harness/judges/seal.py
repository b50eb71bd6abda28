"""Which arm each output came from, kept shut until every verdict is in."""

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

from harness.judges.comparator import Comparison, NoComparison
from harness.model.case import ArmName

Pairing = Literal["win", "loss", "tie", "invalid"]


class SealBrokenError(Exception):
    """The arms were asked for before all verdicts were in."""


class Sealed(Struct, frozen=True, kw_only=True):
    """Pair id -> (arm of the first output, arm of the second). Nothing of it is printed."""

    _arms: Mapping[str, tuple[ArmName, ArmName]]

    def __repr__(self) -> str:
        return f"Sealed({len(self._arms)} pairs)"

    def open(self, verdicts: Mapping[str, Comparison | NoComparison], *, of: ArmName) -> dict[str, Pairing]:
        """What each pair means for the arm ``of``. Raises SealBrokenError while any verdict is missing."""
        waiting = sorted(self._arms.keys() - verdicts.keys())
        if waiting:
            raise SealBrokenError(f"{len(waiting)} verdicts are not in yet, such as {waiting[0]}")
        return {pair: _meaning(verdicts[pair], arms.index(of)) for pair, arms in self._arms.items()}

    def guesses(
        self, verdicts: Mapping[str, Comparison | NoComparison], *, newer: ArmName
    ) -> tuple[int, int]:
        """Blindness audit: how many guesses were right, of how many made. Half of them is blind."""
        self.open(verdicts, of=newer)
        right = made = 0
        for pair, arms in self._arms.items():
            verdict = verdicts[pair]
            if not isinstance(verdict, Comparison) or verdict.guess not in ("A", "B"):
                continue
            guessed = int((verdict.guess == "B") != verdict.swapped)
            made += 1
            right += arms[guessed] == newer
        return right, made


def seal(arms: Mapping[str, tuple[ArmName, ArmName]]) -> Sealed:
    return Sealed(_arms=dict(arms))


def _meaning(verdict: Comparison | NoComparison, place: int) -> Pairing:
    if isinstance(verdict, NoComparison):
        return "invalid"
    if verdict.winner is None:
        return "tie"
    return "win" if verdict.winner == place else "loss"
