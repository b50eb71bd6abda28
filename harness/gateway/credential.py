"""Where the user's credential for the API is, and how it goes onto a request."""

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import orjson
from msgspec import Struct

OAUTH_BETA = "oauth-2025-04-20"
"""The beta without which the API takes no OAuth token; what the CLI sends with one."""


class Credential(Struct, frozen=True, kw_only=True):
    """A secret the gateway may put on a request. Never printed, never stored."""

    kind: Literal["api_key", "oauth"]
    value: str
    source: str
    """In words: the variable or the login it came from."""
    expires_at_ms: int | None = None

    def __repr__(self) -> str:
        return f"Credential(kind={self.kind!r}, source={self.source!r})"


class LoginOnly(Struct, frozen=True, kw_only=True):
    """The installed CLI is logged in, but its token cannot be handed on; ``why`` says the reason."""

    why: str


def find_credential(environ: Mapping[str, str], home: Path) -> Credential | LoginOnly | None:
    """The first of ANTHROPIC_API_KEY, CLAUDE_CODE_OAUTH_TOKEN and the login of the installed CLI."""
    key = environ.get("ANTHROPIC_API_KEY", "").strip()
    if key:
        return Credential(kind="api_key", value=key, source="ANTHROPIC_API_KEY")
    token = environ.get("CLAUDE_CODE_OAUTH_TOKEN", "").strip()
    if token:
        return Credential(kind="oauth", value=token, source="CLAUDE_CODE_OAUTH_TOKEN")
    config = environ.get("CLAUDE_CONFIG_DIR")
    return _login(Path(config) if config else home / ".claude", home)


def _login(config: Path, home: Path) -> Credential | LoginOnly | None:
    stored = _read(config / ".credentials.json")
    match stored:
        case {"claudeAiOauth": {"accessToken": str(token), "expiresAt": int(expires)}} if token:
            if expires <= time.time() * 1000:
                return LoginOnly(
                    why="the token of the CLI's login has expired; start `claude` once to renew it"
                )
            return Credential(kind="oauth", value=token, source="the login of claude", expires_at_ms=expires)
        case {"claudeAiOauth": {"accessToken": str(token)}} if token:
            return Credential(kind="oauth", value=token, source="the login of claude")
    # On macOS the token is in the keychain, and only the account's name is in a file.
    for place in (config / ".claude.json", home / ".claude.json"):
        match _read(place):
            case {"oauthAccount": dict()}:
                return LoginOnly(why="the CLI keeps the token of its login where only it can read it")
    return None


def _read(path: Path) -> object:
    try:
        return orjson.loads(path.read_bytes())
    except (OSError, orjson.JSONDecodeError):
        return None


def placeholder_env(credential: Credential, token: str) -> dict[str, str]:
    """What claude gets in the environment in place of the credential: the lane's token, in the same kind."""
    name = "ANTHROPIC_API_KEY" if credential.kind == "api_key" else "CLAUDE_CODE_OAUTH_TOKEN"
    return {name: token}
