import socket
import threading
import time
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from harness.gateway.exchange import Reply, Request, Responder
from harness.gateway.lane import Lane
from harness.gateway.scripted import ScriptedModel
from harness.gateway.server import MAX_BODY_BYTES, Gateway
from harness.model.scenario import Turn
from tests.gateway.client import ask, conversation
from tests.gateway.playbooks import playbook, turn

HI = playbook(turn("hi"))


@pytest.mark.parametrize(
    "headers",
    [{"x-api-key": "token"}, {"Authorization": "Bearer token"}, {"authorization": "bearer token"}],
    ids=["api-key", "bearer", "lower-case"],
)
def test_a_token_names_its_lane_by_either_header(gateway: Gateway, headers: dict[str, str]) -> None:
    gateway.open("token", ScriptedModel(HI, {}))
    assert ask(gateway.url, conversation(), headers=headers).status == 200


def test_an_unknown_token_is_refused_as_the_api_does(gateway: Gateway) -> None:
    gateway.open("token", ScriptedModel(HI, {}))
    assert ask(gateway.url, conversation(), token="other").error == (401, "authentication_error")


def test_a_closed_lane_is_unknown(gateway: Gateway) -> None:
    gateway.open("token", ScriptedModel(HI, {}))
    gateway.close("token")
    assert ask(gateway.url, conversation()).status == 401


def test_a_token_is_open_only_once(gateway: Gateway) -> None:
    gateway.open("token", ScriptedModel(HI, {}))
    with pytest.raises(ValueError, match="open already"):
        gateway.open("token", ScriptedModel(HI, {}))


@pytest.mark.parametrize("path", ["/v1/complete", "/v1/models", "/nothing?x=1"])
def test_other_paths_get_the_apis_not_found(gateway: Gateway, path: str) -> None:
    gateway.open("token", ScriptedModel(HI, {}))
    assert ask(gateway.url, method="GET", path=path).error == (404, "not_found_error")


@pytest.mark.parametrize("method", ["HEAD", "GET"])
def test_the_root_answers_a_probe(gateway: Gateway, method: str) -> None:
    assert ask(gateway.url, method=method, path="/").status == 200


def test_two_lanes_do_not_share_a_playbook(gateway: Gateway) -> None:
    gateway.open("a", ScriptedModel(playbook(turn("from a")), {}))
    gateway.open("b", ScriptedModel(playbook(turn("from b")), {}))
    said = [ask(gateway.url, conversation(), token=token).json["content"] for token in ("a", "b")]
    assert said == [[{"type": "text", "text": "from a"}], [{"type": "text", "text": "from b"}]]


def test_a_large_body_is_taken(gateway: Gateway) -> None:
    lane = gateway.open("token", ScriptedModel(HI, {}))
    assert ask(gateway.url, conversation(first="x" * 20_000_000)).status == 200
    assert lane.requests == 1


def test_a_body_over_the_limit_is_refused_before_it_is_read(gateway: Gateway) -> None:
    gateway.open("token", ScriptedModel(HI, {}))
    headers = {"x-api-key": "token", "Content-Length": str(MAX_BODY_BYTES + 1)}
    assert ask(gateway.url, b"", headers=headers).error == (413, "request_too_large")


def test_the_unix_socket_serves_the_same_lanes(tmp_path: Path) -> None:
    path = tmp_path / "gateway.sock"
    with Gateway(path) as gateway:
        gateway.open("token", ScriptedModel(HI, {}))
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(str(path))
            client.sendall(b"POST /v1/messages/count_tokens HTTP/1.1\r\nHost: x\r\nx-api-key: token\r\n")
            client.sendall(b"Content-Length: 2\r\nConnection: close\r\n\r\n{}")
            answer = client.makefile("rb").read()
    assert answer.startswith(b"HTTP/1.1 200 OK") and b'"input_tokens"' in answer
    assert not path.exists()


def test_a_pending_request_is_counted_until_the_client_leaves(gateway: Gateway) -> None:
    lane = gateway.open("token", ScriptedModel(playbook(Turn(fault="hang")), {}))
    with pytest.raises(TimeoutError):
        ask(gateway.url, conversation(), timeout_s=0.3)
    assert lane.requests == 1
    _until(lambda: lane.pending == 0)


def test_pending_is_one_while_the_model_thinks(gateway: Gateway) -> None:
    lane = gateway.open("token", ScriptedModel(playbook(Turn(text="hi", delay_s=0.4)), {}))
    client = threading.Thread(target=ask, args=(gateway.url, conversation()))
    client.start()
    _until(lambda: lane.pending == 1)
    client.join()
    assert (lane.pending, lane.streaming, lane.last_status) == (0, 0, 200)


def test_closing_a_lane_ends_its_hanging_requests(gateway: Gateway) -> None:
    gateway.open("token", ScriptedModel(playbook(Turn(fault="hang")), {}))
    where = urlsplit(gateway.url)
    with socket.create_connection((where.hostname, where.port), timeout=5) as client:
        client.sendall(b"POST /v1/messages HTTP/1.1\r\nHost: x\r\nx-api-key: token\r\n")
        client.sendall(b'Content-Length: 15\r\n\r\n{"messages":[]}')
        time.sleep(0.2)
        gateway.close("token")
        assert client.recv(10) == b""


def test_the_gateway_stops_at_once_with_a_hanging_request() -> None:
    with Gateway() as gateway:
        gateway.open("token", ScriptedModel(playbook(Turn(fault="hang")), {}))
        with pytest.raises(TimeoutError):
            ask(gateway.url, conversation(), timeout_s=0.2)
        began = time.monotonic()
    assert time.monotonic() - began < 2


def test_the_first_request_is_kept_as_text(gateway: Gateway) -> None:
    lane = gateway.open("token", ScriptedModel(playbook(turn("a"), turn("b")), {}))
    ask(gateway.url, conversation(first="what the hook said", system="SYSTEM"))
    ask(gateway.url, conversation("a", first="what the hook said"))
    assert lane.first_request == "SYSTEM\nwhat the hook said"


def test_a_subagents_request_is_not_the_first_of_the_main_loop(gateway: Gateway) -> None:
    lane = gateway.open("token", ScriptedModel(HI, {}))
    ask(gateway.url, conversation(system="cc_is_subagent=true;"))
    assert lane.first_request == ""


class Broken(Responder):
    async def answer(self, request: Request, reply: Reply, lane: Lane) -> None:
        raise RuntimeError("a mistake of ours")


def test_a_responder_that_raises_is_a_failure_of_its_lane(gateway: Gateway) -> None:
    lane = gateway.open("token", Broken())
    with pytest.raises(ConnectionResetError):
        ask(gateway.url, conversation())
    assert lane.failure == "the gateway failed: RuntimeError: a mistake of ours"


def test_a_record_that_cannot_be_written_is_a_failure_of_its_lane(gateway: Gateway, tmp_path: Path) -> None:
    lane = gateway.open("token", ScriptedModel(HI, {}), wire=tmp_path / "nowhere" / "wire")
    with pytest.raises(ConnectionResetError):
        ask(gateway.url, conversation())
    assert "nowhere" in lane.failure


def _until(holds: object, within_s: float = 3.0) -> None:
    assert callable(holds)
    end = time.monotonic() + within_s
    while not holds():
        assert time.monotonic() < end, "did not become true in time"
        time.sleep(0.01)
