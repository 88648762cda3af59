"""Helpers shared by the browser tests."""

from __future__ import annotations

import os
import random
import shutil
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

import numpy as np
import pytest
from playwright.sync_api import FloatRect, Page, expect

from companion.cards import Card, EditionName
from companion.editions import EDITIONS
from companion.referee import moves
from companion.referee.state import Header
from companion.server.access.guests import Role
from companion.server.app import create_app, services_of
from companion.server.core.config import ServerConfig
from companion.server.network.lan import LanAccess
from companion.server.network.listeners import Listeners, PortTakenError
from companion.server.services.services import Services
from companion.vision.core.geometry import Image
from companion.vision.core.runtime import model_folder
from companion.vision.core.sightings import Sighting
from companion.vision.pile.pile_tracker import Detect

_CHROMIUMS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
CHROMIUM = next(filter(None, map(shutil.which, _CHROMIUMS)), None)
"""The first Chromium that is there. The shell alone, without what only a window needs, takes a third less time."""
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
FIREFOX = os.environ.get("COMPANION_TEST_BROWSER") == "firefox"
"""Whether the tests run in Firefox instead of Chromium."""
PATIENCE_MS = 60_000 * int(os.environ.get("COMPANION_TEST_SLOWNESS", "1"))

PEOPLE = ("Ann", "Ben", "Cy", "Dee", "Eve", "Fay", "Gus", "Hal", "Ivy", "Jo")

# Remembers what the page would have said and how the device would have shaken.
RECORDER = """
window.spoken = [];
Object.defineProperty(window, 'speechSynthesis', { value: {
  speak: (words) => window.spoken.push(words.text), cancel: () => {}, getVoices: () => [],
} });
window.SpeechSynthesisUtterance = class { constructor(text) { this.text = text; } };
window.shaken = 0;
navigator.vibrate = () => { window.shaken += 1; return true; };
"""

Open = Callable[..., Page]
_T = TypeVar("_T")


class StubReader:
    """Stands in for the networks: finds the cards that a test says are in every picture."""

    def __init__(self) -> None:
        self.cards: list[str] = []

    def __call__(self, image: Image) -> list[Sighting]:
        quad = np.array([[20, 20], [70, 20], [70, 95], [20, 95]], np.float32)
        return [
            Sighting(quad + np.float32([60 * i, 0]), (Card.parse(name),), (0.99,), True)
            for i, name in enumerate(self.cards)
        ]


