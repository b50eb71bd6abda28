"""Knows the session file of the CLI: where it is, and which hook texts it put before the model."""

import contextlib
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec
from msgspec import Struct

from harness.claude.fields import items, mapping, text

_NOT_ALPHANUMERIC = re.compile(r"[^A-Za-z0-9]")


class HookContext(Struct, frozen=True, kw_only=True):
    """Text of a hook that stands in the conversation as the model gets it."""

    hook_name: str
    hook_event: str
    text: str
    before_first_assistant: bool


def session_path(config_dir: Path, cwd: str, session_id: str) -> Path:
    """Where the CLI keeps the session; ``cwd`` as ``init`` reports it."""
    return config_dir / "projects" / _NOT_ALPHANUMERIC.sub("-", cwd) / f"{session_id}.jsonl"


def hook_contexts(path: Path) -> tuple[HookContext, ...]:
    """The hook texts in the order of the file; lines that are not readable are passed over."""
    found: list[HookContext] = []
    before = True
    for entry in _entries(path):
        if entry.type == "assistant":
            before = False
        attachment = mapping(entry.attachment)
        context = _context_text(attachment)
        if context:
            name = text(attachment.get("hookName"))
            event = text(attachment.get("hookEvent")) or name.partition(":")[0]
            found.append(
                HookContext(hook_name=name, hook_event=event, text=context, before_first_assistant=before)
            )
    return tuple(found)


class _Entry(Struct):
    """What is looked at of a line; all else of it, nearly the whole conversation, is passed over unread."""

    type: object = None
    attachment: object = None


_decode = msgspec.json.Decoder(_Entry).decode


def _entries(path: Path) -> Iterator[_Entry]:
    for line in path.read_bytes().split(b"\n"):
        with contextlib.suppress(msgspec.MsgspecError, UnicodeDecodeError):
            yield _decode(line)


def _context_text(attachment: Mapping[str, object]) -> str:
    """What of an attachment the model reads: nothing of a hook that failed or whose output was dropped."""
    match attachment.get("type"):
        case "hook_additional_context":
            content = attachment.get("content")
            return content if isinstance(content, str) else "\n".join(map(text, items(content)))
        case "hook_success":
            return text(attachment.get("content"))
        case "async_hook_response":
            specific = mapping(mapping(attachment.get("response")).get("hookSpecificOutput"))
            return text(specific.get("additionalContext"))
        case _:
            return ""
