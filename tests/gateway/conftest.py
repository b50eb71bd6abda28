"""A gateway on a real port, and a plain HTTP client for it."""

import http.client
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import orjson
import pytest

from harness.gateway.server import Gateway


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> dict[str, object]:
        loaded = orjson.loads(self.body)
        assert isinstance(loaded, dict)
        return loaded

    @property
    def error(self) -> tuple[int, object]:
        """Status and error type."""
        error = self.json["error"]
        assert isinstance(error, dict)
        return self.status, error["type"]

    @property
    def events(self) -> list[dict[str, object]]:
        """The data of each server-sent event."""
        lines = self.body.decode().split("\n")
        return [orjson.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: ")]


def ask(
    url: str,
    body: object = None,
    *,
    token: str = "token",
    path: str = "/v1/messages?beta=true",
    method: str = "POST",
    headers: Mapping[str, str] | None = None,
    timeout_s: float = 10.0,
) -> Answer:
    """One request over a connection of its own; what http.client raises passes through."""
    where = urlsplit(url)
    assert where.hostname is not None
    connection = http.client.HTTPConnection(where.hostname, where.port, timeout=timeout_s)
    try:
        sent = {"x-api-key": token} if headers is None else dict(headers)
        payload = body if isinstance(body, bytes) else orjson.dumps(body)
        connection.request(method, path, payload, sent)
        got = connection.getresponse()
        found = {name.lower(): value for name, value in got.getheaders()}
        return Answer(status=got.status, headers=found, body=got.read())
    finally:
        connection.close()


def conversation(*said: str, first: str = "the prompt", stream: bool = False, system: str = "be good") -> object:
    """A request in which the model has already said each of ``said``."""
    messages: list[object] = [{"role": "user", "content": first}]
    for text in said:
        messages.append({"role": "assistant", "content": [{"type": "text", "text": text}]})
        messages.append({"role": "user", "content": [{"type": "text", "text": "go on"}]})
    blocks = [{"type": "text", "text": system}]
    return {"model": "m-1", "stream": stream, "system": blocks, "messages": messages}


@pytest.fixture
def gateway() -> Iterator[Gateway]:
    with Gateway() as running:
        yield running


Claude = Callable[..., list[dict[str, object]]]


@pytest.fixture
def claude(tmp_path: Path) -> Claude:
    """Run the real claude against a gateway: ``claude(url, token, *arguments)`` -> the events of its stream."""
    program = os.environ.get("HARNESS_CLAUDE") or shutil.which("claude") or _bundled()
    if program is None:
        pytest.skip("no claude on this machine: set HARNESS_CLAUDE or install the extra `claude`")
    for name in ("home", "config", "world", "tmp"):
        (tmp_path / name).mkdir()
    env = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path / "home"),
        "CLAUDE_CONFIG_DIR": str(tmp_path / "config"),
        "TMPDIR": str(tmp_path / "tmp"),
        "CLAUDE_CODE_TMPDIR": str(tmp_path / "tmp"),
        "IS_SANDBOX": "1",
        "CLAUDE_CODE_MAX_RETRIES": "3",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_TELEMETRY": "1",
        "DISABLE_AUTOUPDATER": "1",
    }

    def run(url: str, token: str, *arguments: str) -> list[dict[str, object]]:
        common = ["--model", "haiku", "--output-format", "stream-json", "--verbose"]
        done = subprocess.run(
            [program, "-p", *common, "--dangerously-skip-permissions", *arguments],
            env=env | {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": token},
            cwd=tmp_path / "world",
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=60,
            check=False,
        )
        return [orjson.loads(line) for line in done.stdout.split(b"\n") if line.startswith(b"{")]

    return run


def _bundled() -> str | None:
    from importlib.util import find_spec

    spec = find_spec("claude_agent_sdk")
    places = [Path(p) / "_bundled" / "claude" for p in (spec.submodule_search_locations or [])] if spec else []
    return next((str(p) for p in places if p.is_file()), None)
