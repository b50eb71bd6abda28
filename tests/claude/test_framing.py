"""Lines are the same whatever the chunks, and memory stays bounded."""

import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.claude.framing import Line, LineFramer

unhurried = settings(deadline=None)
streams = st.lists(st.sampled_from([b"\n", b"\r", b"ab", b"\xe2\x80\xa8", b"\xff", b"{}", b"x" * 9])).map(
    b"".join
)


def frame(chunks: list[bytes], limit: int = 1 << 20) -> list[Line]:
    framer = LineFramer(limit)
    lines = [line for chunk in chunks for line in framer.feed(chunk)]
    return lines + framer.close()


@unhurried
@given(streams, st.data())
def test_framing_does_not_depend_on_chunk_boundaries(stream: bytes, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)))))
    chunks = [stream[a:b] for a, b in zip([0, *cuts], [*cuts, len(stream)], strict=True)]
    limit = data.draw(st.integers(0, 12))
    assert frame(chunks, limit) == frame([stream], limit)


@unhurried
@given(streams)
def test_lines_and_newlines_give_back_the_stream(stream: bytes) -> None:
    assert b"".join((line.data or b"") + b"\n" * line.terminated for line in frame([stream])) == stream


@unhurried
@given(streams)
def test_offset_and_size_point_at_the_line(stream: bytes) -> None:
    for line in frame([stream]):
        assert stream[line.offset : line.offset + line.size] == line.data


def test_lines_are_numbered_from_zero() -> None:
    assert [line.index for line in frame([b"a\n\nb\nc"])] == [0, 1, 2, 3]


@pytest.mark.parametrize("mark", ["\r", "\u2028", "\u0085", "\x0b", "\x0c"], ids=lambda c: f"U+{ord(c):04X}")
def test_only_a_newline_ends_a_line(mark: str) -> None:
    assert len(frame([f"a{mark}b\n".encode()])) == 1


def test_a_last_line_without_newline_is_marked() -> None:
    assert [line.terminated for line in frame([b"a\nb"])] == [True, False]


def test_an_empty_stream_has_no_lines() -> None:
    assert frame([]) == frame([b""]) == []


@pytest.mark.parametrize("size", [9, 10, 11])
def test_a_line_over_the_limit_is_counted_and_not_kept(size: int) -> None:
    (line,) = frame([b"x" * size + b"\n"], limit=10)
    assert (line.size, line.data) == (size, b"x" * size if size <= 10 else None)


def test_a_line_after_an_oversize_one_is_read() -> None:
    assert frame([b"x" * 50, b"x\n", b"next\n"], limit=10)[1] == Line(1, 52, b"next", 4, True)


def test_a_line_of_200_mib_takes_no_more_memory_than_the_limit() -> None:
    chunk, limit = b"x" * (1 << 20), 4 << 20
    framer = LineFramer(limit)
    tracemalloc.start()
    for _ in range(200):
        framer.feed(chunk)
    (line,) = framer.feed(b"\n")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (line.size, line.data) == (200 << 20, None)
    assert peak < 2 * limit


@pytest.mark.parametrize("size", [64 << 10, 1 << 20, 16 << 20], ids=["64KiB", "1MiB", "16MiB"])
def test_a_long_line_under_the_limit_is_kept_whole(size: int) -> None:
    data = b"x" * size
    chunks = [data[i : i + 65536] for i in range(0, size, 65536)]
    (line,) = frame([*chunks, b"\n"], limit=32 << 20)
    assert line.data == data
