"""What the growing stream tells, whatever pieces it comes in."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.claude.progress import LINE_LIMIT_BYTES, Progress

INIT = b'{"type":"system","subtype":"init"}\n'
RESULT = b'{"duration_ms":1,"type": "result","subtype":"success"}\n'
ASSISTANT = b'{"type":"assistant","message":{}}\n'
RETRY = b'{"type":"system","subtype":"api_retry","attempt":1}\n'
AGENT = b'{"type":"system","subtype":"background_tasks_changed","tasks":[{"task_type":"local_agent"}]}\n'
SHELL = b'{"type":"system","subtype":"background_tasks_changed","tasks":[{"task_type":"local_bash"}]}\n'
NO_TASKS = b'{"type":"system","subtype":"background_tasks_changed","tasks":[]}\n'


def _told(data: bytes) -> tuple[bool, bool, bool, bool]:
    progress = Progress()
    progress.feed(data)
    return progress.init_seen, progress.result_seen, progress.over, progress.moved


@pytest.mark.parametrize(
    ("data", "init", "result", "over", "moved"),
    [
        pytest.param(b"", False, False, False, False, id="nothing"),
        pytest.param(b"\n\r\n", False, False, False, False, id="blank"),
        pytest.param(INIT, True, False, False, True, id="init"),
        pytest.param(INIT[:-1], False, False, False, False, id="unfinished"),
        pytest.param(INIT + RESULT, True, True, True, True, id="result"),
        pytest.param(RESULT, True, True, True, True, id="result-without-init"),
        pytest.param(RESULT + INIT, True, True, False, True, id="second-turn"),
        pytest.param(RESULT + ASSISTANT, True, True, False, True, id="speaks-again"),
        pytest.param(RESULT + INIT + ASSISTANT + RESULT, True, True, True, True, id="second-result"),
        pytest.param(AGENT + RESULT, True, True, False, True, id="subagent-at-work"),
        pytest.param(AGENT + NO_TASKS + RESULT, True, True, True, True, id="subagent-done"),
        pytest.param(SHELL + RESULT, True, True, True, True, id="a-background-shell-is-not-waited-for"),
        pytest.param(RETRY * 3, False, False, False, False, id="RL04-retries"),
        pytest.param(b'{"type":"keep_alive"}\n', False, False, False, False, id="keep-alive"),
        pytest.param(b"[" + INIT[:-1] + b"," + RESULT[:-1] + b"]\n", True, True, True, True, id="array"),
        pytest.param(
            b'{"type":"user","content":"{\\"type\\":\\"result\\"}"}\n', False, False, False, True, id="quoted"
        ),
        pytest.param(b'{"type":"result"\n', False, False, False, True, id="torn-json"),
        pytest.param(b"noise\n", False, False, False, True, id="noise"),
        pytest.param(b'"result"\n', False, False, False, False, id="scalar"),
        pytest.param(b"\xff\x00\xfe\n" + INIT, True, False, False, True, id="bytes-that-are-no-text"),
    ],
)
def test_what_is_told(data: bytes, init: bool, result: bool, over: bool, moved: bool) -> None:
    assert _told(data) == (init, result, over, moved)


@given(
    st.lists(
        st.sampled_from([INIT, RESULT, ASSISTANT, RETRY, AGENT, NO_TASKS, b"noise\n", b"\n"])
        | st.binary(max_size=9),
        max_size=12,
    ).map(b"".join),
    st.data(),
)
def test_the_pieces_do_not_matter(data: bytes, draw: st.DataObject) -> None:
    cuts = sorted(draw.draw(st.lists(st.integers(0, len(data)), max_size=8)))
    progress = Progress()
    for start, end in zip([0, *cuts], [*cuts, len(data)], strict=True):
        progress.feed(data[start:end])
    assert (progress.init_seen, progress.result_seen, progress.over, progress.moved) == _told(data)


def test_a_line_over_the_limit_is_progress_and_is_not_kept() -> None:
    progress = Progress()
    for _ in range(40):
        progress.moved = False
        progress.feed(b"x" * (LINE_LIMIT_BYTES // 8))
    assert progress.moved
    assert sum(map(len, progress._parts)) == 0
    progress.feed(b"\n" + INIT)
    assert progress.init_seen
