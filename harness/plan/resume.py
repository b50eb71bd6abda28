"""Which cells are still to be run, known from what has been written; the rows are the only memory."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from operator import attrgetter
from pathlib import Path
from typing import Generic, NamedTuple, Protocol, TypeVar

from msgspec import Struct, field

from harness.errors import UserError
from harness.model.outcome import Status, Verdict
from harness.results.row_codec import parse_header

MAX_INVALID_TRIES = 2
C = TypeVar("C")


class Seen(Protocol):
    """What resuming needs of a row; a ``Row`` is one."""

    @property
    def cell_digest(self) -> str: ...
    @property
    def pass_(self) -> str: ...
    @property
    def status(self) -> str: ...


class Outcome(NamedTuple):
    """The three cells of a row that resuming needs."""

    cell_digest: str
    pass_: str
    status: str


class Try(NamedTuple, Generic[C]):
    cell: C
    attempt: int
    """1, or one more than the rows that this cell has."""


class Sifted(Struct, Generic[C], frozen=True, kw_only=True):
    todo: list[Try[C]] = field(default_factory=list)
    finished: list[C] = field(default_factory=list)
    exhausted: list[C] = field(default_factory=list)
    """Invalid as often as is allowed: not tried again, and not answered."""


def read_outcomes(path: Path) -> Iterator[Outcome]:
    """The outcomes of a table without building its rows; lines that are no rows are passed over (their cells run again)."""
    try:
        with path.open("rb") as lines:
            header = lines.readline()
            if not header.endswith(b"\n"):
                return
            columns = parse_header(header, path)
            if "cell_digest" not in columns:
                return
            yield from _pick(lines, columns)
    except FileNotFoundError:
        return
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from error


def _pick(lines: Iterable[bytes], columns: tuple[str, ...]) -> Iterator[Outcome]:
    digest, verdict, status = (columns.index(name) for name in ("cell_digest", "pass", "status"))
    # One text object a word, not one a line.
    verdicts = {word.encode(): word.value for word in Verdict}
    statuses = {word.encode(): word.value for word in Status}
    for line in lines:
        cells = line.split(b"\t")
        if len(cells) == len(columns) and line.endswith(b"\n") and cells[verdict] in verdicts:
            name = cells[digest].rstrip(b"\r\n").decode(errors="replace")
            yield Outcome(name, verdicts[cells[verdict]], statuses.get(cells[status], ""))


def remaining(
    cells: Iterable[C],
    rows: Iterable[Seen],
    *,
    fresh: bool = False,
    max_invalid_tries: int = MAX_INVALID_TRIES,
    digest_of: Callable[[C], str] = attrgetter("digest"),
) -> list[Try[C]]:
    """The cells to run, in the order given: those without a row, and invalid ones up to ``max_invalid_tries`` more times."""
    return sift(cells, rows, fresh=fresh, max_invalid_tries=max_invalid_tries, digest_of=digest_of).todo


def sift(
    cells: Iterable[C],
    rows: Iterable[Seen],
    *,
    fresh: bool = False,
    max_invalid_tries: int = MAX_INVALID_TRIES,
    digest_of: Callable[[C], str] = attrgetter("digest"),
) -> Sifted[C]:
    """``remaining``, with what was left out and why."""
    history = _History()
    for row in rows:
        history.add(row)
    sifted: Sifted[C] = Sifted()
    for cell in cells:
        digest = digest_of(cell)
        if digest in history.answered and not fresh:
            sifted.finished.append(cell)
        elif history.tries[digest] > max_invalid_tries and not fresh:
            sifted.exhausted.append(cell)
        else:
            sifted.todo.append(Try(cell, history.rows[digest] + 1))
    return sifted


class _History(Struct):
    """The latest word on each cell that has rows."""

    answered: set[str] = field(default_factory=set)
    rows: Counter[str] = field(default_factory=Counter)
    tries: Counter[str] = field(default_factory=Counter)

    def add(self, row: Seen) -> None:
        digest = row.cell_digest
        if not digest:  # of a schema without it: what the row answers is not known
            return
        self.rows[digest] += 1
        if row.pass_ != Verdict.INVALID:
            self.answered.add(digest)
            return
        self.answered.discard(digest)
        if row.status != Status.INTERRUPTED:  # the user's doing, not the cell's
            self.tries[digest] += 1
