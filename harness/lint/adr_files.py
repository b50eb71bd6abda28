"""The decisions of a fixture, read leniently: what a rule needs of each file, or why it cannot be read."""

import re
from pathlib import Path

import frontmatter
import yaml
from msgspec import Struct

_FILE = re.compile(r"(\d{4})-[^/]*\.md")


class AdrFile(Struct, frozen=True, kw_only=True):
    path: Path
    id: str
    status: str
    affected_paths: tuple[str, ...]
    decision: str
    """The text of the Decision section."""
    fault: str = ""
    """Why the file is no decision, or ''."""


def _texts(value: object) -> tuple[str, ...]:
    return tuple(str(v) for v in value) if isinstance(value, list) else ()


def _section(body: str, name: str) -> str:
    found = re.search(rf"^##\s+{name}\s*$(.*?)(?=^##\s|\Z)", body, re.M | re.S | re.I)
    return found.group(1).strip() if found else ""


def read_adr(path: Path) -> AdrFile:
    try:
        post = frontmatter.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        return AdrFile(path=path, id="", status="", affected_paths=(), decision="", fault=str(error))
    meta = post.metadata
    adr_id = str(meta.get("id", ""))
    number = path.name[:4]
    fault = "" if adr_id == f"ADR-{number}" else f"has id {adr_id!r}; the file's name says ADR-{number}"
    return AdrFile(
        path=path,
        id=adr_id,
        status=str(meta.get("status", "")),
        affected_paths=_texts(meta.get("affected-paths")),
        decision=_section(post.content, "Decision"),
        fault=fault,
    )


def read_adrs(fixture: Path, adr_dir: str) -> tuple[AdrFile, ...]:
    folder = fixture / adr_dir
    return tuple(read_adr(p) for p in sorted(folder.glob("*.md")) if _FILE.fullmatch(p.name))
