"""``inspect view``, the real program, opens what was exported: its list of logs, a log, and the page itself."""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from urllib.error import URLError
from urllib.parse import quote
from urllib.request import ProxyHandler, build_opener

import pytest

from tests.report.runs import harness
from tests.report.test_inspect_log import rows

pytestmark = pytest.mark.skipif(
    find_spec("inspect_ai") is None, reason="inspect_ai is not installed (make setup-dev)"
)
_PATIENCE_S = 60.0
_direct = build_opener(ProxyHandler({}))


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port


def get(url: str) -> bytes:
    with _direct.open(url, timeout=20) as answer:
        body: bytes = answer.read()
        return body


@pytest.fixture(scope="module")
def viewer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a viewer of four exported runs."""
    place = tmp_path_factory.mktemp("inspect")
    rows(place / "results")
    assert harness("export", "inspect", "--out", "logs", cwd=place).code == 0
    port, log = free_port(), place / "view.log"
    words = ("-m", "inspect_ai", "view", "--host", "127.0.0.1", "--port", str(port), "--log-dir", "logs")
    with log.open("wb") as said:
        process = subprocess.Popen(
            [sys.executable, *words, "--display", "plain"],
            cwd=place,
            env={"PATH": os.environ["PATH"], "HOME": str(place), "PYTHONPATH": os.pathsep.join(sys.path)},
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=said,
        )
    try:
        wait_until_up(process, port, log)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(20)


def wait_until_up(process: "subprocess.Popen[bytes]", port: int, log: Path) -> None:
    give_up = time.monotonic() + _PATIENCE_S
    while True:
        assert process.poll() is None and time.monotonic() < give_up, log.read_text()
        try:
            get(f"http://127.0.0.1:{port}/api/log-dir")
        except (URLError, ConnectionError):
            time.sleep(0.1)
        else:
            return


def names(viewer: str) -> dict[str, str]:
    """Addresses of the logs by task."""
    listed = json.loads(get(f"{viewer}/api/logs"))
    return {str(file["task"]): str(file["name"]) for file in listed["files"]}


def test_each_arm_is_in_the_list(viewer: str) -> None:
    assert set(names(viewer)) == {"os-adr-new-haiku", "os-adr-baseline-haiku"}


def test_the_samples_are_there_with_their_scores(viewer: str) -> None:
    log = json.loads(get(f"{viewer}/api/logs/{quote(names(viewer)['os-adr-new-haiku'], safe='')}"))
    assert log["status"] == "success"
    told = [(s["id"], s["epoch"], {n: v["value"] for n, v in s["scores"].items()}) for s in log["samples"]]
    assert told == [
        ("R1", 1, {"verdict": "C", "axis_a": "C", "axis_b": "C"}),
        ("R1", 2, {"verdict": "I", "axis_a": "C", "axis_b": "I"}),
        ("R1", 3, {}),
    ]
    assert log["samples"][2]["error"]["message"].startswith("invalid (api_error)")


def test_the_page_itself_opens(viewer: str) -> None:
    assert b"<title>Inspect View</title>" in get(viewer)
