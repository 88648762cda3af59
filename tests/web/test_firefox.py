"""Every page in the Firefox that is installed; skipped where there is none."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest
from browsing import Server
from marionette import Firefox

from companion.server.access.guests import Role
from companion.server.routes.pages import PAGES

PROGRAM = shutil.which("firefox-esr") or shutil.which("firefox")
READY = "document.querySelector('body.ready')"


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Firefox]:
    if PROGRAM is None:
        pytest.skip("no Firefox is installed: apt-get install firefox-esr")
    running = Firefox(PROGRAM, tmp_path_factory.mktemp("profile"))
    yield running
    running.close()


@pytest.fixture
def firefox(browser: Firefox, playing: Server) -> Firefox:
    """The table page of a host at Ann's first turn on a red 5."""
    browser.goto(playing.invitation(Role.HOST))
    browser.wait(f"location.pathname === '/table' && {READY} && document.querySelector('.seat.turn')")
    return browser


def turn(firefox: Firefox, player: str) -> None:
    """Wait until it is this player's turn on the page."""
    firefox.wait(f"document.querySelector('.seat.turn')?.dataset.player === '{player}'")


def test_every_page_is_ready(firefox: Firefox, playing: Server) -> None:
    for path in PAGES:
        firefox.goto(f"{playing.url}{path}")
        firefox.wait(READY)
        assert firefox.evaluate("document.querySelector('#failed') === null"), path
        firefox.wait("document.querySelector('main').innerText.trim() !== ''")


def test_a_move_and_going_back_to_a_live_table(firefox: Firefox, playing: Server) -> None:
    firefox.click('#palette [data-card="red 7"]')
    turn(firefox, "Ben")
    firefox.click('a[href="/scores"]')
    firefox.wait(f"location.pathname === '/scores' && {READY} && document.querySelector('.leader')")
    firefox.back()
    firefox.wait("location.pathname === '/table'")
    firefox.click('#palette [data-card="red 8"]')
    turn(firefox, "Cy")
