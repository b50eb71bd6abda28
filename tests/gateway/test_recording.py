import contextlib
import http.client
from collections.abc import Callable, Iterator
from pathlib import Path

import orjson
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from harness.gateway.credential import Credential
from harness.gateway.exchange import Request
from harness.gateway.forward import Forward
from harness.gateway.scripted import ScriptedModel
from harness.gateway.server import Gateway
from harness.gateway.wire import Recorded, WireWriter, began_at_ms, read_wire
from harness.model.scenario import Turn
from harness.redact import Redactor
from tests.gateway.client import ask, conversation
from tests.gateway.playbooks import playbook, turn
from tests.gateway.upstream import EVENTS, Upstream, running

Claude = Callable[..., list[dict[str, object]]]
KEY = Credential(kind="api_key", value="a-very-real-key", source="test")


@pytest.fixture
def upstream() -> Iterator[Upstream]:
    with running() as server:
        yield server


def record(upstream: Upstream, wire: Path, body: object) -> list[Recorded]:
    with Gateway(secrets=[KEY.value]) as gateway:
        gateway.open("token", Forward(upstream.url, KEY), wire=wire)
        with contextlib.suppress(http.client.HTTPException, ConnectionError, TimeoutError):
            ask(gateway.url, body, timeout_s=2.0)
    return list(read_wire(wire))


def test_an_exchange_is_kept_whole(upstream: Upstream, tmp_path: Path) -> None:
    [kept] = record(upstream, tmp_path / "wire", conversation(stream=True))
    assert (kept.n, kept.method, kept.path) == (1, "POST", "/v1/messages?beta=true")
    assert kept.body == conversation(stream=True)
    assert (kept.status, kept.text, kept.ended) == (200, b"".join(EVENTS).decode(), "complete")
    assert kept.response_headers["content-type"].startswith("text/event-stream")


def test_a_slow_stream_keeps_its_times(upstream: Upstream, tmp_path: Path) -> None:
    upstream.mode = "slow"
    [kept] = record(upstream, tmp_path / "wire", conversation(stream=True))
    times = [at for at, _ in kept.chunks]
    assert len(times) == 5 and times == sorted(times) and times[-1] - times[0] > 300


@pytest.mark.parametrize(
    ("mode", "status", "text", "ended"),
    [
        ("cut", 200, b"".join(EVENTS[:3]).decode(), "cut"),
        ("reset", 0, "", "reset"),
        (
            "overloaded",
            529,
            '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}',
            "complete",
        ),
    ],
)
def test_what_went_wrong_is_kept_as_it_was(
    upstream: Upstream, tmp_path: Path, mode: str, status: int, text: str, ended: str
) -> None:
    upstream.mode = mode
    [kept] = record(upstream, tmp_path / "wire", conversation(stream=True))
    assert (kept.status, kept.text, kept.ended) == (status, text, ended)


def test_a_client_that_leaves_is_gone(tmp_path: Path) -> None:
    with Gateway() as gateway:
        gateway.open("token", ScriptedModel(playbook(Turn(fault="hang")), {}), wire=tmp_path / "wire")
        with pytest.raises(TimeoutError):
            ask(gateway.url, conversation(), timeout_s=0.3)
    [kept] = read_wire(tmp_path / "wire")
    assert (kept.status, kept.ended) == (0, "gone")


def test_no_secret_is_in_the_recording(upstream: Upstream, tmp_path: Path) -> None:
    planted = f"my key is {KEY.value} or sk-ant-api03-abcdefghij or Bearer abcdefghijklmnopqrst."
    record(upstream, tmp_path / "wire", conversation(first=planted))
    with (tmp_path / "wire").open("rb") as file:
        raw = zstandard.ZstdDecompressor().stream_reader(file).read()
    assert b"my key is [removed] or [removed] or [removed]" in raw
    for secret in (KEY.value, "sk-ant-api03", "abcdefghijklmnopqrst", '"x-api-key":"token"'):
        assert secret.encode() not in raw


def test_every_finished_exchange_survives_a_crash(tmp_path: Path) -> None:
    writer = WireWriter(tmp_path / "wire")
    for _ in range(2):
        number = writer.begin(Request(method="POST", path="/", headers={}, body=b"{}"))
        writer.write({"n": number, "t": 1, "ended": "complete"})
        writer.flush()
    writer.begin(Request(method="POST", path="/", headers={}, body=b'{"lost":1}'))
    left = (tmp_path / "wire").read_bytes()
    writer.close()
    (tmp_path / "torn").write_bytes(left)
    assert [(r.n, r.ended) for r in read_wire(tmp_path / "torn")] == [(1, "complete"), (2, "complete")]
    assert began_at_ms(tmp_path / "torn") > 0


@given(cut=st.integers(min_value=0, max_value=400))
def test_reading_a_torn_recording_never_raises(sample: Path, cut: int) -> None:
    torn = sample.with_name("torn")
    torn.write_bytes(sample.read_bytes()[:cut])
    assert len(list(read_wire(torn))) <= 3


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sample") / "wire"
    writer = WireWriter(path)
    for _ in range(3):
        number = writer.begin(Request(method="POST", path="/", headers={"a": "b"}, body=b'{"x":[1,2]}'))
        writer.write({"n": number, "t": 1, "status": 200, "headers": {}})
        writer.write({"n": number, "t": 1, "ended": "complete"})
        writer.flush()
    writer.close()
    return path


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"sk-ant-oat01-abc_DEF-123", b"[removed]"),
        (b"Authorization: bearer abcdefghijklmnop1234", b"Authorization: [removed]"),
        (b"the bearer of bad news", b"the bearer of bad news"),
        (b"known-value-1 and known-value-12", b"[removed] and [removed]"),
    ],
    ids=["key-shape", "bearer", "a-word", "known-longest-first"],
)
def test_secrets_by_shape_and_by_value(text: bytes, expected: bytes) -> None:
    assert Redactor(["known-value-1", "known-value-12", "abc"]).clean(text) == expected


def test_a_real_conversation_of_ten_turns_costs_little_more_than_its_first_request(
    claude: Claude, tmp_path: Path
) -> None:
    turns = [turn(f"Step {n}.", ("Bash", {"command": f"seq {n} 60"})) for n in range(9)]
    with Gateway() as gateway:
        lane = gateway.open(
            "token", ScriptedModel(playbook(*turns, turn("Done.")), {}), wire=tmp_path / "wire"
        )
        claude(gateway.url, "token", "count")
    exchanges = list(read_wire(tmp_path / "wire"))
    raw = sum(len(orjson.dumps(e.body)) + len(e.text) for e in exchanges)
    assert (lane.failure, len(exchanges)) == ("", 10)
    assert (tmp_path / "wire").stat().st_size < 0.15 * raw
