"""Judgements kept by the hash of what was asked: the same question has the same answer for good."""

import hashlib
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

import orjson

from harness.model.judge import JudgeRequest
from harness.redact import Redactor

_SHAPES = Redactor()


def request_key(request: JudgeRequest) -> str:
    """Of everything that the judge sees, and of which model it is."""
    parts = [request.kind, request.model, request.prompt, request.schema]
    return hashlib.sha256(orjson.dumps(parts, option=orjson.OPT_SORT_KEYS)).hexdigest()


class Store:
    """One file a judgement; several processes may use it at once, and the first to write wins."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key}.json"

    def get(self, key: str) -> Mapping[str, object] | None:
        """The kept value; a file that cannot be read counts as none."""
        try:
            data: object = orjson.loads(self._path(key).read_bytes())
        except (OSError, orjson.JSONDecodeError):
            return None
        value = data.get("value") if isinstance(data, dict) else None
        return value if isinstance(value, dict) else None

    def put(self, key: str, value: Mapping[str, object], raw: str) -> Mapping[str, object]:
        """Keep the value whole or not at all; returns the one that is kept."""
        path = self._path(key)
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and self.get(key) is None:
            path.unlink(missing_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".", delete=False) as file:
            kept = orjson.dumps({"value": dict(value), "raw": raw}, option=orjson.OPT_INDENT_2)
            file.write(_SHAPES.clean(kept))
            file.flush()
            os.fsync(file.fileno())
        written = Path(file.name)
        try:
            os.link(written, path)
        except FileExistsError:
            return self.get(key) or value
        finally:
            written.unlink()
        return value
