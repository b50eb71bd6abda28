"""A page with everything noted that it does beyond showing itself."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Page, Request


@dataclass  # no slots: playwright marks the methods that it calls
class Watched:
    page: Page
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    """Errors of scripts, and what the console was told, refusals of the policy among it."""

    @property
    def left(self) -> list[str]:
        """Requests to anywhere but files beside the page."""
        return [url for url in self.requests if not url.startswith(("file:", "data:"))]

    def note(self, message: ConsoleMessage) -> None:
        self.complaints.append(message.text)

    def ask(self, request: Request) -> None:
        self.requests.append(request.url)


class Open(Protocol):
    def __call__(
        self, path: Path, *, fragment: str = "", width: int = 1280, dark: bool = False
    ) -> Watched: ...


def opener(browser: Browser) -> Open:
    """Opens a file, as a user does from the disk."""

    def open_file(path: Path, *, fragment: str = "", width: int = 1280, dark: bool = False) -> Watched:
        context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme="dark" if dark else "light"
        )
        page = context.new_page()
        watched = Watched(page)
        page.on("console", watched.note)
        page.on("pageerror", lambda error: watched.complaints.append(str(error)))
        page.on("request", watched.ask)
        page.goto(path.as_uri() + fragment)
        return watched

    return open_file
