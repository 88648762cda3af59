"""Takes the pictures of the pages in the documentation: set-up, table, scores and a hand that was scanned.

python docs/screens.py [--only table] [--out docs/pages/pictures]
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable
from pathlib import Path

import cv2
from playwright.sync_api import Page
from recording import PICTURES, host_page, screenshot, serving

from companion.cards import Card, EditionName
from companion.dataset.scenes.compose import SceneMaker
from companion.dataset.scenes.layouts import Layout
from companion.editions import EDITIONS
from companion.referee.moves import Count, Hand, Move, Play, Start
from companion.referee.state import Header
from companion.server.services.services import Services

SIZE = (1280, 800)
"""Width and height of the pages in CSS pixels."""
QUALITY = 80

PEOPLE = ("Ann", "Ben", "Cy", "Dee")
HAND = "green 9, red draw two, yellow skip, green 1, blue 2, red 7"

Take = Callable[[Services, Page, str], None]


def cards(names: str) -> tuple[Card, ...]:
    """Return the cards of a list of names."""
    return tuple(map(Card.parse, names.split(", ")))


def finished_round(winner: str, *hands: str) -> tuple[Move, ...]:
    """Return the moves of a round that somebody wins: the others' hands in the players' order."""
    others = [player for player in PEOPLE if player != winner]
    left = [Hand(player, cards(hand)) for player, hand in zip(others, hands, strict=True)]
    return (Start(Card.parse("red 5")), Count(winner, 0), *left)


ROUNDS = (
    *finished_round("Ann", "red 7, wild draw four", "green 9", "blue skip"),
    *finished_round("Cy", "wild draw four, wild item box", "red 8, yellow skip", "blue draw two, green 4"),
    *finished_round("Ben", "red 2", "yellow 5, green 8", "blue 6"),
)


def setup(_: Services, page: Page, address: str) -> None:
    """The set-up page with the names of those who have played here."""
    page.goto(f"{address}/")
    page.wait_for_selector(".players input")


def table(services: Services, page: Page, address: str) -> None:
    """The table in the fourth round."""
    page.goto(f"{address}/table")
    for name in ("yellow 5", "yellow 7", "yellow reverse"):
        started = services.table.state is not None and services.table.state.top is not None
        services.table.tap((Play if started else Start)(Card.parse(name)))
    page.wait_for_selector('#top .card[aria-label="yellow reverse"]')


def scores(_: Services, page: Page, address: str) -> None:
    """The score board after three rounds."""
    page.goto(f"{address}/scores")
    page.wait_for_selector(".after-round")


def hand(services: Services, page: Page, address: str) -> None:
    """A hand that was photographed and read."""
    services.table.tap(Count("Ben", 0))
    scene = SceneMaker(7, size=SIZE, layouts=[Layout.CASCADE], deck_count=1, fonts=()).make(Layout.CASCADE, cards(HAND))
    page.goto(f"{address}/scan?player=Cy")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "hand.jpg"
        cv2.imwrite(str(path), scene.image)
        page.set_input_files("#files", path)
        page.wait_for_selector(".hand .card-button", timeout=120_000)


TAKES: dict[str, Take] = {"setup": setup, "scores": scores, "table": table, "hand": hand}


def main() -> None:
    """Take the pictures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="write the pictures whose names contain this")
    parser.add_argument("--out", type=Path, default=PICTURES)
    options = parser.parse_args()
    edition = EDITIONS[EditionName.MARIO_KART]
    with serving() as (services, address):
        services.start(Header(edition, PEOPLE, 3, edition.options))
        for move in ROUNDS:
            services.table.tap(move)
        with host_page(services, address, "table", SIZE) as page:
            for name, take in TAKES.items():
                take(services, page, address)
                # What moves comes to rest.
                page.wait_for_timeout(3500)
                path = options.out / f"{name}.webp"
                if options.only in name:
                    cv2.imwrite(str(path), screenshot(page), [cv2.IMWRITE_WEBP_QUALITY, QUALITY])
                    print(f"{path}: {path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
