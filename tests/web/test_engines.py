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
from browsing import Server, colored
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


# Keeps the errors of scripts, also those of a page that is being left.
WATCH = """(() => {
  if (window.errorsAreKept) return true;
  window.errorsAreKept = true;
  const known = () => sessionStorage.getItem('errors') ?? '';
  const keep = (what) => sessionStorage.setItem('errors', `${known()}${location}: ${what}; `);
  addEventListener('error', (event) => keep(event.message));
  addEventListener('unhandledrejection', (event) => keep(event.reason));
  return true;
})()"""


class Engine(Protocol):
    """What the tests ask of a browser, whatever it is driven by."""

    def close(self) -> None: ...
    def goto(self, url: str) -> None: ...
    def back(self) -> None: ...
    def click(self, selector: str) -> None: ...
    def choose(self, selector: str, path: Path) -> None: ...
    def type(self, selector: str, text: str) -> None: ...
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


def arrive(engine: Engine, path: str, expression: str = "true") -> None:
    """Wait until a page stands that shows something, and keep its errors from then on."""
    engine.wait(f"location.pathname === '{path}' && {READY} && {WATCH} && ({expression})")


def errors(engine: Engine) -> str:
    """Return the errors of all pages since the tab was opened."""
    assert engine.evaluate("document.querySelector('#failed') === null")
    return str(engine.evaluate("sessionStorage.getItem('errors') ?? ''"))


def test_an_evening_from_the_set_up_to_the_rematch(browser: Engine, server: Server, tmp_path: Path) -> None:
    engine, table = browser, server.services.table
    picture = tmp_path / "hand.jpg"
    cv2.imwrite(str(picture), colored(300, 500))
    engine.goto(server.invitation(Role.HOST, page=""))
    arrive(engine, "/", "document.querySelector('.players input')")
    engine.click("#add-player")
    for seat, player in enumerate(("Ann", "Ben", "Cy"), 1):
        engine.type(f".players li:nth-child({seat}) input", player)
    engine.click("label:has(input[value=classic])")
    engine.wait("!document.querySelector('#rules-fold').toggleAttribute('open', true) || true")
    # WebKit's driver loses keys in number fields: the value is set as a change of it would.
    engine.evaluate(
        "(field => { field.value = '100'; for (const kind of ['input', 'change'])"
        " field.dispatchEvent(new Event(kind, { bubbles: true })); })(document.querySelector('#option-target'))"
    )
    engine.click("#start")
    for number, color in enumerate(("red", "green", "yellow"), 1):
        arrive(engine, "/table", "document.querySelectorAll('.seat').length === 3")
        for face in ("5", "7", "skip"):
            engine.click(f'#palette [data-card="{color} {face}"]')
            engine.wait(f"document.querySelector('#top .card')?.getAttribute('aria-label') === '{color} {face}'")
        table.tap(moves.Count("Ann", 0))
        server.reader.cards = ["red 9", "blue 8"]
        engine.goto(f"{server.url}/scan")
        arrive(engine, "/scan")
        engine.choose("#files", picture)
        engine.wait("document.querySelectorAll('.hand .card-button').length === 2")
        engine.click("#confirm")
        engine.wait("document.querySelector('#taken')?.innerText.includes('17 points, next')")
        engine.type("#points", "20")
        engine.click("#enter-points")
        arrive(engine, "/scores")
        if number < 3:
            engine.wait(f"document.querySelector('.after-round h2')?.innerText === 'Ann wins round {number}'")
            engine.click("#next-round")
    # 37 points a round.
    engine.wait("document.querySelector('#after .step-1')?.innerText.includes('111 points')")
    engine.click("[data-act=rematch]")
    arrive(engine, "/table", "document.querySelectorAll('.seat').length === 3")
    engine.click('#palette [data-card="red 5"]')
    engine.wait("document.querySelector('#top .card')?.getAttribute('aria-label') === 'red 5'")
    assert errors(engine) == ""


def test_a_page_that_is_left_while_it_loads_reports_no_error(engine: Engine, playing: Server) -> None:
    for path in (*PAGES, "/table", *PAGES):
        engine.goto(f"{playing.url}{path}")
        engine.evaluate(WATCH)
    engine.goto(f"{playing.url}/table")
    engine.wait(READY)
    assert errors(engine) == ""