def colored(height: int, width: int) -> Image:
    """Return a picture with stripes of two colours, (height, width, 3) BGR: cards are not read without any."""
    image = np.full((height, width, 3), (90, 160, 150), np.uint8)
    image[:, np.arange(width) // 20 % 2 == 1] = (40, 50, 200)
    return image


def _free_port() -> int:
    """Return a free port below those that the system gives to others; 0 where there is none."""
    for port in random.sample(range(20_000, 32_000), 50):
        with socket.socket() as sock, suppress(OSError):
            sock.bind(("127.0.0.1", port))
            return port
    return 0


def until(ask: Callable[[], _T | None], patience: float = PATIENCE_MS / 1000) -> _T:
    """Return what is answered as soon as that is anything; raises TimeoutError after `patience` seconds."""
    end = time.monotonic() + patience
    while not (answer := ask()):
        if time.monotonic() > end:
            raise TimeoutError
        time.sleep(0.05)
    return answer


networks = pytest.mark.skipif(not (model_folder() / "detector.onnx").is_file(), reason="the networks are not there yet")
"""Marks a test that reads with the real networks."""


downloads = pytest.mark.skipif(FIREFOX, reason="Playwright hears of no download in a stock Firefox")
"""Marks a test that waits for a download."""


def pick(page: Page, card: str) -> None:
    """Choose a card in the open dialog."""
    if not card.startswith("wild"):
        page.click(f"dialog .chip-{card.split()[0]}")
    page.click(f'dialog [data-card="{card}"]')


SHOWN = "() => ['#history', '#questions'].map((part) => document.querySelector(part)?.textContent).join()"


def lay(page: Page, card: str, color: str = "") -> None:
    """Tap a card on the palette of a table without a camera; a wild with the colour that is chosen.

    Returns when the page shows what came of it: before that it would take the next tap for one of the turn before.
    """
    before = page.evaluate(SHOWN)
    page.evaluate("document.querySelector('.toast')?.remove()")  # of what was there before nothing is news
    tile = page.locator(f'#palette [data-card="{card}{color and "/"}{color}"]')
    tile.wait_for(state="attached")
    if not tile.is_visible():
        page.click(".palette-rest summary")
    tile.click()
    page.wait_for_function(
        f"(before) => document.querySelector('dialog, .toast') || ({SHOWN})() !== before", arg=before
    )


def answer(page: Page, card: str) -> None:
    """Tap the true card at the question that is open: among the cards offered, or as another one.

    A question about something else is answered by nothing having happened.
    """
    question = page.locator(".question").first
    offered = question.get_by_role("button", name=card, exact=True)
    another = question.get_by_role("button", name="Another card")
    if offered.count():
        offered.click()
    elif another.count():
        another.click()
        pick(page, card)
    else:
        question.get_by_role("button", name="Nothing happened").click()
    expect(page.locator(".question")).to_have_count(0)


class OpenLan(LanAccess):
    """A network that is open for the browsers of this computer."""

    def __init__(self, url: str) -> None:
        self._url = url

    def addresses(self) -> list[str]:
        return [self._url]

    @property
    def open(self) -> bool:
        return True


class Server:
    """A running server that can be stopped and started again on the same port and data."""

    def __init__(self, data: Path) -> None:
        self.reader = StubReader()
        self._detect: Detect | None = lambda image: self.reader(image)
        self._data = data
        self._port = 0
        self.start()

    def start(self) -> None:
        self.app = create_app(ServerConfig(data=self._data), self._detect)
        self.services: Services = services_of(self.app)
        self.url = until(self._listening)
        self._port = int(self.url.rpartition(":")[2])

    def _listening(self) -> str | None:
        """Return the address; None where something else has just taken the port."""
        port = self._port or _free_port()
        self._listeners = Listeners(self.app, ServerConfig(data=self._data, port=port))
        try:
            return self._listeners.start()
        except PortTakenError:
            return None

    def stop(self) -> None:
        self.services.close()
        self._listeners.stop()

    def read_with(self, detect: Detect | None) -> None:
        """Start again with another reader than the stub; None is the shipped networks."""
        self.stop()
        self._detect = detect
        self.start()

    def invitation(self, role: Role, player: str | None = None, page: str = "table") -> str:
        """Return the address that lets a device in."""
        return f"{self.url}/join#t={self.services.pairing.invite(role, player)}&p={page}"


def begin(server: Server, players: int, *cards: str) -> None:
    edition = EDITIONS[EditionName.MARIO_KART]
    names = PEOPLE[:players]
    server.services.start(Header(edition, names, players - 1, edition.options))
    for card in cards or ("red 5",):
        started = server.services.table.state is not None and server.services.table.state.top is not None
        server.services.table.tap((moves.Play if started else moves.Start)(Card.parse(card)))


def turn(page: Page, player: str) -> None:
    expect(page.locator(".seat.turn")).to_have_attribute("data-player", player)


def at_rest(page: Page) -> None:
    """Wait until the fonts are there and all movement that ends has ended."""
    page.evaluate(
        """async () => {
          await document.fonts.ready;
          const moving = document.getAnimations().filter((one) => one.playState === 'running'
            && one.effect.getTiming().iterations !== Infinity);
          await Promise.allSettled(moving.map((one) => one.finished));
        }"""
    )


def box_of(page: Page, selector: str) -> FloatRect:
    """Return where an element lies once nothing moves any more (CSS pixels)."""
    at_rest(page)
    box = page.locator(selector).bounding_box()
    assert box is not None, selector
    return box


def overlaps(page: Page, selector: str) -> list[str]:
    """Return which of the elements lie on each other, by their texts."""
    at_rest(page)
    found: list[str] = page.evaluate(
        """(selector) => {
          const all = [...document.querySelectorAll(selector)].map((one) =>
            [one.innerText, one.getBoundingClientRect()]);
          const apart = (p, q) => p.left > q.right - 1 || q.left > p.right - 1 || p.top > q.bottom - 1
            || q.top > p.bottom - 1;
          return all.flatMap(([a, p], i) => all.slice(i + 1).filter(([, q]) => !apart(p, q)).map(([b]) => a + b));
        }""",
        selector,
    )
    return found
