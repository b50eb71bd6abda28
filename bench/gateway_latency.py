"""What the gateway adds: latency of forwarded requests, CPU of scripted ones, memory of 200 streams, size of records.

    python bench/gateway_latency.py [latency] [scripted] [streams] [size]

The upstream and the clients are processes of their own, so that the numbers are the gateway's.
"""

import asyncio
import multiprocessing
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path

import aiohttp
import orjson
from aiohttp import web

from harness.gateway.credential import Credential
from harness.gateway.forward import Forward
from harness.gateway.scripted import ScriptedModel
from harness.gateway.server import Gateway
from harness.gateway.wire import read_wire
from harness.model.scenario import Playbook, Turn

KEY = Credential(kind="api_key", value="sk-ant-bench-0000000", source="bench")
EVENT = b'event: content_block_delta\ndata: {"type":"content_block_delta","delta":{"text":"%s"}}\n\n' % (
    b"x" * 120
)
EVENTS = 400
PAUSE_S = 0.005


def request_body(turns: int, size: int = 50_000) -> bytes:
    """A conversation of ``turns`` answers whose first message is ``size`` characters of prose-like text."""
    prose = " ".join(f"word{n * 7919 % 9973}" for n in range(size // 9))
    messages: list[object] = [{"role": "user", "content": prose}]
    for n in range(turns):
        messages.append({"role": "assistant", "content": f"Answer {n}: {prose[n * 50 : n * 50 + 800]}"})
        messages.append({"role": "user", "content": f"Result {n}: {prose[n * 90 : n * 90 + 1500]}"})
    return orjson.dumps({"model": "m", "stream": True, "messages": messages})


def upstream(port: Connection) -> None:
    """Answers at once with one event, or with a long slow stream where the path says so."""

    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        await request.content.read()
        response = web.StreamResponse(headers={"content-type": "text/event-stream"})
        await response.prepare(request)
        slow = "slow" in request.query_string
        for _ in range(EVENTS if slow else 1):
            await response.write(EVENT)
            if slow:
                await asyncio.sleep(PAUSE_S)
        await response.write_eof()
        return response

    async def serve() -> None:
        server = web.Server(answer, access_log=None)
        listener = await asyncio.get_running_loop().create_server(server, "127.0.0.1", 0, backlog=512)
        port.send(listener.sockets[0].getsockname()[1])
        await asyncio.Event().wait()

    asyncio.run(serve())


def ask_many(url: str, count: int, at_once: int, query: str, out: Connection) -> None:
    """Time to the first byte of ``count`` requests, ``at_once`` side by side."""

    async def one(session: aiohttp.ClientSession, body: bytes) -> float:
        began = time.perf_counter()
        headers = {"x-api-key": "token"}
        async with session.post(f"{url}/v1/messages{query}", data=body, headers=headers) as got:
            await got.content.readany()
            first = time.perf_counter() - began
            async for _ in got.content.iter_any():
                pass
        return first

    async def run() -> list[float]:
        bodies = [request_body(n % 10) for n in range(10)]
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
            times: list[float] = []
            for start in range(0, count, at_once):
                batch = [one(session, bodies[(start + n) % 10]) for n in range(at_once)]
                times += await asyncio.gather(*batch)
            return times

    out.send(asyncio.run(run()))


def in_a_process(work: Callable[..., None], *arguments: object) -> tuple[multiprocessing.Process, Connection]:
    ours, theirs = multiprocessing.get_context("spawn").Pipe()
    process = multiprocessing.get_context("spawn").Process(
        target=work, args=(*arguments, theirs), daemon=True
    )
    process.start()
    return process, ours  # type: ignore[return-value]


def measure(url: str, count: int, at_once: int = 1, query: str = "") -> list[float]:
    process, out = in_a_process(ask_many, url, count, at_once, query)
    times: list[float] = out.recv()
    process.join()
    return times


def latency(server: str) -> None:
    direct = measure(server, 200)
    with tempfile.TemporaryDirectory() as folder, Gateway() as gateway:
        gateway.open("token", Forward(server, KEY))
        forwarded = measure(gateway.url, 200)
        gateway.close("token")
        gateway.open("token", Forward(server, KEY), wire=Path(folder) / "wire")
        recorded = measure(gateway.url, 200)
    middle = [statistics.median(times) * 1000 for times in (direct, forwarded, recorded)]
    print(
        f"first byte, median ms: direct {middle[0]:.2f}, forwarded {middle[1]:.2f}, recorded {middle[2]:.2f}"
    )
    print(
        f"added: {middle[1] - middle[0]:.2f} ms forwarding, {middle[2] - middle[0]:.2f} ms with a record (<= 5)"
    )


def scripted(server: str) -> None:
    book = Playbook(
        name="b",
        kind="ideal",
        note="",
        path=Path("b.yaml"),
        turns=tuple(Turn(text=f"turn {n}") for n in range(10)),
    )
    for wire in (False, True):
        with tempfile.TemporaryDirectory() as folder, Gateway() as gateway:
            gateway.open("token", ScriptedModel(book, {}), wire=Path(folder) / "wire" if wire else None)
            began = time.process_time()
            measure(gateway.url, 400)
            spent = (time.process_time() - began) / 400 * 1000
        print(f"scripted{', recorded' if wire else ''}: {spent:.2f} ms CPU a request of about 60 kB")


def streams(server: str) -> None:
    with tempfile.TemporaryDirectory() as folder, Gateway() as gateway:
        gateway.open("token", Forward(server, KEY), wire=Path(folder) / "wire")
        times = measure(gateway.url, 200, 200, "?slow")
        done = sum(e.ended == "complete" for e in read_wire(Path(folder) / "wire"))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"200 streams of {EVENTS} events: {done} complete, {len(times)} asked, peak {peak:.0f} MB (<= 150)")


def size(server: str) -> None:
    with tempfile.TemporaryDirectory() as folder, Gateway() as gateway:
        gateway.open("token", Forward(server, KEY), wire=Path(folder) / "wire")
        measure(gateway.url, 10)
        gateway.close("token")
        kept = (Path(folder) / "wire").stat().st_size
    raw = sum(len(request_body(n)) for n in range(10))
    print(f"record of 10 turns: {kept} of {raw} bytes, {100 * kept / raw:.1f} % (<= 15)")


def main() -> None:
    wanted = sys.argv[1:] or ["streams", "latency", "scripted", "size"]
    process, port = in_a_process(upstream)
    server = f"http://127.0.0.1:{port.recv()}"
    for name, work in {"streams": streams, "latency": latency, "scripted": scripted, "size": size}.items():
        if name in wanted:
            work(server)
    process.kill()
    process.join()


if __name__ == "__main__":
    main()
