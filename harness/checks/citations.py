"""Which decisions a run names in its last words and in what it writes; reading one is not naming it."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from msgspec import Struct

from harness.checks.files import WorldView
from harness.model.change import Change
from harness.model.transcript import Transcript

FINAL_MESSAGE = "final message"
_WRITING = frozenset({"Write", "Edit", "MultiEdit", "NotebookEdit"})
_NEW_TEXT = ("content", "new_string", "new_source")
_SENTENCE = re.compile(
    r"[^\n]*?(?:(?<!\b[Nn]o)(?<!\bvs)(?<!\be\.g)(?<!\bi\.e)[.!?;](?=[\s\"')*_]|$)|(?=\n)|$)", re.MULTILINE
)


class Citation(Struct, frozen=True, kw_only=True):
    """One sentence that names a decision."""

    id: str
    where: str
    """``final message``, ``path:line`` or ``stream:index``."""
    text: str


def cited(
    final_message: str,
    changes: tuple[Change, ...] | None,
    transcript: Transcript | None,
    ids: Iterable[str],
    view: WorldView | None = None,
) -> tuple[Citation, ...]:
    """Every sentence of the final message, and every line that the arm wrote, that names one of ``ids``.

    Where ``changes`` are not known, the inputs of Write and Edit calls that went through stand for them. A
    new file that copies one of the world is not the arm's words.
    """
    wanted = tuple(ids)
    found = [c for text in sentences(final_message) for c in _named(text, FINAL_MESSAGE, wanted)]
    if changes is not None:
        for where, line in _written(changes, view):
            found += _named(line, where, wanted)
    elif transcript is not None:
        for where, line in _typed(transcript):
            found += _named(line, where, wanted)
    return tuple(found)


def sentences(text: str) -> list[str]:
    """``text`` cut at line ends and at the ends of sentences."""
    return [m.group().strip() for m in _SENTENCE.finditer(text) if m.group().strip()]


@lru_cache(maxsize=256)
def id_regex(adr: str) -> re.Pattern[str]:
    """Ways to write the id: ADR-0007, ADR 7, ADRs 3 and 7, decision record 7, 0007-slug, docs/adr/0007."""
    split = re.fullmatch(r"(\D*?)[-_ ]*(\d+)", adr)
    if split is None:
        return re.compile(rf"(?<!\w){re.escape(adr)}(?!\w)", re.IGNORECASE)
    prefix, digits = re.escape(split[1]), split[2]
    number = rf"0*{int(digits)}(?!\d)"
    others = r"(?:[\s\-_#:]*\d+(?:\s*[,/&]\s*(?:and\s+|or\s+)?|\s+(?:and|or)\s+))+"
    padded = rf"{digits.zfill(4)}(?!\d)"
    forms = [
        rf"(?<![A-Za-z]){prefix}s?(?:\s+(?:no\.?|number))?[\s\-_#:]*{number}",
        # "ADR-0003, 7 files changed" names one, "ADRs 3 and 7" two.
        rf"(?<![A-Za-z]){prefix}s{others}{number}",
        rf"(?<![A-Za-z]){prefix}{others}{padded}",
        rf"(?<!\w)decision(?:\s+record)?s?\s+(?:no\.?\s*|number\s+)?#?{number}",
        rf"(?<![\w.\-]){re.escape(digits.zfill(4))}-(?=[a-z])",
        rf"(?<!\w)adrs?/{re.escape(digits.zfill(4))}(?!\d)",
    ]
    return re.compile("|".join(forms), re.IGNORECASE)


@lru_cache(maxsize=256)
def _number(adr: str) -> str:
    """What stands in every way to write the id."""
    digits = re.search(r"\d+$", adr)
    return str(int(digits[0])) if digits else ""


def _named(text: str, where: str, ids: tuple[str, ...]) -> Iterator[Citation]:
    for adr in ids:
        # Compiling the many ways to write an id takes as long as judging the rest of a run.
        if _number(adr) in text and id_regex(adr).search(text):
            yield Citation(id=adr, where=where, text=text.strip()[:300])


def _written(changes: tuple[Change, ...], view: WorldView | None) -> Iterator[tuple[str, str]]:
    before = {c.before for c in changes if c.before}
    for change in changes:
        if change.kind == "deleted" or not change.after:
            continue
        if change.kind == "added" and (change.after in before or _is_copy(change, view)):
            continue
        added = set(change.added_lines)
        for number, line in enumerate(change.after.split("\n"), 1):
            if line in added and line.strip():
                yield f"{change.path}:{number}", line


def _is_copy(change: Change, view: WorldView | None) -> bool:
    if view is None:
        return False
    own = {c.path for c in view.changes}
    return any(path not in own and view.text(path) == change.after for path in view.paths)


def _typed(transcript: Transcript) -> Iterator[tuple[str, str]]:
    for call in transcript.calls:
        if call.tool not in _WRITING or call.failed or call.denied:
            continue
        edits = call.input.get("edits")
        sources = [call.input, *(edits if isinstance(edits, list) else [])]
        for source in sources:
            texts = [source.get(key) for key in _NEW_TEXT] if isinstance(source, dict) else []
            for text in texts:
                if isinstance(text, str):
                    yield from ((f"stream:{call.index}", line) for line in text.split("\n") if line.strip())
