"""Pictures of tables without a card of the deck: things of one kind or of several, by the camera of `scenes`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum

import numpy as np

from companion.dataset.artist import backs
from companion.dataset.artist.drawing.fonts import system_fonts
from companion.dataset.artist.press import CARD_HEIGHT, CARD_WIDTH
from companion.dataset.artist.styles import sample_style
from companion.dataset.others import cards, prints
from companion.dataset.others.cards import Artist, Fonts
from companion.dataset.others.sheet import Thing
from companion.dataset.scenes import camera
from companion.dataset.scenes.compose import Scene, paste, pyramid
from companion.dataset.scenes.hardships import finished, suffer
from companion.dataset.scenes.layouts import Layout
from companion.dataset.scenes.surfaces import SurfaceBank

_SIZE = (1280, 720)
# Distance between things over their length: apart, and where they cover each other, as in a fan or a heap.
_APART, _COVERED = 1.12, (0.2, 0.6)


def _back(rng: np.random.Generator, fonts: Fonts) -> Thing:
    style = sample_style(rng, None, fonts)
    draw = backs.render_back if rng.random() < 0.4 else backs.render_other_back
    return Thing(draw(style), (CARD_WIDTH, CARD_HEIGHT))


class Kind(Enum):
    """A kind of thing that is no card of the deck."""

    FRENCH = "playing cards"
    PICTURES = "picture cards"
    NUMBERS = "cards with other numbers"
    WORDS = "visiting cards and tickets"
    BACKS = "card backs"
    DOMINOES = "dominoes"
    TILES = "tiles"
    CHECKS = "chess boards"
    TRACKS = "game boards"
    DIAGRAMS = "diagrams"
    SCREENS = "screens and keys"
    COVERS = "books and boxes"
    LOGOS = "logos"
    TOKENS = "chips"


_ARTISTS: dict[Kind, Artist] = {
    Kind.FRENCH: cards.french_card,
    Kind.PICTURES: cards.picture_card,
    Kind.NUMBERS: cards.number_card,
    Kind.WORDS: cards.word_card,
    Kind.BACKS: _back,
    Kind.DOMINOES: cards.domino,
    Kind.TILES: cards.tile,
    Kind.CHECKS: prints.checkered_board,
    Kind.TRACKS: prints.track_board,
    Kind.DIAGRAMS: prints.diagram,
    Kind.SCREENS: prints.screen,
    Kind.COVERS: prints.cover,
    Kind.LOGOS: prints.logo,
    Kind.TOKENS: prints.token,
}


@dataclass(frozen=True, eq=False)
class OtherScene(Scene):
    """A picture without any card of the deck. kind: of the things in it."""

    kind: Kind = Kind.FRENCH


def other_scenes(numbers: Iterable[int], seed: int, kinds: Iterable[Kind] = Kind) -> Iterator[OtherScene]:
    """Yield one scene of each kind for each number; the same seed gives the same scenes."""
    kinds = tuple(kinds)
    for number in numbers:
        rng = np.random.default_rng((seed, number, len(Kind)))
        tables = SurfaceBank(rng, count=len(kinds) // 2 + 1)
        for kind in kinds:
            yield _scene(rng, tables, kind)


def _scene(rng: np.random.Generator, tables: SurfaceBank, kind: Kind) -> OtherScene:
    width, height = _SIZE
    image = tables.view(rng, width, height)
    owner = np.full((height, width), -1, np.int16)
    artist, fonts = _ARTISTS[kind], system_fonts()
    first = artist(rng, fonts)
    count = 1 if max(first.size) > 150 else int(rng.integers(1, 8))
    things = [first, *(artist(rng, fonts) for _ in range(count - 1))]
    apart = float(rng.uniform(*_COVERED)) if rng.random() < 0.35 else _APART
    pitch, columns = apart * max(first.size), max(1, round(count**0.5 * 1.3))
    loose = rng.random() < 0.5
    fill = float(np.exp(rng.uniform(np.log(0.5), np.log(1.5 if count > 1 else 2.2))))
    reach = max(pitch * columns * 0.6, max(first.size) * 0.6)
    matrix = camera.table_homography(rng, (0.0, 0.0), reach, width, height, fill)
    shade, drop, angle = rng.uniform(0, 0.55), rng.normal(0, 0.035, 2), rng.uniform(-np.pi, np.pi)
    rows = -(-count // columns)
    for number, thing in enumerate(things):
        row, column = divmod(number, columns)
        spot = np.array([column - (columns - 1) / 2, row - (rows - 1) / 2]) * pitch + rng.normal(0, 0.05 * pitch, 2)
        lean = rng.uniform(-np.pi, np.pi) if loose else angle + rng.normal(0, 0.1) + np.pi * rng.integers(2)
        paste(image, owner, pyramid(thing.art), matrix @ _placed(thing.size, spot, lean), number, shade, drop)
    image = camera.light(image, rng)
    if rng.random() < 0.3:
        image = suffer(image, finished(rng), [], rng)
    layout = Layout.PILE if rng.random() < 0.15 else Layout.SPREAD
    return OtherScene(camera.develop(image, rng), (), layout, kind=kind)


def _placed(size: tuple[float, float], spot: np.ndarray, angle: float) -> np.ndarray:
    """Return the (3, 3) matrix from the unit square to a thing's place on the table in mm."""
    cos, sin = np.cos(angle), np.sin(angle)
    turn = np.array([[cos, -sin, spot[0]], [sin, cos, spot[1]], [0, 0, 1.0]])
    return np.asarray(
        turn @ np.array([[size[0], 0, -size[0] / 2], [0, size[1], -size[1] / 2], [0, 0, 1.0]]), np.float64
    )
