"""A gateway on a real port, and the real claude to talk to it."""

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import orjson
import pytest

from harness.gateway.server import Gateway


@pytest.fixture
def gateway() -> Iterator[Gateway]:
    with Gateway() as running:
        yield running


Claude = Callable[..., list[dict[str, object]]]


@pytest.fixture
def claude(tmp_path: Path) -> Claude:
    """The real claude against a gateway: ``claude(url, token, *arguments)`` -> the events of its stream."""
    program = os.environ.get("HARNESS_CLAUDE") or shutil.which("claude") or _bundled()
    if program is None:
        pytest.skip("no claude on this machine: set HARNESS_CLAUDE or install the extra `claude`")

    def run(url: str, token: str, *arguments: str, place: str = "run") -> list[dict[str, object]]:
        root = tmp_path / place
        for name in ("home", "config", "world", "tmp"):
            (root / name).mkdir(parents=True, exist_ok=True)
        common = ["--model", "haiku", "--output-format", "stream-json", "--verbose"]
        done = subprocess.run(
            [program, "-p", *common, "--dangerously-skip-permissions", *arguments],
            env=_environment(root) | {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": token},
            cwd=root / "world",
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=60,
            check=False,
        )
        return [orjson.loads(line) for line in done.stdout.split(b"\n") if line.startswith(b"{")]

    return run


def _environment(root: Path) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(root / "home"),
        "CLAUDE_CONFIG_DIR": str(root / "config"),
        "TMPDIR": str(root / "tmp"),
        "CLAUDE_CODE_TMPDIR": str(root / "tmp"),
        "IS_SANDBOX": "1",
        "CLAUDE_CODE_MAX_RETRIES": "3",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_TELEMETRY": "1",
        "DISABLE_AUTOUPDATER": "1",
    }


def _bundled() -> str | None:
    from importlib.util import find_spec

    spec = find_spec("claude_agent_sdk")
    roots = (spec.submodule_search_locations or []) if spec else []
    places = (Path(root) / "_bundled" / "claude" for root in roots)
    return next((str(place) for place in places if place.is_file()), None)
