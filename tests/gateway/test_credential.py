import time
from pathlib import Path

import orjson
import pytest

from harness.gateway.credential import Credential, LoginOnly, find_credential, placeholder_env

KEY = {"ANTHROPIC_API_KEY": "k-1"}
TOKEN = {"CLAUDE_CODE_OAUTH_TOKEN": "t-1"}


def log_in(home: Path, *, expires_in_s: float = 3600) -> None:
    (home / ".claude").mkdir()
    login = {"accessToken": "login-1", "expiresAt": int((time.time() + expires_in_s) * 1000)}
    (home / ".claude" / ".credentials.json").write_bytes(orjson.dumps({"claudeAiOauth": login}))


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        (KEY | TOKEN, ("api_key", "k-1", "ANTHROPIC_API_KEY")),
        (TOKEN, ("oauth", "t-1", "CLAUDE_CODE_OAUTH_TOKEN")),
        ({"ANTHROPIC_API_KEY": " "} | TOKEN, ("oauth", "t-1", "CLAUDE_CODE_OAUTH_TOKEN")),
        ({}, ("oauth", "login-1", "the login of claude")),
    ],
    ids=["key-first", "token-second", "empty-is-none", "login-third"],
)
def test_the_order_of_places(tmp_path: Path, environ: dict[str, str], expected: tuple[str, str, str]) -> None:
    log_in(tmp_path)
    found = find_credential(environ, tmp_path)
    assert isinstance(found, Credential)
    assert (found.kind, found.value, found.source) == expected


def test_the_login_is_looked_for_in_the_configured_folder(tmp_path: Path) -> None:
    log_in(tmp_path)
    found = find_credential({"CLAUDE_CONFIG_DIR": str(tmp_path / ".claude")}, tmp_path / "elsewhere")
    assert isinstance(found, Credential)


def test_an_expired_login_cannot_be_handed_on(tmp_path: Path) -> None:
    log_in(tmp_path, expires_in_s=-5)
    found = find_credential({}, tmp_path)
    assert isinstance(found, LoginOnly) and "expired" in found.why


def test_a_login_in_the_keychain_cannot_be_handed_on(tmp_path: Path) -> None:
    (tmp_path / ".claude.json").write_text('{"oauthAccount": {"emailAddress": "a@b"}}')
    assert isinstance(find_credential({}, tmp_path), LoginOnly)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"claudeAiOauth": {"accessToken": ""}}'])
def test_nothing_readable_is_no_credential(tmp_path: Path, text: str) -> None:
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude" / ".credentials.json").write_text(text)
    assert find_credential({}, tmp_path) is None


def test_the_value_is_never_printed() -> None:
    credential = Credential(kind="api_key", value="sk-ant-very-secret", source="x")
    assert "very-secret" not in f"{credential} {credential!r}"


@pytest.mark.parametrize(
    ("kind", "name"), [("api_key", "ANTHROPIC_API_KEY"), ("oauth", "CLAUDE_CODE_OAUTH_TOKEN")]
)
def test_claude_gets_a_placeholder_of_the_same_kind(kind: str, name: str) -> None:
    real = Credential(kind="api_key" if kind == "api_key" else "oauth", value="real", source="x")
    assert placeholder_env(real, "lane") == {name: "lane"}


def test_a_credential_that_is_printed_does_not_show_its_value() -> None:
    assert "sekrit" not in repr(Credential(kind="api_key", value="sekrit", source="test"))
