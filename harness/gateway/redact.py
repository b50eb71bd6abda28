"""What a secret looks like, and how it is taken out of bytes that are kept."""

import re
from collections.abc import Iterable

REMOVED = "[removed]"
SECRET_HEADERS = frozenset(
    {"x-api-key", "authorization", "proxy-authorization", "cookie", "set-cookie", "anthropic-organization-id"}
)
SHAPES = rb"sk-ant-[A-Za-z0-9_-]{8,}|(?i:bearer)[ ]+[A-Za-z0-9._~+/=-]{16,}"
SHORTEST = 6
"""Known values shorter than this are left alone: they would match words."""


class Redactor:
    """Replaces known secrets and everything of a secret's shape."""

    def __init__(self, known: Iterable[str] = ()) -> None:
        values = sorted({v for v in known if len(v) >= SHORTEST}, key=len, reverse=True)
        exact = [re.escape(value.encode()) for value in values]
        self._pattern = re.compile(b"|".join([*exact, SHAPES]))

    def clean(self, data: bytes) -> bytes:
        return self._pattern.sub(REMOVED.encode(), data)

    def headers(self, headers: Iterable[tuple[str, str]]) -> dict[str, str]:
        """Names in lower case; the values of headers that carry credentials are never kept."""
        return {
            name.lower(): REMOVED if name.lower() in SECRET_HEADERS else self.clean(value.encode()).decode()
            for name, value in headers
        }
