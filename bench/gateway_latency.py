"""What the gateway adds: latency when forwarding, CPU when scripted, memory of 200 streams, size of records.

    python bench/gateway_latency.py [latency] [scripted] [streams] [size]

The upstream and the clients are processes of their own, so that the numbers are the gateway's.
"""

import asyncio
import multiprocessing
import os
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

    async def run() -> list[float]:
        bodies = [request_body(n % 10) for n in range(10)]
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
            times: list[float] = []
            for start in range(0, count, at_once):
                batch = [
                    first_byte_s(session, url, "token", bodies[(start + n) % 10], query)
                    for n in range(at_once)
                ]
                times += await asyncio.gather(*batch)
            return times

    out.send(asyncio.run(run()))


def ask_in_turn(ways: list[tuple[str, str]], rounds: int, out: Connection) -> None:
    """Time to the first byte of each (url, token), one after another, ``rounds`` times."""

    async def run() -> list[list[float]]:
        bodies = [request_body(n) for n in range(10)]
        async with aiohttp.ClientSession() as session:
            return [
                [await first_byte_s(session, url, token, bodies[n % 10]) for url, token in ways]
                for n in range(rounds)
            ]

    out.send(asyncio.run(run()))


async def first_byte_s(
    session: aiohttp.ClientSession, url: str, token: str, body: bytes, query: str = ""
) -> float:
    began = time.perf_counter()
    async with session.post(f"{url}/v1/messages{query}", data=body, headers={"x-api-key": token}) as got:
        await got.content.readany()
        first = time.perf_counter() - began
        async for _ in got.content.iter_any():
            pass
    return first


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
    """Direct, forwarded and recorded in turn, one request each: on a busy machine the load changes faster
    than a series lasts, and would otherwise be counted as the gateway's."""
    with tempfile.TemporaryDirectory() as folder, Gateway() as gateway:
        forward = Forward(server, KEY)
        gateway.open("plain", forward)
        gateway.open("recorded", forward, wire=Path(folder) / "wire")
        ways = [(server, "plain"), (gateway.url, "plain"), (gateway.url, "recorded")]
        process, out = in_a_process(ask_in_turn, ways, 200)
        rounds: list[list[float]] = out.recv()
        process.join()
    direct, forwarded, recorded = (sorted(t * 1000 for t in way) for way in zip(*rounds, strict=True))
    for name, times in (("direct", direct), ("forwarded", forwarded), ("recorded", recorded)):
        print(f"first byte ms, {name}: median {times[100]:.2f}, fastest tenth {times[20]:.2f}")
    added = [statistics.median((r[way] - r[0]) * 1000 for r in rounds) for way in (1, 2)]
    load = os.getloadavg()[0]
    print(f"added, median of pairs: {added[0]:.2f} ms forwarding, {added[1]:.2f} ms with a record")
    print(f"(<= 5 on a quiet machine; the load here is {load:.1f} on {os.cpu_count()} cores)")


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
