"""The real claude for the tests of this folder."""

import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import orjson
import pytest

from harness.gateway.exchange import Responder
from harness.gateway.server import Gateway


def program() -> str:
    """A claude to run, or the test is skipped."""
    spec = find_spec("claude_agent_sdk")
    places = (spec.submodule_search_locations or []) if spec else []
    bundled = [Path(p) / "_bundled" / "claude" for p in places]
    found = os.environ.get("HARNESS_CLAUDE") or shutil.which("claude")
    found = found or next((str(p) for p in bundled if p.is_file()), None)
    if found is None:
        pytest.skip("no claude on this machine: set HARNESS_CLAUDE or install the extra `claude`")
    return found


@dataclass(frozen=True, slots=True)
class Place:
    """The folders of one run."""

    world: Path
    config: Path
    home: Path

    @classmethod
    def below(cls, root: Path) -> "Place":
        made = cls(root / "world", root / "config", root / "home")
        for folder in (made.world, made.home):
            folder.mkdir(parents=True, exist_ok=True)
        return made


def run_claude(
    place: Place, model: Responder, arguments: Sequence[str], prompt: str
) -> list[dict[str, object]]:
    """The events of one run against ``model``."""
    with Gateway() as gateway:
        gateway.open("token", model)
        env = {
            "PATH": os.environ["PATH"],
            "HOME": str(place.home),
            "CLAUDE_CONFIG_DIR": str(place.config),
            "TMPDIR": str(place.home),
            "CLAUDE_CODE_TMPDIR": str(place.home),
            "IS_SANDBOX": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_TELEMETRY": "1",
            "DISABLE_AUTOUPDATER": "1",
            "ANTHROPIC_BASE_URL": gateway.url,
            "ANTHROPIC_API_KEY": "token",
        }
        common = ["-p", "--model", "haiku", "--output-format", "stream-json", "--verbose"]
        done = subprocess.run(
            [program(), *common, "--dangerously-skip-permissions", *arguments, "--", prompt],
            cwd=place.world,
            env=env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=60,
            check=False,
        )
    return [orjson.loads(line) for line in done.stdout.split(b"\n") if line.startswith(b"{")]
