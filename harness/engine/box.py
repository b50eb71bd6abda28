"""One cell's sandbox, with where the arm sees the plugin, claude and the gateway in it."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from msgspec import Struct

from harness.engine.setting import Setting
from harness.errors import UserError
from harness.model.cell import Cell
from harness.world.jail import open_jail
from harness.world.kernel import detect
from harness.world.sandbox import Sandbox, open_tempdir

KINDS = ("auto", "tempdir", "jail")
INSIDE_URL = "http://127.0.0.1"
"""The gateway's address in a jail, where the socket decides: the same in every run."""


class Box(Struct, frozen=True, kw_only=True):
    place: Sandbox
    plugin_seen_as: str | None
    claude_seen_as: str
    gateway_url: str

    @property
    def told(self) -> str:
        """The sandbox as the row records it: its kind, and what the suite had opened in it."""
        opened = [f"ro={path}" for path in self.place.read_only]
        if self.place.kind == "jail" and self.place.network:
            opened.append("network")
        return " ".join([self.place.kind, *opened])


def choose_kind(asked: str) -> str:
    """The kind of sandbox to use: the strongest that works here for ``auto``. Raises UserError."""
    if asked not in KINDS:
        raise UserError(f"there is no sandbox {asked!r}; there are {', '.join(KINDS)}")
    if asked == "tempdir":
        return asked
    kind, why = detect()
    if asked == "jail" and kind != "jail":
        raise UserError(f"there can be no jail here: {why}\nUse --sandbox tempdir, or auto.")
    return kind


@contextmanager
def open_box(cell: Cell, setting: Setting, token: str) -> Iterator[Box]:
    """A fresh sandbox for one run of the cell, removed at the end unless the setting keeps it."""
    plugin = cell.arm.plugin
    fixture = cell.scenario.fixture
    with ExitStack() as stack:
        if setting.sandbox == "jail":
            place = stack.enter_context(
                open_jail(
                    fixture,
                    token=token,
                    claude=setting.claude.path,
                    plugins=[plugin] if plugin is not None else [],
                    gateway=setting.gateway.unix_socket,
                    read_only=cell.suite.jail.read_only,
                    network=cell.suite.jail.network,
                    keep=setting.keep,
                    environ=setting.environ,
                    discard=setting.rubbish.throw,
                )
            )
        else:
            place = stack.enter_context(
                open_tempdir(
                    fixture,
                    token=token,
                    keep=setting.keep,
                    environ=setting.environ,
                    discard=setting.rubbish.throw,
                )
            )
        yield Box(
            place=place,
            plugin_seen_as=place.seen_as(plugin) if plugin is not None else None,
            claude_seen_as=place.seen_as(setting.claude.path.resolve()),
            gateway_url=INSIDE_URL if place.kind == "jail" else setting.gateway.url,
        )
