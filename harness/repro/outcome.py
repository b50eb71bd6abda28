"""What is asked of a repetition, and what it came to."""

from collections.abc import Callable, Mapping
from pathlib import Path

from msgspec import Struct

from harness.engine.box import Box
from harness.errors import UserError
from harness.gateway.difference import Difference
from harness.model.check import Judgement
from harness.model.row import Row


class CannotReplayError(UserError):
    """The run is known, but not enough of it was kept to have it again."""


class Request(Struct, frozen=True, kw_only=True):
    target: str
    """A run id, or a bundle file."""
    results: Path
    live: bool = False
    strict: bool = False
    keep: bool = False
    upto: int | None = None
    """Stop before this tool call, from 1."""
    plugin: Path | None = None
    """The changed plugin to try."""
    sandbox: str | None = None
    """None: the kind of then."""
    claude: str | None = None
    trust: bool = False
    """Run a bundle as if it were one's own."""
    shell: Callable[[Box, Mapping[str, str]], None] | None = None
    """Called in the sandbox when all is over, with the variables of the run."""

    @property
    def keeps(self) -> bool:
        return self.keep or self.upto is not None

    @property
    def what_if(self) -> bool:
        return self.plugin is not None


class Outcome(Struct, frozen=True, kw_only=True):
    """What decides whether two runs came to the same."""

    verdict: str
    status: str
    axis_a: bool | None
    axis_b: bool | None
    reason: str

    @classmethod
    def of(cls, judged: Judgement) -> "Outcome":
        return cls(
            verdict=judged.verdict.value,
            status=judged.status.value,
            axis_a=judged.axis_a,
            axis_b=judged.axis_b,
            reason=judged.reason,
        )

    def same(self, other: "Outcome") -> bool:
        """The reasons may name paths and numbers of their run, so they do not count."""
        return self._decided == other._decided

    @property
    def _decided(self) -> tuple[object, ...]:
        return (self.verdict, self.status, self.axis_a, self.axis_b)

    def __str__(self) -> str:
        told = {True: "true", False: "false", None: "n/a"}
        return f"{self.verdict} ({self.status}, a={told[self.axis_a]} b={told[self.axis_b]})"


class Reproduced(Struct, frozen=True, kw_only=True):
    run_id: str
    how: str
    """``replay``, ``live``, or ``replay, then live``."""
    then: Outcome
    """The past run, judged as runs are judged today."""
    now: Outcome
    row: Row
    """Of the repetition."""
    requests: int
    """How many the recording holds."""
    notes: tuple[str, ...] = ()
    difference: Difference | None = None
    seen: str = ""
    """What the model would have seen at the difference, as a unified diff."""
    calls: str = ""
    """The first tool call that is another one, or ''."""
    world: tuple[str, ...] = ()
    """Paths that were left different."""
    not_asked: tuple[int, ...] = ()
    """Recorded requests that did not come again."""
    failure: str = ""
    """Why the replay could not go on, or ''."""
    went_live: str = ""
    """Why the model was asked from there on, or ''."""
    stopped_before: str = ""
    """The tool call that was asked to be the first not made, in words, or ''."""
    kept: Mapping[str, str]
    """What was left to look at, by what it is."""

    @property
    def differs(self) -> bool:
        return bool(self.difference or self.calls or self.world or self.not_asked or self.went_live)

    @property
    def stopped_there(self) -> bool:
        """The replay did not go on after the difference, so there is nothing more to compare."""
        return self.difference is not None and self.failure == str(self.difference)

    @property
    def same_verdict(self) -> bool:
        return self.then.same(self.now)

    @property
    def code(self) -> int:
        """0 the same in everything, 1 not, 3 it could not be found out."""
        if self.failure and not self.difference:
            return 3
        same = not self.differs and (self.same_verdict or bool(self.stopped_before))
        return 0 if same else 1
