"""What an arm's first request shows: that it was asked what the author wrote, and nothing that another arm was not."""

import re
from collections.abc import Iterable, Mapping, Sequence

import orjson

from harness.gateway.conversation import REMINDER, messages
from harness.model.case import SeedTurn
from harness.skills.arms import request_differences

_OWN = ("metadata",)
"""Differs in every run: a device id of the fresh configuration."""
_DATE = re.compile(r"(Today's date is )\d{4}-\d{2}-\d{2}")
"""A grid that is resumed goes on the next day."""


def _texts(message: Mapping[str, object]) -> list[str]:
    content = message.get("content")
    if isinstance(content, str):
        return [content]
    blocks = content if isinstance(content, list) else []
    texts = (b.get("text") for b in blocks if isinstance(b, dict))
    return [t for t in texts if isinstance(t, str)]


def spoken(body: object) -> list[tuple[str, str]]:
    """(role, text) of what user and assistant said, without what the CLI puts in by itself."""
    said = [(str(m.get("role")), t) for m in messages(body) for t in _texts(m) if m.get("role") != "system"]
    return [(role, text) for role, text in said if not text.lstrip().startswith(REMINDER)]


def asked_wrongly(body: object, seed: Sequence[SeedTurn], prompt: str) -> str:
    """Why the model was not asked exactly the Seed and then the prompt, or ''."""
    due = [*((turn.role, turn.text) for turn in seed), ("user", prompt)]
    found = spoken(body)
    if found == due:
        return ""
    if len(found) != len(due):
        return f"the first request holds {len(found)} turns, the case has {len(due)} with its prompt"
    at = next(n for n, pair in enumerate(zip(found, due, strict=True)) if pair[0] != pair[1])
    return f"turn {at + 1} of the first request is {found[at]!r:.120}, the case has {due[at]!r:.120}"


def request_lines(body: object, paths: Iterable[tuple[str, str]]) -> str:
    """All of a request that the model may go by, as lines; ``paths``: what to write for a run's own folders."""
    fields = body if isinstance(body, dict) else {}
    parts = [
        f"{name}: {orjson.dumps(fields[name], option=orjson.OPT_SORT_KEYS).decode()}"
        for name in sorted(fields)
        if name not in (*_OWN, "messages", "system")
    ]
    parts += _texts({"content": fields.get("system")})
    for message in messages(body):
        parts += [f"[{message.get('role')}]", *_texts(message)]
    text = "\n".join(parts)
    for path, instead in sorted(paths, key=lambda p: len(p[0]), reverse=True):
        # The CLI turns paths into names of folders: /tmp/x/world to -tmp-x-world.
        text = text.replace(path, instead).replace(re.sub(r"[^A-Za-z0-9]", "-", path), instead)
    return _DATE.sub(r"\1<date>", text)


def unlike(one: tuple[str, str], other: tuple[str, str], names: Iterable[str]) -> tuple[str, ...]:
    """What differs between two arms' (name, request lines) beyond the listing of the skill under test."""
    return request_differences([one, other], names)
