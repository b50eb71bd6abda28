"""Skills and commands that nobody asked for: neither the CLI's own, nor the plugin's, nor the world's."""

import secrets
import tempfile
import threading
from pathlib import Path

from msgspec.structs import replace

from harness.claude.launch import build_launch
from harness.claude.own_names import OWN_NAMES, listed_names, names_in
from harness.claude.process import Command, supervise
from harness.claude.transcript import read_transcript
from harness.engine.box import open_box
from harness.engine.models import api_env
from harness.engine.setting import Setting
from harness.model.cell import Arm, Cell
from harness.model.event import Init
from harness.model.scenario import Limits

_LIMITS = Limits(timeout_s=20, startup_s=20, idle_s=20, grace_s=0.2)
_asked: dict[tuple[str, str, str], frozenset[str]] = {}
_lock = threading.Lock()


def strangers(init: Init, plugin: str | None, skill: str, cell: Cell, setting: Setting) -> tuple[str, ...]:
    """The names, sorted; ``skill`` is the one under test, or ''. A CLI that lists one is asked once what it lists in an empty world."""
    unknown = {
        name for name in listed_names(init) - OWN_NAMES if plugin is None or not name.startswith(f"{plugin}:")
    }
    unknown -= {skill}
    # What was asked before costs nothing; asking a CLI costs more than reading a fixture.
    unknown -= _asked.get(_key(setting), frozenset())
    if unknown:
        unknown -= names_in(cell.scenario.fixture)
    if unknown:
        unknown -= _own_names(cell, setting)
    return tuple(sorted(unknown))


def _key(setting: Setting) -> tuple[str, str, str]:
    return str(setting.claude.path), setting.claude.version, setting.sandbox


def _own_names(cell: Cell, setting: Setting) -> frozenset[str]:
    key = _key(setting)
    with _lock:
        if key not in _asked:
            _asked[key] = _ask(cell, setting)
        return _asked[key]


def _ask(cell: Cell, setting: Setting) -> frozenset[str]:
    """What claude lists where there is nothing; its request is turned away, since only its start matters."""
    token = secrets.token_urlsafe(24)
    with tempfile.TemporaryDirectory(prefix="harness-empty-") as folder:
        place = Path(folder)
        (place / "world").mkdir()
        bare = replace(
            cell,
            arm=Arm(name="baseline", plugin=None, plugin_digest=""),
            scenario=replace(cell.scenario, fixture=place / "world", prompt="."),
        )
        with open_box(bare, replace(setting, keep=False), token) as box:
            launch = build_launch(
                bare,
                claude=box.claude_seen_as,
                plugin_dir=None,
                limits=_LIMITS,
                deny=(),
                sandbox_env=box.place.env,
                api_env={
                    **api_env(bare, token, box.gateway_url, setting),
                    "CLAUDE_CODE_MAX_RETRIES": "0",
                },
            )
            command = Command(
                argv=box.place.wrap(launch.argv),
                env=launch.env,
                cwd=box.place.cwd,
                stdin=None,
                token=token,
                wrapped=box.place.kind == "jail",
                owned=box.place.root,
            )
            stream = place / "stream.jsonl"
            supervise(command, stdout=stream, stderr=place / "stderr.log", limits=_LIMITS, stop=setting.stop)
        init = read_transcript(stream).init if stream.is_file() else None
    return listed_names(init) if init is not None else frozenset()
