"""Records moments of the table page as animated pictures: a landing, each item, UNO, and the end of a match.

python docs/films.py [--only uno] [--out docs/pages/pictures]
"""

from __future__ import annotations

import argparse
import base64
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from playwright.sync_api import Page
from recording import PICTURES, host_page, serving, write_animation

from companion.cards import Card, EditionName
from companion.editions import EDITIONS
from companion.referee.moves import Count, Flip, Hand, Move, Play, Start, Target, Uno
from companion.referee.state import Header
from companion.server.services.services import Services
from companion.vision.core.geometry import Image

SIZE = (960, 600)
"""Width and height of the page in CSS pixels."""
SHOWN = (640, 400)
"""Width and height of a film in pixels."""
SHORTEST = 0.055
"""Fewest seconds between two frames of a film."""
QUALITY = 45
MOST_BYTES = 1_000_000

PEOPLE = ("Ann", "Ben", "Cy", "Dee")


@dataclass(frozen=True, slots=True)
class Film:
    """A moment: what was played before it, the moves that are recorded, and how many seconds they are followed."""

    before: tuple[Move, ...]
    shown: tuple[Move, ...]
    seconds: float = 2.6
    target: int = 500


def _item(card: str, *then: Move) -> Film:
    box = Play(Card.parse("wild item box"))
    return Film((Start(Card.parse("red 5")), box), (Flip(Card.parse(card)), *then), 2.6 + 1.6 * len(then))


_OPENED = (Start(Card.parse("red 5")),)
FILMS = {
    "film-landing": Film(_OPENED, (Play(Card.parse("red 7")), Play(Card.parse("red draw two"))), 3.0),
    "film-mushroom": _item("red 3"),
    "film-banana": _item("yellow 3"),
    "film-shell": _item("green 3", Target("Cy")),
    "film-lightning": _item("blue 3"),
    "film-bob-omb": _item("wild draw four"),
    "film-uno": Film((*_OPENED, Count("Ann", 2), Play(Card.parse("red 7"))), (Uno("Ann"),), 2.0),
    "film-win": Film(
        (*_OPENED, Count("Ann", 0), Hand("Ben", (Card.parse("red 7"),)), Hand("Cy", (Card.parse("blue 5"),))),
        (Hand("Dee", (Card.parse("blue 9"),)),),
        3.6,
        target=10,
    ),
}


def record(page: Page, seconds: float, act: Callable[[], None]) -> list[tuple[float, Image]]:
    """Return the frames that the page paints while something happens, each with its time in seconds."""
    session = page.context.new_cdp_session(page)
    found: list[tuple[float, Image]] = []

    def keep(frame: dict[str, Any]) -> None:
        data = np.frombuffer(base64.b64decode(frame["data"]), np.uint8)
        image = cv2.imdecode(data, cv2.IMREAD_COLOR)
        time = float(frame["metadata"]["timestamp"])
        if image is not None and (not found or time - found[-1][0] >= SHORTEST):
            found.append((time, cv2.resize(image, SHOWN, interpolation=cv2.INTER_AREA)))
        session.send("Page.screencastFrameAck", {"sessionId": frame["sessionId"]})

    session.on("Page.screencastFrame", keep)
    session.send("Page.startScreencast", {"format": "jpeg", "quality": 90})
    page.wait_for_timeout(400)
    act()
    page.wait_for_timeout(seconds * 1000)
    session.remove_listener("Page.screencastFrame", keep)
    session.send("Page.stopScreencast")
    return found


def write(path: Path, frames: list[tuple[float, Image]]) -> None:
    """Write the frames as an animated WebP."""
    times = [time for time, _ in frames]
    durations = np.array([*(np.diff(times) * 1000).round(), 900], np.int32)
    write_animation(path, [image for _, image in frames], durations, QUALITY)


def shoot(services: Services, page: Page, film: Film) -> list[tuple[float, Image]]:
    """Play up to a film's moment, and return its frames."""
    edition = EDITIONS[EditionName.MARIO_KART]
    services.start(Header(edition, PEOPLE, 3, replace(edition.options, target=film.target)))
    for move in film.before:
        services.table.tap(move)
    page.wait_for_timeout(1200)
    page.keyboard.press("Escape")

    def act() -> None:
        for move in film.shown:
            services.table.tap(move)
            page.wait_for_timeout(film.seconds * 1000 / len(film.shown) - 100)

    return record(page, 0.2, act)


def main() -> None:
    """Record the films."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="record the films whose names contain this")
    parser.add_argument("--out", type=Path, default=PICTURES)
    options = parser.parse_args()
    with serving() as (services, address), host_page(services, address, "tv", SIZE) as page:
        page.evaluate("document.body.classList.add('drawer-shut')")
        for name, film in FILMS.items():
            if options.only not in name:
                continue
            frames = shoot(services, page, film)
            path = options.out / f"{name}.webp"
            write(path, frames)
            size = path.stat().st_size
            print(f"{path}: {len(frames)} frames, {size / 1000:.0f} kB")
            if size > MOST_BYTES:
                raise SystemExit(f"{path} is larger than {MOST_BYTES / 1000:.0f} kB: lower QUALITY")


if __name__ == "__main__":
    main()
