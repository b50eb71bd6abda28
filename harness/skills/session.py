"""The Seed as a session file that ``claude --resume`` takes up.

The format was measured with Claude Code 2.1.332. All of it follows from the arguments, so the lines are the
same in every arm and on every day.
"""

import uuid
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import orjson

from harness.claude.session import session_path
from harness.model.case import SeedTurn

_START = datetime(2026, 1, 1, tzinfo=UTC)
_MODEL = "claude-seed"


def _message(turn: SeedTurn, number: int) -> dict[str, object]:
    if turn.role == "user":
        return {"role": "user", "content": turn.text}
    return {
        "id": f"msg_seed_{number:04d}",
        "type": "message",
        "role": "assistant",
        "model": _MODEL,
        "content": [{"type": "text", "text": turn.text}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 0, "output_tokens": 0},
    }


def session_lines(seed: Sequence[SeedTurn], session_id: str, cwd: str, version: str) -> bytes:
    """The bytes of ``<session id>.jsonl`` for this conversation."""
    lines, parent = [], None
    for number, turn in enumerate(seed):
        own = str(uuid.uuid5(uuid.NAMESPACE_OID, f"{session_id}/{number}"))
        at = _START + timedelta(seconds=number)
        line: dict[str, object] = {
            "parentUuid": parent,
            "isSidechain": False,
            "userType": "external",
            "cwd": cwd,
            "sessionId": session_id,
            "version": version,
            "type": turn.role,
            "message": _message(turn, number),
            "uuid": own,
            "timestamp": at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        }
        lines.append(orjson.dumps(line) + b"\n")
        parent = own
    return b"".join(lines)


def plant_session(
    seed: Sequence[SeedTurn], *, config_dir: Path, cwd: str, session_id: str, version: str
) -> tuple[str, ...]:
    """Write the session file; returns the arguments that make claude take it up (none without a Seed)."""
    if not seed:
        return ()
    path = session_path(config_dir, cwd, session_id)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(session_lines(seed, session_id, cwd, version))
    return ("--resume", session_id)
