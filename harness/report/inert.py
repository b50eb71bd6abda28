"""Text of a run made harmless to look at: nothing in it moves a cursor, hides, turns direction or fills the page."""

import re

from msgspec import Struct

_ESCAPES = re.compile(
    "\x1b(?:"
    "\\[[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor
    "|\\][^\x07\x1b]{0,4096}(?:\x07|\x1b\\\\)"  # OSC: titles, links
    "|[PX^_][^\x1b]{0,4096}\x1b\\\\"  # strings for the terminal itself
    "|[ -/]*[0-~]"
    ")|\x9b[0-?]*[ -/]*[@-~]"
)
_CONTROLS = [*(c for c in range(0x20) if c not in (0x09, 0x0A)), 0x7F, *range(0x80, 0xA0)]
_DIRECTION = [*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C]
_VISIBLE = {
    **{c: chr(0x2400 + c) for c in _CONTROLS if c < 0x20},
    0x7F: "\u2421",
    **{c: f"\\x{c:02x}" for c in _CONTROLS if c >= 0x80},
    **{c: f"\\u{c:04x}" for c in (*_DIRECTION, 0x2028, 0x2029)},
    **dict.fromkeys(range(55296, 57344), "�"),
}
SHOWN_CHARACTERS = 20_000
_TAIL = 4_000


class Shown(Struct, frozen=True, kw_only=True):
    text: str
    cut: int = 0
    """Characters left out before ``tail``."""
    tail: str = ""


def inert(text: str) -> str:
    """Terminal sequences taken out; control, direction and separator characters replaced by visible ones."""
    return _ESCAPES.sub("", text.replace("\r\n", "\n")).translate(_VISIBLE)


def shown(text: str, most: int = SHOWN_CHARACTERS) -> Shown:
    """The text as it can be shown; of a long one its head and its tail."""
    if len(text) <= most:
        return Shown(text=inert(text))
    tail = min(_TAIL, most // 4)
    head = most - tail
    return Shown(text=inert(text[:head]), cut=len(text) - most, tail=inert(text[len(text) - tail :]))


def one_line(text: str, most: int = 160) -> str:
    flat = " ".join(inert(text[: most * 8]).split())
    return flat if len(flat) <= most else flat[: most - 1] + "…"
