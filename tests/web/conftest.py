"""A real server on a free port and a real Chromium; tests are skipped where there is none."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import stock_firefox
from browsing import ARGUMENTS, CHROMIUM, FIREFOX, PATIENCE_MS, RECORDER, Open, Server
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, expect, sync_playwright

from companion.cards import Card, EditionName
from companion.editions import EDITIONS
from companion.referee import moves
from companion.referee.state import Header
from companion.server.access.guests import Role

expect.set_options(timeout=PATIENCE_MS)


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    if CHROMIUM is None:
        pytest.skip("no Chromium is installed: apt-get install chromium-headless-shell")
    with sync_playwright() as running:
        yield running


@pytest.fixture(scope="session")
def desktop(playwright: Playwright, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """The browser that the tests run in: Chromium, or Firefox where COMPANION_TEST_BROWSER says so."""
    if FIREFOX:
        program = tmp_path_factory.mktemp("firefox") / "firefox"
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{stock_firefox.__file__}" "$@"\n', "utf-8")
        program.chmod(0o755)
        browser = playwright.firefox.launch(channel="moz-firefox", executable_path=program)
    else:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
    yield browser
    browser.close()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    running = Server(tmp_path)
    yield running
    running.stop()


@pytest.fixture
def playing(server: Server) -> Server:
    """The server with a match at Ann's first turn on a red 5."""
    edition = EDITIONS[EditionName.MARIO_KART]
    server.services.start(Header(edition, ("Ann", "Ben", "Cy"), 2, edition.options))
    server.services.table.tap(moves.Start(Card.parse("red 5")))
    return server


@pytest.fixture
def device(desktop: Browser) -> Iterator[Callable[..., BrowserContext]]:
    """Returns a new device: a browser context of its own, which records speech and vibration."""
    opened: list[BrowserContext] = []

    def new(**options: object) -> BrowserContext:
        context = desktop.new_context(locale="en-GB", **options)  # type: ignore[arg-type]
        context.set_default_timeout(PATIENCE_MS)
        context.add_init_script(RECORDER)
        opened.append(context)
        return context

    yield new
    for context in opened:
        context.close()


@pytest.fixture
def open_as(server: Server, device: Callable[..., BrowserContext]) -> Open:
    """Returns the page of a new device that has joined in a role."""

    def opened(role: Role, player: str | None = None, page: str = "table", **options: object) -> Page:
        found = device(**options).new_page()
        found.goto(server.invitation(role, player, page))
        found.wait_for_url(lambda url: "/join" not in url)
        # What the server says from now on reaches the page, however slowly it loads.
        found.wait_for_selector('body.ready[data-live="yes"]')
        return found

    return opened
