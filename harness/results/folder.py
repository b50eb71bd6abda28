"""One folder a run, ``results/runs/<run id>/``: everything that its row can be made from again."""

import os
import re
import secrets
from datetime import UTC, datetime
from pathlib import Path

from msgspec import Struct

from harness.errors import UserError
from harness.model.cell import CellKey
from harness.redact import Redactor

ROW_FILE = "row.tsv"
"""The last file of a complete run: the folder has it, or the run was cut off."""
INPUTS = "inputs"
"""Beside ``runs/``: what the runs were made of, by content."""
VERDICTS = "skills"
"""Beside ``runs/``: what judges said of skills, a file each time."""

_UNSAFE = re.compile(r"[^A-Za-z0-9._]+")
_PART_LENGTH = 21  # of suite, scenario and model; with the rest no id is over 120 characters
_ARM_LENGTH = 16


def new_run_id(started: datetime, key: CellKey, attempt: int = 1) -> str:
    """A flat folder name that sorts by time, tells the cell to a person, and is not given twice."""
    parts = [
        f"{started.astimezone(UTC):%Y%m%dT%H%M%SZ}",
        _slug(key.suite, _PART_LENGTH),
        _slug(key.scenario, _PART_LENGTH),
        _slug(key.arm, _ARM_LENGTH),
        _slug(key.model, _PART_LENGTH),
        f"t{key.trial}" + (f"a{attempt}" if attempt > 1 else ""),
        secrets.token_hex(3),
    ]
    return "-".join(parts)


def _slug(text: str, length: int) -> str:
    return _UNSAFE.sub("-", text).strip("-.")[:length] or "x"


class RunFolder(Struct, frozen=True, kw_only=True):
    run_id: str
    path: Path
    redactor: Redactor = Redactor()
    """Takes the secrets out of what is written here."""

    @classmethod
    def create(cls, results: Path, started: datetime, key: CellKey, attempt: int = 1) -> "RunFolder":
        """A new, empty folder under ``results/runs``. Raises UserError where none can be made."""
        runs = results / "runs"
        while True:
            run_id = new_run_id(started, key, attempt)
            try:
                runs.mkdir(parents=True, exist_ok=True)
                (runs / run_id).mkdir()
            except FileExistsError:
                if not runs.is_dir():
                    raise UserError(f"cannot keep runs in {runs}: it is not a folder") from None
                continue  # another run of this cell began in this second and drew the same number
            except OSError as error:
                raise UserError(f"cannot keep runs in {runs}: {error.strerror}") from error
            return cls(run_id=run_id, path=runs / run_id)

    def write(self, name: str, data: bytes | str) -> Path:
        path = self.path / name
        path.write_bytes(
            self.redactor.clean(data if isinstance(data, bytes) else data.encode(errors="replace"))
        )
        return path

    def seal(self) -> None:
        """Bring the folder and the files directly in it to the disk; what lies deeper (a kept world) is not evidence."""
        with os.scandir(self.path) as entries:
            for entry in entries:
                if (
                    entry.is_file(follow_symlinks=False) and entry.stat().st_size
                ):  # of an empty one nothing can be lost
                    sync(entry.path)
        sync(self.path)


def sync(path: str | Path) -> None:
    """Bring one file or folder to the disk."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
