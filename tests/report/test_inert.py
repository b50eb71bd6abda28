"""Text of a run cannot do anything but be read."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.report.inert import inert, one_line, shown


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("\x1b[31mred\x1b[0m", "red", id="colour"),
        pytest.param("\x1b]0;title\x07after", "after", id="window-title"),
        pytest.param("\x1b]8;;http://e.example\x1b\\link\x1b]8;;\x1b\\", "link", id="terminal-link"),
        pytest.param("\x1b[2J\x1b[Hgone", "gone", id="clear-screen"),
        pytest.param("a\rb", "a␍b", id="carriage-return"),
        pytest.param("a\r\nb", "a\nb", id="windows-line-end"),
        pytest.param("a\x08\x08", "a␈␈", id="backspace"),
        pytest.param("safe\u202etxt.exe", "safe\\u202etxt.exe", id="turns-direction"),
        pytest.param("a\ud800b", "a\ufffdb", id="lone-surrogate"),
        pytest.param("tab\tand\nline", "tab\tand\nline", id="plain-white-space"),
        pytest.param("naïve 日本 🎉", "naïve 日本 🎉", id="other-scripts"),
    ],
)
def test_only_what_can_be_read_is_left(text: str, expected: str) -> None:
    assert inert(text) == expected


@given(st.text())
def test_no_control_character_is_left(text: str) -> None:
    assert not [c for c in inert(text) if unicodedata.category(c) in ("Cc", "Cs") and c not in "\t\n"]


def test_a_long_text_shows_its_head_and_tail_and_says_what_is_cut() -> None:
    made = shown("a" * 30_000 + "END", 1_000)
    assert (len(made.text) + len(made.tail), made.cut, made.tail[-3:]) == (1_000, 29_003, "END")


def test_a_short_text_is_not_cut() -> None:
    assert (shown("short").cut, shown("short").tail) == (0, "")


@given(st.text())
def test_one_line_is_one_short_line(text: str) -> None:
    line = one_line(text, 40)
    assert len(line) <= 40 and len(line.splitlines()) <= 1
