"""What of a request stays the same when the same conversation is had again, at another place and time."""

import re
from collections.abc import Iterable, Mapping

from harness.redact import REMOVED, SHAPES

# What a recording has had taken out of it is taken out of what is compared with it, too.
NOISE: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), neutral)
    for pattern, neutral in (
        (SHAPES, REMOVED),
        (r"x-anthropic-billing-header:[^\n]*", "<billing>"),
        (r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", "<uuid>"),
        (r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?([.,]\d+)?( ?(Z|[+-]\d\d:?\d\d))?", "<time>"),
        (r"(?<=Today's date is )\d{4}-\d\d-\d\d", "<date>"),
        (r"(?<=Today's date is now )\d{4}-\d\d-\d\d", "<date>"),
        (
            r"\b(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) +\d\d? +\d\d:\d\d(:\d\d)?\b",
            "<time>",
        ),
        (r"\b(agentId|agent_id|task_id|with ID)(\"?: ?\"?)\w+", r"\1\2<id>"),
        (r"(?<=SendMessage with to: ')\w+", "<id>"),
        (r"<task-id>\w+</task-id>", "<task-id><id></task-id>"),
        (r"/tasks/\w+\.output", "/tasks/<id>.output"),
        (r"\b(duration_ms)(\"?: ?|>)\d+", r"\1\2<n>"),
        (r"(?<=<total_tokens>)\d+", "<n>"),
        # Of a stream that was cut, more or less had been read and counted.
        (r"(?<=USD budget: \$)[\d.e-]+(/\$[\d.e-]+; \$)[\d.e-]+(?= remaining)", r"<n>\1<n>"),
        (r"\b\d+\.\d+ ?s\b", "<n>s"),
        (r"\b[0-9a-f]{40}\b", "<hash>"),
        (r"(?<=\[)([\w./-]+(?: \(root-commit\))?) [0-9a-f]{7,12}(?=\])", r"\1 <hash>"),
    )
)
SHORT = 12
"""Characters of a path that may be part of another one, such as /world or /tmp, or of a word in its other form."""
NOT_SAID = frozenset({"cache_control"})
THINKING = frozenset({"thinking", "redacted_thinking"})


class Moved:
    """Old paths turned into new ones, also in the form in which the CLI names folders after paths."""

    def __init__(self, pairs: Iterable[tuple[str, str]]) -> None:
        given = [(old.rstrip("/"), new.rstrip("/")) for old, new in pairs]
        self._new = {old: new for old, new in given if old and old != new}
        self._new |= {_dashed(old): _dashed(new) for old, new in self._new.items()}
        longest_first = sorted(self._new, key=len, reverse=True)
        names = "|".join(map(_found_as, longest_first))
        self._pattern = re.compile(f"(?:{names})(?![A-Za-z0-9_])") if names else None
        self.canonical: dict[str, str] = {}
        """Texts seen so far: each request of a conversation repeats those of the one before."""

    @property
    def nothing(self) -> bool:
        return self._pattern is None

    def text(self, text: str) -> str:
        return text if self._pattern is None else self._pattern.sub(lambda found: self._new[found[0]], text)


def strict_body(body: object) -> object:
    """The body but for ``metadata.user_id``, which holds a random device id of a fresh configuration."""
    if not isinstance(body, dict):
        return body
    metadata = body.get("metadata")
    if not isinstance(metadata, dict):
        return body
    return body | {"metadata": {name: value for name, value in metadata.items() if name != "user_id"}}


def canonical_body(body: object, moved: Moved) -> object:
    """The body without what a change of place, day or speed changes; texts in terms of the new paths."""
    if not isinstance(body, dict):
        return _canonical(body, moved)
    kept = {name: value for name, value in body.items() if name not in {"metadata", "stream"}}
    return _canonical(kept, moved)


def canonical_assistants(body: object, moved: Moved) -> list[object]:
    """What the model has said so far. Its thinking is left out: the CLI drops it from older turns."""
    found = body.get("messages") if isinstance(body, dict) else None
    said = [m for m in found if isinstance(m, dict)] if isinstance(found, list) else []
    contents = [_canonical(m.get("content"), moved, "content") for m in said if m.get("role") == "assistant"]
    return [[b for b in c if _kind(b) not in THINKING] if isinstance(c, list) else c for c in contents]


def canonical_text(text: str, moved: Moved) -> str:
    found = moved.canonical.get(text)
    if found is None:
        found = moved.text(text)
        for pattern, neutral in NOISE:
            found = pattern.sub(neutral, found)
        moved.canonical[text] = found
    return found


def _canonical(value: object, moved: Moved, name: str = "") -> object:
    if isinstance(value, str):
        text = canonical_text(value, moved)
        # The CLI sends a lone text now as a string, now as a block.
        return [{"type": "text", "text": text}] if name == "content" else text
    if isinstance(value, Mapping):
        return {k: _canonical(v, moved, k) for k, v in value.items() if k not in NOT_SAID}
    if isinstance(value, list):
        items = [_canonical(item, moved) for item in value]
        return _ordered(items) if name == "content" else items
    return value


def _ordered(blocks: list[object]) -> list[object]:
    """Results of parallel calls by the id of their call: they come in the order in which the tools ended."""
    results = iter(sorted((b for b in blocks if _kind(b) == "tool_result"), key=_answered))
    return [next(results) if _kind(b) == "tool_result" else b for b in blocks]


def _kind(block: object) -> object:
    return block.get("type") if isinstance(block, dict) else None


def _answered(block: object) -> str:
    return str(block.get("tool_use_id", "")) if isinstance(block, dict) else ""


def _found_as(path: str) -> str:
    begins = r"(?<![A-Za-z0-9_.-])" if len(path) < SHORT else ""
    return begins + re.escape(path)


def _dashed(path: str) -> str:
    return re.sub(r"[^A-Za-z0-9]", "-", path)
