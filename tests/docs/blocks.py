"""The shell blocks of a Markdown file, each with the remark that says where and how it is run."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_RUN = re.compile(r"<!-- run: (?P<world>\w+)(?:, exit (?P<code>\d+))? -->\s*\Z")
_NOT_RUN = re.compile(r"<!-- not run: \S.* -->\s*\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    line: int
    script: str
    world: str
    """Where it is run; '' where it says why it is not, or says nothing."""
    code: int
    excused: bool


def shell_blocks(path: Path) -> Iterator[Block]:
    text = path.read_text()
    for found in _FENCE.finditer(text):
        if found[1] != "sh":
            continue
        before = text[: found.start()]
        run = _RUN.search(before)
        yield Block(
            line=before.count("\n") + 1,
            script=found[2],
            world=run["world"] if run else "",
            code=int(run["code"] or 0) if run else 0,
            excused=_NOT_RUN.search(before) is not None,
        )
