"""``progress.json`` in a results folder: how a running evaluation stands, for whoever watches from outside."""

import os
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import orjson
from msgspec import Struct, field

from harness.claude.fields import integer, mapping, number, text
from harness.model.row import Row
from harness.scoring.current import number as cell_number

NAME = "progress.json"
_EVERY_S = 0.5


class ProgressFile(Struct, kw_only=True):
    """Kept up to date by the process that evaluates; each change replaces the whole file."""

    path: Path
    total: int
    done: int = 0
    spent_usd: float = 0.0
    verdicts: Counter[str] = field(default_factory=Counter)
    running: dict[str, float] = field(default_factory=dict)
    """Names of cells under way, and since when (seconds since the epoch)."""
    said: str = ""
    """The last thing said that was not about one run: why it waits, for instance."""
    began_at: float = field(default_factory=time.time)
    _written: float = 0.0

    def started(self, name: str) -> None:
        self.running[name] = time.time()
        self.said = ""
        self._write()

    def finished(self, row: Row) -> None:
        self.done += 1
        self.spent_usd += cell_number(row.cost_usd)
        self.verdicts[row.pass_] += 1
        self.running.pop(f"{row.suite} {row.scenario} {row.arm} {row.model} {row.trial}", None)
        self._write()

    def told(self, text: str) -> None:
        self.said = text
        self._write(now=True)

    def ended(self) -> None:
        self.running.clear()
        self._write(now=True, ended=True)

    def _write(self, *, now: bool = False, ended: bool = False) -> None:
        moment = time.time()
        if not now and self.running and moment - self._written < _EVERY_S:
            return
        self._written = moment
        document = {
            "pid": os.getpid(),
            "began_at": self.began_at,
            "at": moment,
            "ended": ended,
            "total": self.total,
            "done": self.done,
            "spent_usd": self.spent_usd,
            "verdicts": self.verdicts,
            "running": self.running,
            "said": self.said,
        }
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            part = self.path.with_name(f"{self.path.name}.{os.getpid()}.part")
            part.write_bytes(orjson.dumps(document))
            part.replace(self.path)
        except OSError:
            return  # a full disk must not end the evaluation for the sake of its display


class Standing(Struct, frozen=True, kw_only=True):
    """How an evaluation stands, as read from outside."""

    alive: bool
    ended: bool
    total: int
    done: int
    spent_usd: float
    verdicts: Mapping[str, int]
    running: Mapping[str, float]
    """Seconds that each has been under way."""
    said: str
    elapsed_s: float

    @property
    def left_s(self) -> float | None:
        """An estimate from the pace so far; None before the first run ended."""
        if not self.done or self.done >= self.total:
            return 0.0 if self.done and self.done >= self.total else None
        return self.elapsed_s / self.done * (self.total - self.done)


def read_standing(results: Path) -> Standing | None:
    """None where no evaluation has written its progress there."""
    try:
        data = mapping(orjson.loads((results / NAME).read_bytes()))
    except (OSError, orjson.JSONDecodeError):
        return None
    ended = data.get("ended") is True
    alive = not ended and _is_alive(integer(data.get("pid")), number(data.get("began_at")))
    now = time.time() if alive else number(data.get("at"))
    return Standing(
        alive=alive,
        ended=ended,
        total=integer(data.get("total")),
        done=integer(data.get("done")),
        spent_usd=number(data.get("spent_usd")),
        verdicts={name: integer(count) for name, count in mapping(data.get("verdicts")).items()},
        running={name: max(0.0, now - number(at)) for name, at in mapping(data.get("running")).items()},
        said=text(data.get("said")),
        elapsed_s=max(0.0, now - number(data.get("began_at"))),
    )


def _is_alive(pid: int, began_at: float) -> bool:
    """Whether the process is there and is not another one that was given the number since."""
    import psutil

    try:
        return pid > 0 and psutil.Process(pid).create_time() <= began_at + 1
    except psutil.Error:
        return False


def standing_text(standing: Standing) -> str:
    waiting = standing.total - standing.done - len(standing.running)
    counts = ", ".join(f"{standing.verdicts.get(name, 0)} {name}" for name in ("pass", "fail", "invalid"))
    lines = [
        f"{standing.done} of {standing.total} done ({counts}), {len(standing.running)} running, {max(0, waiting)} waiting",
        f"${standing.spent_usd:.4f} spent, {_span(standing.elapsed_s)} so far, {_left(standing)}",
    ]
    lines += [f"  running {_span(since)}: {name}" for name, since in sorted(standing.running.items())]
    if standing.said:
        lines.append(f"  {standing.said}")
    return "\n".join(lines)


def _left(standing: Standing) -> str:
    if standing.ended:
        return "ended"
    if not standing.alive:
        return "its process is gone: the same command goes on where it ended"
    return (
        "no estimate before the first run ended"
        if standing.left_s is None
        else f"about {_span(standing.left_s)} left"
    )


def _span(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return (
        f"{hours} h {minutes:02} min" if hours else f"{minutes} min {rest:02} s" if minutes else f"{rest} s"
    )
