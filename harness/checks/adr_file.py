"""The form of one decision file: number in its name, front matter, three sections."""

import datetime
import re
from collections.abc import Mapping

import frontmatter
import yaml
from msgspec import Struct

REQUIRED = ("id", "title", "status", "date", "affected-paths")
SECTIONS = ("Context", "Decision", "Consequences")


class AdrFile(Struct, frozen=True, kw_only=True):
    """What stands in a decision file; ``problem`` (with its line) where the front matter cannot be read."""

    path: str
    number: int
    meta: Mapping[str, object]
    body: str
    problem: str = ""
    problem_line: int = 0

    @property
    def id(self) -> str:
        return f"ADR-{self.number:04}"

    @property
    def status(self) -> str:
        return str(self.meta.get("status", "")).strip()

    @property
    def affected_paths(self) -> tuple[str, ...]:
        value = self.meta.get("affected-paths")
        values = value if isinstance(value, list) else [value] if isinstance(value, str) else []
        return tuple(str(v).strip() for v in values if str(v).strip())

    def names(self, key: str) -> tuple[int, ...]:
        """The numbers of the decisions that ``supersedes`` or ``superseded-by`` names."""
        value = self.meta.get(key)
        values = value if isinstance(value, list) else [value]
        return tuple(int(n) for v in values if v is not None for n in re.findall(r"\d+", str(v)))


def number_of(path: str, adr_dir: str) -> int | None:
    """The number in ``<adr_dir>/NNNN-slug.md``; None for any other path."""
    found = re.fullmatch(rf"{re.escape(adr_dir.strip('/'))}/(\d{{4}})-[^/]+\.md", path)
    return int(found.group(1)) if found else None


def parse(path: str, number: int, text: str) -> AdrFile:
    """The decision file's parts; never raises."""
    if not text.lstrip("\ufeff").startswith("---"):
        return AdrFile(
            path=path, number=number, meta={}, body=text, problem="has no front matter", problem_line=1
        )
    try:
        meta, body = frontmatter.parse(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        # The text between the fences starts on the line of the first fence.
        line = mark.line + 1 if mark is not None else 1
        problem = f"front matter is malformed: {getattr(error, 'problem', None) or 'not YAML'}"
        return AdrFile(path=path, number=number, meta={}, body=text, problem=problem, problem_line=line)
    except (ValueError, TypeError) as error:
        return AdrFile(
            path=path, number=number, meta={}, body=text, problem=f"front matter: {error}", problem_line=1
        )
    if not meta:
        return AdrFile(
            path=path, number=number, meta={}, body=text, problem="front matter is empty", problem_line=1
        )
    return AdrFile(path=path, number=number, meta=meta, body=body)


def problems(adr: AdrFile) -> list[str]:
    """What the form of ``adr`` lacks, whatever it decides."""
    if adr.problem:
        return [adr.problem]
    found = [f"front matter lacks {key}" for key in REQUIRED if adr.meta.get(key) in (None, "", [])]
    if re.sub(r"\D", "", str(adr.meta.get("id", ""))).lstrip("0") != str(adr.number).lstrip("0"):
        found.append(f"id {adr.meta.get('id')!r} does not match the number {adr.number:04} of the file name")
    if adr.meta.get("date") is not None and not _is_date(adr.meta["date"]):
        found.append(f"date {adr.meta['date']!r} is no YYYY-MM-DD")
    for name in SECTIONS:
        section = re.search(
            rf"^##[ \t]+{name}\b[^\n]*\n(.*?)(?=^##?[ \t]|\Z)", adr.body + "\n", re.M | re.S | re.I
        )
        if section is None:
            found.append(f"section {name} is missing")
        elif not section.group(1).strip():
            found.append(f"section {name} is empty")
    return found


def _is_date(value: object) -> bool:
    if isinstance(value, datetime.date):
        return True
    try:
        datetime.date.fromisoformat(str(value).strip())
    except ValueError:
        return False
    return True


def keeps(before: str, after: str) -> bool:
    """Whether every line of text in ``before`` still stands in ``after``, in its order."""
    lines = iter(line.strip() for line in after.split("\n"))
    return all(any(line == old for line in lines) for old in map(str.strip, before.split("\n")) if old)
