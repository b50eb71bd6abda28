"""One cell's sandbox, with where the arm sees the plugin, claude and the gateway in it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from harness.engine.setting import Setting
from harness.errors import UserError
from harness.model.cell import Cell
from harness.world.sandbox import Sandbox, open_tempdir

KINDS = ("auto", "tempdir")


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    place: Sandbox
    plugin_seen_as: str | None
    claude_seen_as: str
    gateway_url: str


def choose_kind(asked: str) -> str:
    """The kind of sandbox to use: the strongest that works here for ``auto``. Raises UserError."""
    if asked not in KINDS:
        raise UserError(f"there is no sandbox {asked!r}; there are {', '.join(KINDS)}")
    return "tempdir"


@contextmanager
def open_box(cell: Cell, setting: Setting, token: str) -> Iterator[Box]:
    plugin = cell.arm.plugin
    with open_tempdir(cell.scenario.fixture, token=token, keep=setting.keep) as place:
        yield Box(
            place=place,
            plugin_seen_as=str(plugin) if plugin is not None else None,
            claude_seen_as=str(setting.claude.path),
            gateway_url=setting.gateway.url,
        )
