"""Makes the README's three pictures of learning a deck: cards are laid, the wall fills in, a name is corrected.

    python docs/lesson.py [--cards 40]

The cards are drawn and laid on a drawn table, as on the simulated table.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from random import Random

import cv2
import numpy as np
from playwright.sync_api import Page
from recording import PICTURES, host_page, screenshot, serving

from companion.cards import Card, EditionName, deck
from companion.dataset.artist.faces import render
from companion.dataset.artist.families import StyleFamily
from companion.dataset.artist.styles import sample_style
from companion.server.services.services import Services
from companion.vision.core.geometry import Image, homography, unit_square

SIZE = (760, 560)
"""Width and height of the page in CSS pixels, and of the pictures."""
TABLE = (960, 720)
"""Width and height of the drawn table in pixels."""
SEED = 5
PATIENCE = 60.0
QUALITY = 70


def bare_table(rng: np.random.Generator) -> Image:
    """Return a (720, 960, 3) BGR uint8 picture of a table."""
    grain = cv2.GaussianBlur(rng.normal(0, 40, (TABLE[1], TABLE[0], 1)), (0, 0), 4)[..., None]
    return np.clip(np.array([70, 105, 80]) + grain, 0, 255).astype(np.uint8)


def laid(table: Image, card: Card, rng: np.random.Generator) -> Image:
    """Return the picture with one more card near its middle."""
    face = render(card, sample_style(np.random.default_rng(SEED), StyleFamily.THEMED, ()), 300).image
    height, width = face.shape[:2]
    turn = rng.uniform(-0.6, 0.6)
    matrix = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    size = np.array([width, height], np.float32)
    center = np.array(TABLE) / 2 + rng.normal(0, 12, 2)
    quad = np.asarray(((unit_square() - 0.5) * size) @ matrix.T + center, np.float32)
    warped = cv2.warpPerspective(face, homography(unit_square() * size, quad), TABLE)
    alpha = warped[:, :, 3:] / 255
    return np.asarray(warped[:, :, :3] * alpha + table * (1 - alpha), np.uint8)


def show(services: Services, picture: Image, seen: Callable[[], bool]) -> None:
    """Send a picture as a phone does, until the lesson has seen it."""
    data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, 95])[1].tobytes()
    deadline = time.monotonic() + PATIENCE
    while not seen():
        if time.monotonic() > deadline:
            raise SystemExit("the lesson did not see a card in time")
        services.camera.push(data)
        time.sleep(0.1)


def save(picture: Image, name: str) -> None:
    """Write a picture of the documentation."""
    cv2.imwrite(str(PICTURES / name), picture, [cv2.IMWRITE_WEBP_QUALITY, QUALITY])


def seen_cards(page: Page) -> int:
    """Return how many cards the lesson has seen."""
    found: list[str] = page.evaluate("() => fetch('/api/decks/lesson').then((answer) => answer.json())")["cards"]
    return len(found)


def main() -> None:
    """Learn a part of a drawn deck, and write the three pictures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cards", type=int, default=40)
    options = parser.parse_args()
    cards = sorted(deck(EditionName.CLASSIC).elements(), key=str)
    Random(SEED).shuffle(cards)
    rng = np.random.default_rng(SEED)
    with serving() as (services, address):
        services.camera.choose("phone")
        with host_page(services, address, "deck", SIZE) as page:
            page.fill("#deck-name", "Ours")
            page.select_option("#edition", "classic")
            page.click("#begin-lesson")
            page.wait_for_selector("#finish-lesson")
            pile = bare_table(rng)
            frames = iter(range(30))
            show(services, pile, lambda: next(frames, None) is None)
            for number, card in enumerate(cards[: options.cards]):
                pile = laid(pile, card, rng)
                if number == 4:
                    save(cv2.resize(pile, SIZE, interpolation=cv2.INTER_AREA), "deck-1.webp")
                show(services, pile, lambda number=number: seen_cards(page) > number)  # type: ignore[misc]
            page.wait_for_timeout(2500)
            page.locator("#wall").scroll_into_view_if_needed()
            save(screenshot(page), "deck-2.webp")
            page.locator("#wall img").first.click()
            page.wait_for_selector("dialog[open]")
            page.wait_for_timeout(500)
            save(screenshot(page), "deck-3.webp")


if __name__ == "__main__":
    main()
