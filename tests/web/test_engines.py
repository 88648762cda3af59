"""The key journeys in the other engines: in the Firefox and in the WebKit that are installed, else skipped.

The rest of the suite runs in Chromium, and with COMPANION_TEST_BROWSER=firefox in Firefox, which takes longer.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

import cv2
import numpy as np
import pytest
from browsing import Server
from marionette import Firefox
from webdriver import WebKit, programs

from companion.cards import Card
from companion.referee import moves
from companion.server.access.guests import Role
from companion.server.api.pages import PAGES

FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")
READY = "document.querySelector('body.ready')"
# Keeps what is saved in the page instead of the folder for downloads: engines differ in where that is.
KEEPS = (
    "(() => { const make = URL.createObjectURL; URL.createObjectURL = (blob) => { const image = new Image();"
    " image.onload = () => { window.kept = [blob.type, blob.size, image.width, image.height]; };"
    " image.src = make.call(URL, blob); return image.src; }; return true; })()"
)


class Engine(Protocol):
    """What the tests ask of a browser, whatever it is driven by."""

    def close(self) -> None: ...
    def goto(self, url: str) -> None: ...
    def back(self) -> None: ...
    def click(self, selector: str) -> None: ...
    def choose(self, selector: str, path: Path) -> None: ...
    def evaluate(self, expression: str) -> Any: ...
    def wait(self, expression: str) -> None: ...


@pytest.fixture(scope="module", params=["firefox", "webkit"])
def browser(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    running: Engine
    if request.param == "firefox":
        if FIREFOX is None:
            pytest.skip("no Firefox is installed: apt-get install firefox-esr")
        running = Firefox(FIREFOX, tmp_path_factory.mktemp("profile"))
    else:
        if programs() is None:
            pytest.skip("no WebKit is installed: apt-get install webkit2gtk-driver xvfb")
        running = WebKit(tmp_path_factory.mktemp("webkit"))
    yield running
    running.close()


@pytest.fixture
def engine(browser: Engine, playing: Server) -> Engine:
    """The table page of a host at Ann's first turn on a red 5."""
    browser.goto(playing.invitation(Role.HOST))
    browser.wait(f"location.pathname === '/table' && {READY} && document.querySelector('.seat.turn')")
    return browser


def turn(engine: Engine, player: str) -> None:
    """Wait until it is this player's turn on the page."""
    engine.wait(f"document.querySelector('.seat.turn')?.dataset.player === '{player}'")


def test_every_page_is_ready(engine: Engine, playing: Server) -> None:
    for path in PAGES:
        engine.goto(f"{playing.url}{path}")
        engine.wait(READY)
        assert engine.evaluate("document.querySelector('#failed') === null"), path
        engine.wait("document.querySelector('main').innerText.trim() !== ''")


def test_a_move_and_going_back_to_a_live_table(engine: Engine, playing: Server) -> None:
    engine.click('#palette [data-card="red 7"]')
    turn(engine, "Ben")
    engine.click('a[href="/scores"]')
    engine.wait(f"location.pathname === '/scores' && {READY} && document.querySelector('.leader')")
    engine.back()
    engine.wait("location.pathname === '/table'")
    engine.click('#palette [data-card="red 8"]')
    turn(engine, "Cy")


def test_undone_and_done_again(engine: Engine) -> None:
    engine.click('[data-act="draw-pass"]')
    turn(engine, "Ben")
    engine.click('[data-act="undo"]')
    engine.click('[data-act="redo"]')
    turn(engine, "Ben")


def test_a_photo_is_scanned(engine: Engine, playing: Server, tmp_path: Path) -> None:
    playing.reader.cards = ["red 7", "blue skip"]
    picture = np.random.default_rng(1).integers(0, 255, (300, 400, 3), np.uint8)
    cv2.imwrite(str(tmp_path / "hand.jpg"), picture)
    engine.goto(f"{playing.url}/scan?player=Ben")
    engine.choose("#photo", tmp_path / "hand.jpg")
    engine.wait("document.querySelectorAll('.hand .card-button').length === 2")
    assert "27" in engine.evaluate("document.querySelector('.scan-sum').innerText")
    engine.wait("document.querySelector('.outlined canvas')")


def test_the_camera_sends(engine: Engine, playing: Server) -> None:
    engine.goto(f"{playing.url}/camera")
    engine.wait(READY)
    if not engine.evaluate("Boolean(navigator.mediaDevices?.getUserMedia)"):
        pytest.skip("this build has no camera")
    engine.click("#begin")
    engine.wait("Number(document.querySelector('#camera-status').dataset.sent) > 3")
    assert playing.services.camera.frame() is not None


def test_a_match_is_saved_as_a_picture(engine: Engine, playing: Server) -> None:
    for move in (
        moves.Count("Ann", 0),
        moves.Hand("Ben", (Card.parse("red 7"),)),
        moves.Hand("Cy", (Card.parse("blue 5"),)),
    ):
        playing.services.table.tap(move)
    engine.goto(f"{playing.url}/scores")
    engine.wait("document.querySelector('[data-act=keep]')")
    engine.evaluate(KEEPS)
    engine.click('[data-act="keep"]')
    engine.wait("window.kept")
    kind, size, width, height = engine.evaluate("window.kept")
    assert (kind, size > 10_000, width, height > 500) == ("image/png", True, 1080, True)
