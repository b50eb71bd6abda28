"""Measures how fast a recorded-like stream of about 200 MB becomes a transcript, beside json.loads per line.

Run: python bench/stream_throughput.py [megabytes]
"""

import json
import random
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from harness.claude.transcript import read_transcript

SESSION = "0b6f4a52-6f0e-4c3a-9d57-1f2e3d4c5b6a"
WORDS = [
    "def",
    "return",
    "self",
    "import",
    "value",
    "config",
    "path",
    "order",
    "total",
    "async",
    "await",
    "client",
    "None",
    "True",
    "result",
    "error",
    "index",
    "store",
    "cache",
    "query",
    "session",
    "request",
    "response",
    "shipping",
    "invoice",
    "customer",
    "basket",
    "price",
    "tax",
]


def code(rng: random.Random, size: int) -> str:
    """Text like a source file as the Read tool prints it: numbered lines with tabs, quotes and newlines."""
    lines: list[str] = []
    length = 0
    while length < size:
        indent = "    " * rng.randrange(4)
        words = " ".join(rng.choices(WORDS, k=rng.randrange(2, 11)))
        line = f'{len(lines) + 1}\t{indent}{words} = "{rng.choice(WORDS)}"'
        lines.append(line)
        length += len(line) + 1
    return "\n".join(lines)


def event(kind: str, message: object, number: int, **more: object) -> dict[str, object]:
    return {
        "type": kind,
        "message": message,
        "parent_tool_use_id": None,
        "session_id": SESSION,
        "uuid": f"{number:08x}-1111-4222-8333-444455556666",
        "timestamp": "2026-01-01T00:00:00.000Z",
        **more,
    }


def assistant(number: int, block: object) -> dict[str, object]:
    usage = {"input_tokens": 100, "output_tokens": 1, "cache_creation_input_tokens": 0}
    message = {
        "id": f"msg_{number // 3}",
        "type": "message",
        "role": "assistant",
        "model": "claude-haiku-5-5",
        "content": [block],
        "stop_reason": None,
        "usage": usage,
    }
    return event("assistant", message, number)


def turn(number: int, rng: random.Random) -> Iterator[dict[str, object]]:
    """A sentence, a call and its result, which the CLI writes twice: for the model, and parsed."""
    call, content = f"toolu_{number}", code(rng, int(rng.lognormvariate(8.3, 0.8)))
    yield assistant(number, {"type": "text", "text": "I look at the file that decides this first."})
    if number % 2:
        given: dict[str, object] = {"file_path": f"/world/src/module_{number}.py"}
        name = "Read"
        parsed: dict[str, object] = {
            "type": "text",
            "file": {"filePath": "/world/src/m.py", "content": content},
        }
    else:
        given = {"command": f"rg -n total src/module_{number}", "description": "Search"}
        name = "Bash"
        parsed = {"stdout": content, "stderr": "", "interrupted": False, "isImage": False}
    yield assistant(number, {"type": "tool_use", "id": call, "name": name, "input": given})
    result = {"type": "tool_result", "tool_use_id": call, "content": content, "is_error": False}
    meta = [{"id": call, "permission_decision": {"decision": "accept", "source": "config"}}]
    message = {"role": "user", "content": [result]}
    yield event("user", message, number, tool_use_result=parsed, tool_result_meta=meta)


def write_stream(path: Path, size: int) -> int:
    """Write at least ``size`` bytes and return the number of lines."""
    rng, number, lines = random.Random(7), 0, 0
    with path.open("w", encoding="utf-8") as stream:
        while stream.tell() < size:
            for entry in turn(number, rng):
                stream.write(json.dumps(entry, ensure_ascii=False, separators=(",", ":")) + "\n")
                lines += 1
            number += 1
    return lines


def loads_per_line(path: Path) -> int:
    kept = 0
    with path.open("rb") as stream:
        for line in stream:
            kept += bool(json.loads(line))
    return kept


def calls_in(path: Path) -> int:
    return len(read_transcript(path).calls)


def best_of(rounds: int, work: Callable[[Path], int], path: Path) -> float:
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        work(path)
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    megabytes = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "stream.jsonl"
        lines = write_stream(path, megabytes * 1_000_000)
        size = path.stat().st_size
        print(f"stream: {size / 1e6:.0f} MB, {lines} lines, mean {size / lines:.0f} bytes a line")
        for name, work in (("parse + transcript", calls_in), ("json.loads per line", loads_per_line)):
            spent = best_of(3, work, path)
            print(f"{name:<20} {size / 1e6 / spent:6.0f} MB/s  {spent / lines * 1e6:5.1f} µs a line")
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")


if __name__ == "__main__":
    main()
