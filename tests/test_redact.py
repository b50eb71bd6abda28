"""Secrets are found by value and by shape, in text of any size, and nothing else is touched."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness import redact
from harness.redact import REMOVED, Redactor, secrets_of

KEY = "-----BEGIN RSA PRIVATE KEY-----\n" + ("MIIEow" * 10 + "\n") * 20 + "-----END RSA PRIVATE KEY-----"
PLANTED = {
    "anthropic": "sk-ant-api03-" + "aB3_" * 20,
    "anthropic-login": "sk-ant-oat01-" + "x9-Y" * 20,
    "openai": "sk-" + "a1B2" * 12,
    "openai-project": "sk-proj-" + "a1B2" * 12,
    "bearer": "Bearer " + "abc.DEF-123_" * 3,
    "github": "ghp_" + "a1B2" * 9,
    **{f"github-{kind}": f"gh{kind}_" + "a1B2" * 9 for kind in "ours"},
    "github-fine": "github_pat_" + "a1B2_" * 10,
    "gitlab": "glpat-" + "a1B2" * 5,
    "aws": "AKIA" + "A1B2" * 4,
    "aws-session": "ASIA" + "A1B2" * 4,
    "google": "AIza" + "a1B2_" * 7,
    "slack": "xoxb-" + "123456-" * 4 + "abc",
    "npm": "npm_" + "a1B2" * 9,
    "pypi": "pypi-" + "a1B2" * 15,
    "jwt": "eyJ" + "a1B2" * 5 + ".eyJ" + "c3D4" * 5 + "." + "e5F6" * 5,
    "private-key": KEY,
    "private-key-cut": "\n".join(KEY.split("\n")[:4]),
}


@pytest.mark.parametrize("secret", PLANTED.values(), ids=PLANTED)
@pytest.mark.parametrize("in_json", [False, True], ids=["plain", "json"])
def test_a_shape_is_removed_and_what_stands_around_it_stays(secret: str, in_json: bool) -> None:
    text = f'before "{secret}" after'
    data = json.dumps({"text": text}) if in_json else text
    expected = f'before "{REMOVED}" after'
    cleaned = Redactor().text(data)
    assert (json.loads(cleaned)["text"] if in_json else cleaned) == expected


@pytest.mark.parametrize(
    "text",
    [
        "a task-3f2a9c1b7d3f2a9c1b7d3f2a9c1b7d of mine",
        "the bearer of this, Bearer of that",
        "high through although",
        "AKIA is four letters",
        "risk-assessment-of-everything-there-is",
        "-----BEGIN PUBLIC KEY-----\nabc\n-----END PUBLIC KEY-----",
        "eyJhbGciOiJIUzI1NiJ9 alone",
    ],
)
def test_what_only_looks_like_one_stays(text: str) -> None:
    assert Redactor().text(text) == text


@pytest.mark.parametrize("value", ['pa"ss\\word9', "näme-Passwort1", "p/a+s s=word1"])
def test_a_known_value_is_removed_however_it_is_written(value: str) -> None:
    redactor = Redactor([value])
    once = json.dumps(value, ensure_ascii=False)
    for written in (value, once, json.dumps(once, ensure_ascii=False)):
        assert REMOVED in redactor.text(f"x {written} y")
        assert "ss" not in redactor.text(f"x {written} y").replace("passwd", "")


def test_the_variables_whose_values_are_secrets() -> None:
    environ = {
        "GITHUB_TOKEN": "x1y2z3x1y2z3",
        "DB_PASSWORD": "Correct-Horse",
        "SSH_AUTH_SOCK": "/tmp/agent.sock",
        "KEYMAP": "us",
        "TOKEN_LIMIT": "20000000",
        "AUTHOR": "somebody",
        "PATH": "/usr/bin1",
    }
    assert set(secrets_of(environ)) == {"x1y2z3x1y2z3", "Correct-Horse"}


def test_an_environment_is_kept_without_secrets() -> None:
    env = {"B_TOKEN": "v", "A": "see known-value-1"}
    assert Redactor(["known-value-1"]).variables(env) == {"A": f"see {REMOVED}", "B_TOKEN": REMOVED}


def test_a_file_is_cleaned_in_place_and_counted(tmp_path: Path) -> None:
    path = tmp_path / "stream.jsonl"
    path.write_text(f"one {PLANTED['aws']}\ntwo\nthree {PLANTED['github']} known-value-1\n")
    assert Redactor(["known-value-1"]).file(path) == 3
    assert path.read_text() == f"one {REMOVED}\ntwo\nthree {REMOVED} {REMOVED}\n"
    assert [p.name for p in tmp_path.iterdir()] == ["stream.jsonl"]


def test_a_clean_file_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "stream.jsonl"
    path.write_text("nothing here\n")
    before = path.stat()
    assert Redactor(["known-value-1"]).file(path) == 0
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


@settings(deadline=None)
@given(
    gaps=st.lists(st.integers(0, 200), min_size=1, max_size=8),
    names=st.lists(st.sampled_from(sorted(PLANTED)), min_size=1, max_size=8),
    chunk=st.integers(100, 2000),
)
def test_where_the_pieces_of_a_file_end_makes_no_difference(
    tmp_path_factory: pytest.TempPathFactory, gaps: list[int], names: list[str], chunk: int
) -> None:
    text = "".join(" " + "." * gap + f' "{PLANTED[name]}"' for gap, name in zip(gaps, names, strict=False))
    path = tmp_path_factory.mktemp("f") / "stream.jsonl"
    path.write_text(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(redact, "_CHUNK_BYTES", chunk)
        patch.setattr(redact, "LONGEST", 2500)
        Redactor().file(path)
    assert path.read_text() == Redactor().text(text)


def test_memory_stays_bounded_where_a_secret_never_ends(tmp_path: Path) -> None:
    path = tmp_path / "stream.jsonl"
    path.write_bytes(b"sk-ant-" + b"a" * (9 << 20))
    assert Redactor().file(path) > 0
    assert b"sk-ant" not in path.read_bytes()


_FRAGMENTS = [sign for signs, _ in redact._BY_SIGN for sign in signs] + [
    secret[:cut] for secret in PLANTED.values() for cut in (3, 12, len(secret))
]


@given(st.lists(st.sampled_from([*_FRAGMENTS, " ", "-", "A", "x", "\n"]), max_size=12).map("".join))
def test_the_quick_look_misses_no_sign(text: str) -> None:
    found = [m.span() for _, shape in redact._BY_SIGN for m in re.finditer(shape, text)]
    seen = {at for span in Redactor().spans(text.encode()) for at in range(*span)}
    assert seen == {at for span in found for at in range(*span)}


@given(st.text("ab-", min_size=6, max_size=12), st.text("ab-", max_size=40))
def test_a_known_value_is_found_wherever_it_stands(value: str, text: str) -> None:
    assert (value in text) == bool(Redactor([value]).spans(text.encode()))


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("GIT_AUTHOR_DATE", True),
        ("PROXY_AUTHORIZATION", False),
        ("SSH_AUTH_SOCK", False),
        ("AUTHTOKEN", False),
    ],
)
def test_a_variable_of_an_author_is_no_secret_and_one_of_an_authorization_is(name: str, kept: bool) -> None:
    value = "2026-01-01"
    assert (Redactor().variables({name: value}) == {name: value}) is kept
