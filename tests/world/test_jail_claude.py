"""The real claude in the jail: it reaches the gateway, and nothing else of the machine."""

import http.server
import json
import os
import socket
import socketserver
import threading
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.claude.binary import Claude, find_claude
from harness.claude.process import Command, supervise
from harness.errors import UserError
from harness.model.scenario import Limits
from harness.world.jail import open_jail
from harness.world.kernel import kernel_offers


def _claude() -> Claude | None:
    try:
        return find_claude(None, os.environ)
    except UserError:
        return None


pytestmark = [
    pytest.mark.skipif(kernel_offers().bwrap is None, reason=f"no jail here: {kernel_offers().why}"),
    pytest.mark.skipif(_claude() is None, reason="no claude is installed here"),
]


class _Refusing(http.server.BaseHTTPRequestHandler):
    """Answers every request as the API does for a key that it does not know."""

    seen: list[dict[str, str]]

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("content-length", 0)))
        self.seen.append({"path": self.path, "key": self.headers.get("x-api-key", "")})
        body = b'{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}'
        self.send_response(401)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass

    def address_string(self) -> str:
        return "unix"


class _UnixServer(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True

    def get_request(self) -> tuple[socket.socket, tuple[str, int]]:
        request, _ = super().get_request()
        return request, ("unix", 0)


@pytest.fixture
def gateway(tmp_path: Path) -> Iterator[tuple[Path, list[dict[str, str]]]]:
    seen: list[dict[str, str]] = []
    place = tmp_path / "gw.sock"
    with _UnixServer(str(place), type("Handler", (_Refusing,), {"seen": seen})) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield place, seen
        server.shutdown()


def test_claude_reaches_the_gateway_through_the_socket_alone(
    tmp_path: Path, gateway: tuple[Path, list[dict[str, str]]]
) -> None:
    claude = _claude()
    assert claude is not None
    (tmp_path / "fixture").mkdir()
    (tmp_path / "fixture/a.txt").write_text("one\n")
    with open_jail(tmp_path / "fixture", token="t", claude=claude.path, gateway=gateway[0]) as jail:
        words = ("-p", "hello", "--output-format", "stream-json", "--verbose", "--model", "haiku")
        command = Command(
            argv=jail.wrap((jail.seen_as(claude.path), *words)),
            env={
                **jail.env,
                # Nothing listens there: the socket takes its place.
                "ANTHROPIC_BASE_URL": "http://127.0.0.1:1/run-7",
                "ANTHROPIC_API_KEY": "placeholder",
                "CLAUDE_CODE_MAX_RETRIES": "0",
                "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
                "DISABLE_AUTOUPDATER": "1",
            },
            cwd=jail.cwd,
            stdin=None,
            token=uuid.uuid4().hex,
            wrapped=True,
        )
        out, err = tmp_path / "stream.jsonl", tmp_path / "stderr.log"
        end = supervise(command, stdout=out, stderr=err, limits=Limits(timeout_s=60))
        events = [json.loads(line) for line in out.read_bytes().split(b"\n") if line]
    assert (end.limit, end.result_seen, end.survivors_left) == ("", True, 0), err.read_text()
    init = next(e for e in events if e.get("subtype") == "init")
    result = next(e for e in events if e["type"] == "result")
    assert init["cwd"] == "/world"
    assert result["api_error_status"] == 401
    asked = [s for s in gateway[1] if s["path"].startswith("/run-7/v1/messages")]
    assert [s["key"] for s in asked] == ["placeholder"] * len(asked)
    assert asked
