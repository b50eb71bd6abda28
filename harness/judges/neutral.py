"""Outputs freed of what would tell a judge which arm made them, and the check that this worked."""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from msgspec import Struct

from harness.model.judge import Output

ARM_WORDS = (
    "baseline",
    "with_skill",
    "without_skill",
    "old_skill",
    "new_skill",
    "with_plugin",
    "without_plugin",
    "treatment",
    "control_arm",
)
TELLING_WORDS = ("skill", "skills", "SKILL.md", "plugin", "plugins")
"""Words that only an arm with the skill has a reason to use; they go from every side alike."""

_ISO_TIME = re.compile(
    r"\b\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?(?!\d)"
)
_CLOCK = re.compile(r"(?<![\d:.])\d{1,2}:\d{2}:\d{2}(?:[.,]\d+)?(?![\d:])")
_UUID = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", re.I)
_HASH = re.compile(r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}\b")
_TEMPORARY = re.compile(
    r"(?:/private)?/(?:tmp|var/folders|var/tmp|root|home/[^/\s]+|Users/[^/\s]+)(?:/[\w@.+-]+)+"
)


class LeakError(Exception):
    """Something that names an arm would reach a judge; the comparison must not be made."""


class Secrets(Struct, frozen=True, kw_only=True):
    """What no judge may read."""

    roots: tuple[str, ...] = ()
    """Absolute folders of an arm: its world, home, skill, results."""
    names: tuple[str, ...] = ()
    """Names of skills, plugins, scenarios and arms."""
    versions: tuple[str, ...] = ()
    """Git refs, digests, run ids, session ids."""
    words: tuple[str, ...] = ARM_WORDS + TELLING_WORDS


def _spellings(name: str) -> str:
    """A pattern for the name with ``-``, ``_``, ``.`` or nothing between its parts."""
    parts = [re.escape(p) for p in re.split(r"[-_.\s]+", name) if p]
    return r"[-_.]?".join(parts)


@lru_cache(maxsize=256)
def _patterns(secrets: Secrets) -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple(_telling(secrets))


def _telling(secrets: Secrets) -> Iterator[tuple[re.Pattern[str], str]]:
    for root in sorted(set(secrets.roots), key=len, reverse=True):
        if len(root.rstrip("/")) > 1:
            yield re.compile(re.escape(root.rstrip("/")) + r"(?![\w.-])"), "<world>"
    for version in sorted(set(secrets.versions), key=len, reverse=True):
        if version:
            yield re.compile(rf"(?<!\w){re.escape(version)}(?!\w)", re.I), "<version>"
    named = [n for n in secrets.names if n]
    for name in sorted(set(named), key=len, reverse=True):
        yield (
            re.compile(rf"(?<![^\W_])(?:[\w-]+:)?{_spellings(name)}(?::[A-Za-z][\w-]*)?(?![^\W_])", re.I),
            "<name>",
        )
    for word in sorted(set(secrets.words), key=len, reverse=True):
        yield re.compile(rf"(?<![^\W_]){_spellings(word)}(?![^\W_])", re.I), "<name>"


def scrub(text: str, secrets: Secrets) -> str:
    """The text with paths, names, versions, hashes and clock times replaced, alike on every side."""
    text = text.replace("\r\n", "\n")
    for pattern, instead in _patterns(secrets):
        text = pattern.sub(instead, text)
    text = _TEMPORARY.sub(lambda m: f"<path>/{m[0].rpartition('/')[2]}", text)
    for pattern in (_ISO_TIME, _CLOCK):
        text = pattern.sub("<time>", text)
    for pattern in (_UUID, _HASH):
        text = pattern.sub("<hash>", text)
    return text


def _label(path: str, secrets: Secrets) -> str:
    """A path is shown in a line of its own, so it must stay one."""
    return re.sub(r"[\x00-\x1f\x7f\u2028\u2029]", "?", scrub(path, secrets))


def neutral(output: Output, secrets: Secrets) -> Output:
    """A copy that names no arm; files in the order of their paths."""
    files: dict[str, str] = {}
    for path in sorted(output.files):
        label = _label(path, secrets)
        while label in files:
            label += "'"
        files[label] = scrub(output.files[path], secrets)
    return Output(message=scrub(output.message, secrets).strip(), files=files)


def check_leaks(text: str, secrets: Secrets) -> None:
    """Raises LeakError where the text still holds a secret in any spelling."""
    for pattern, _ in _patterns(secrets):
        found = pattern.search(text)
        if found:
            around = text[max(0, found.start() - 30) : found.end() + 30].replace("\n", " ")
            raise LeakError(f"{found[0]!r} would have told the judge which arm it reads: …{around}…")


def same(one: Output, other: Output) -> bool:
    """Equal but for white space at line ends and around the whole."""

    def flat(text: str) -> str:
        return "\n".join(line.rstrip() for line in text.strip().split("\n"))

    def flat_files(files: Mapping[str, str]) -> dict[str, str]:
        return {path: flat(text) for path, text in files.items()}

    return flat(one.message) == flat(other.message) and flat_files(one.files) == flat_files(other.files)


def secrets_of(
    *, roots: Iterable[str] = (), names: Iterable[str] = (), versions: Iterable[str] = ()
) -> Secrets:
    return Secrets(roots=tuple(roots), names=tuple(names), versions=tuple(versions))
