import http.client
import ssl
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import trustme

from harness.gateway.credential import Credential
from harness.gateway.forward import Forward
from harness.gateway.lane import Lane
from harness.gateway.server import Gateway
from tests.gateway.client import ask, conversation
from tests.gateway.upstream import EVENTS, Upstream, running

KEY = Credential(kind="api_key", value="sk-ant-real-key-1234", source="test")
OAUTH = Credential(kind="oauth", value="sk-ant-oat-real-1234", source="test")


@pytest.fixture
def upstream() -> Iterator[Upstream]:
    with running() as server:
        yield server


@pytest.fixture
def lane(gateway: Gateway, upstream: Upstream) -> Lane:
    return gateway.open("token", Forward(upstream.url, KEY))


def test_the_answer_comes_back_as_it_was(gateway: Gateway, lane: Lane) -> None:
    answer = ask(gateway.url, conversation(stream=True))
    assert (answer.status, answer.body) == (200, b"".join(EVENTS))
    assert (lane.pending, lane.streaming, lane.failure, lane.broken) == (0, 0, "", "")


def test_path_query_body_and_headers_arrive_unchanged(
    gateway: Gateway, lane: Lane, upstream: Upstream
) -> None:
    body = b'{"messages":[],  "odd":"spacing \xc3\xa9"}'
    headers = {"x-api-key": "token", "anthropic-beta": "b1,b2", "x-app": "cli", "User-Agent": "claude-cli/1"}
    ask(gateway.url, body, headers=headers, path="/v1/messages?beta=true&x=%2F")
    path, sent, arrived = upstream.seen[0]
    assert (path, arrived) == ("/v1/messages?beta=true&x=%2F", body)
    assert (sent["anthropic-beta"], sent["x-app"], sent["user-agent"]) == ("b1,b2", "cli", "claude-cli/1")
    assert sent["host"] == urlsplit(upstream.url).netloc


def test_an_api_key_replaces_the_placeholder(gateway: Gateway, lane: Lane, upstream: Upstream) -> None:
    ask(gateway.url, conversation())
    sent = upstream.seen[0][1]
    assert (sent["x-api-key"], sent.get("authorization")) == (KEY.value, None)


def test_an_oauth_token_replaces_the_placeholder_and_brings_its_beta(
    gateway: Gateway, upstream: Upstream
) -> None:
    gateway.open("token", Forward(upstream.url, OAUTH))
    ask(gateway.url, conversation(), headers={"Authorization": "Bearer token", "anthropic-beta": "b1"})
    sent = upstream.seen[0][1]
    assert (sent["authorization"], sent.get("x-api-key")) == (f"Bearer {OAUTH.value}", None)
    assert sent["anthropic-beta"] == "b1,oauth-2025-04-20"


def test_an_error_passes_with_its_headers(gateway: Gateway, lane: Lane, upstream: Upstream) -> None:
    upstream.mode = "overloaded"
    answer = ask(gateway.url, conversation())
    assert answer.error == (529, "overloaded_error")
    assert (answer.headers["retry-after"], answer.headers["request-id"]) == ("7", "req_1")
    assert (lane.first_failure_status, lane.retry_after_s) == (529, 7.0)


def test_a_stream_that_the_api_cuts_is_cut(gateway: Gateway, lane: Lane, upstream: Upstream) -> None:
    upstream.mode = "cut"
    with pytest.raises(http.client.IncompleteRead) as cut:
        ask(gateway.url, conversation(stream=True))
    assert cut.value.partial == b"".join(EVENTS[:3])
    assert "ClientPayloadError" in lane.broken


def test_a_connection_that_breaks_before_an_answer_is_broken(
    gateway: Gateway, lane: Lane, upstream: Upstream
) -> None:
    upstream.mode = "reset"
    with pytest.raises((ConnectionResetError, http.client.RemoteDisconnected)):
        ask(gateway.url, conversation())
    assert lane.broken.startswith("ServerDisconnectedError") and lane.last_status == 0


def test_an_upstream_that_is_not_there_is_a_broken_connection(gateway: Gateway) -> None:
    lane = gateway.open("token", Forward("http://127.0.0.1:9", KEY))
    with pytest.raises((ConnectionResetError, http.client.RemoteDisconnected)):
        ask(gateway.url, conversation())
    assert "Cannot connect" in lane.broken


def test_events_pass_when_they_come_not_at_the_end(gateway: Gateway, lane: Lane, upstream: Upstream) -> None:
    upstream.mode = "slow"
    where = urlsplit(gateway.url)
    connection = http.client.HTTPConnection(where.hostname or "", where.port, timeout=5)
    connection.request("POST", "/v1/messages", b"{}", {"x-api-key": "token"})
    response = connection.getresponse()
    began = time.monotonic()
    assert response.read1() == EVENTS[0]
    first_s = time.monotonic() - began
    assert response.read() == b"".join(EVENTS[1:])
    connection.close()
    assert first_s < 0.25 < time.monotonic() - began


def test_other_paths_are_forwarded_too(gateway: Gateway, lane: Lane, upstream: Upstream) -> None:
    ask(gateway.url, {}, path="/v1/files")
    assert upstream.seen[0][0] == "/v1/files"
    assert lane.requests == 0


def test_proxy_variables_are_not_followed(
    gateway: Gateway, lane: Lane, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    assert ask(gateway.url, conversation()).status == 200


def test_one_forward_serves_lanes_one_after_another(gateway: Gateway, upstream: Upstream) -> None:
    forward = Forward(upstream.url, KEY)
    for token in ("a", "b"):
        gateway.open(token, forward)
        assert ask(gateway.url, conversation(), token=token).status == 200
        gateway.close(token)


@pytest.fixture
def tls_upstream(tmp_path: Path) -> Iterator[tuple[Upstream, Path]]:
    """An upstream with a certificate of its own, and the root that vouches for it."""
    authority, context = trustme.CA(), ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("localhost").configure_cert(context)
    root = tmp_path / "root.pem"
    authority.cert_pem.write_to_path(str(root))
    with running(context) as server:
        yield server, root


def test_an_upstream_that_the_users_roots_vouch_for_is_trusted(
    gateway: Gateway, tls_upstream: tuple[Upstream, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    upstream, root = tls_upstream
    monkeypatch.setenv("SSL_CERT_FILE", str(root))
    gateway.open("token", Forward(upstream.url, KEY))
    assert ask(gateway.url, conversation()).status == 200


def test_an_upstream_that_nobody_vouches_for_never_sees_the_credential(
    gateway: Gateway, tls_upstream: tuple[Upstream, Path]
) -> None:
    upstream, _ = tls_upstream
    lane = gateway.open("token", Forward(upstream.url, KEY))
    with pytest.raises((ConnectionResetError, http.client.RemoteDisconnected)):
        ask(gateway.url, conversation())
    assert "certificate" in lane.broken.lower() and upstream.seen == []
