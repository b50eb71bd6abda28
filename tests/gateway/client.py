"""A plain HTTP client for the gateway, and the requests it sends."""

import http.client
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

import orjson


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


def conversation(
    *said: str, first: str = "the prompt", stream: bool = False, system: str = "be good"
) -> object:
    """A request in which the model has already said each of ``said``."""
    messages: list[object] = [{"role": "user", "content": first}]
    for text in said:
        messages.append({"role": "assistant", "content": [{"type": "text", "text": text}]})
        messages.append({"role": "user", "content": [{"type": "text", "text": "go on"}]})
    blocks = [{"type": "text", "text": system}]
    return {"model": "m-1", "stream": stream, "system": blocks, "messages": messages}
