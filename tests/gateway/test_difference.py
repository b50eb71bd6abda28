import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.gateway.difference import Difference, first_difference

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=12,
)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ({"a": [1, {"b": 2}]}, {"a": [1, {"b": 3}]}, ("a[1].b", "2", "3")),
        ({"a": 1}, {"a": 1, "b": 2}, ("b", "(absent)", "2")),
        ([1, 2], [1], ("[1]", "2", "(absent)")),
        ({"m": "one two"}, {"m": "one 2"}, ("m", "one two", "one 2")),
        ({"a": True}, {"a": 1}, ("a", "true", "1")),
        ("a" * 500, "a" * 400 + "b", ("", "…" + "a" * 140, "…" + "a" * 40 + "b")),
    ],
    ids=["nested", "added", "shorter", "text", "type", "long-text"],
)
def test_the_first_difference_has_its_place(old: object, new: object, expected: tuple[str, str, str]) -> None:
    assert first_difference(old, new) == expected


@given(JSON)
def test_a_value_does_not_differ_from_its_copy(value: object) -> None:
    try:
        copy = orjson.loads(orjson.dumps(value))
    except (TypeError, orjson.JSONEncodeError):
        copy = value
    assert first_difference(copy, copy) is None


@given(st.text(), st.text())
def test_texts_differ_when_they_are_not_equal(one: str, other: str) -> None:
    assert (first_difference(one, other) is None) == (one == other)


def test_a_difference_says_what_was_and_what_is() -> None:
    difference = Difference(request=3, path="messages[0].content", old="a", new="b")
    assert str(difference) == "request 3 differs at messages[0].content: was 'a', is 'b'"
