"""Pictures of one printed deck under good conditions: a flip onto a pile, single cards, scattered cards, fans.

As people show cards to a camera: no hands, no clutter, every card identifiable. The scenes of `compose.py`, which the
networks are trained on, are much harder.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.cards import ALL_CARDS, Card, Face
from companion.dataset.artist.faces import render
from companion.dataset.artist.press import CARD_HEIGHT
from companion.dataset.artist.styles import Style
from companion.dataset.scenes.camera import Floats, table_homography
from companion.dataset.scenes.compose import card_to_table, paste, pyramid
from companion.dataset.scenes.layouts import Placement
from companion.dataset.scenes.surfaces import SurfaceBank, smooth_noise
from companion.vision.core.geometry import Image, Quad, project, unit_square

SIZE = (1280, 720)
"""Width and height in pixels of the pictures."""
# Height (px) at which faces are drawn, more than a card takes in these pictures.
_FACE = 448
# Length (px) of a card: single, scattered, in a fan, on the pile.
_SINGLE, _SCATTERED, _HELD, _PILED = (120, 330), (120, 230), (170, 290), (190, 290)
# Number of cards in a picture with more than one.
_FEWEST, _MOST = 5, 8
# Fans: distance (mm) of the cards' centres from the pivot, and the angle (degrees) between neighbours.
_REACH, _STEP = (125, 180), (9, 15)
# Standard deviations on the pile: position (mm) and rotation (degrees).
_OFF, _TURNED = 6.0, 14.0
# Gain, blur (px) and noise (levels) in good and in poor light.
_GOOD = ((0.68, 1.08), (0.2, 1.2), (1.5, 5.0))
_POOR = ((0.3, 0.42), (1.2, 1.9), (6.0, 9.0))
_TRIES = 4000

Matrix = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Picture:
    """A (H, W, 3) BGR uint8 picture and its identifiable cards with their outlines (4, 2), each above those before."""

    image: Image
    cards: tuple[Card, ...]
    quads: tuple[Quad, ...]


@dataclass(frozen=True, eq=False)
class _Light:
    """Light, print and lens of a picture: gains (H, W, 3), blur (px), noise (levels), shadow."""

    gains: Floats
    blur: float
    noise: float
    shade: float
    drop: NDArray[np.float64]

    def photograph(self, image: Image, rng: np.random.Generator) -> Image:
        lit = cv2.GaussianBlur(image * self.gains, (0, 0), self.blur)
        noisy = lit + rng.standard_normal(lit.shape, np.float32) * self.noise
        coded = cv2.imencode(".jpg", np.clip(noisy, 0, 255).astype(np.uint8), [cv2.IMWRITE_JPEG_QUALITY, 85])[1]
        return np.asarray(cv2.imdecode(coded, cv2.IMREAD_COLOR), np.uint8)


def drawn_faces(style: Style, cards: Iterable[Card] = ALL_CARDS) -> dict[Card, Image]:
    """Return the BGRA uint8 faces of cards in a style."""
    return {card: render(card, style, _FACE).image for card in cards}


def faces_in(folder: Path) -> dict[Card, Image]:
    """Return the BGRA uint8 faces of a folder of upright pictures named as cards, such as "red 7.png".

    Raises UnknownCardError for other names, OSError if the folder or a picture cannot be read.
    """
    faces = {}
    for path in sorted(path for path in folder.iterdir() if path.suffix in (".png", ".webp")):
        face = cv2.imread(str(path), cv2.IMREAD_UNCHANGED)
        if face is None or face.ndim != 3 or face.shape[2] != 4:
            raise OSError(f"{path} is no picture with an outline")
        faces[Card.parse(path.stem)] = np.asarray(face, np.uint8)
    return faces


class Sitting:
    """Photographs a deck on random tables, with another light and camera for each picture; deterministic for a seed.

    faces: BGRA uint8 (H, W, 4) pictures of upright cards. poor: low light, out of focus.
    """

    def __init__(self, faces: Mapping[Card, Image], seed: Sequence[int], poor: bool = False) -> None:
        self._faces = {card: pyramid(face) for card, face in faces.items()}
        self._rng = np.random.default_rng(seed)
        self._poor = poor
        self._tops = SurfaceBank(self._rng, 3, kept_out=True)

    def flip(self, cards: Sequence[Card]) -> Iterator[Picture]:
        """Yield a picture for each card laid on one pile, labelled with the top card. Camera and light stay."""
        rng = self._rng
        light, table = self._light(), self._tops.view(rng, *SIZE)
        # The camera sees all placements.
        spots = [_untidy(rng) for _ in cards]
        matrix = self._camera(spots, rng.uniform(*_PILED))
        for card, spot in zip(cards, spots, strict=True):
            self._lay(table, card, matrix @ card_to_table(spot), light)
            yield Picture(light.photograph(table, rng), (card,), (_outline(matrix, spot),))

    def single(self) -> Picture:
        """Return a picture of a single card."""
        return self._picture([Placement(0.0, 0.0, float(self._rng.uniform(-np.pi, np.pi)))], _SINGLE)

    def scattered(self) -> Picture:
        """Return a picture of scattered cards."""
        rng = self._rng
        count = int(rng.integers(_FEWEST, _MOST + 1))
        spots: list[Placement] = []
        while len(spots) < count:
            x, y = rng.uniform(-1, 1, 2) * (240, 120)
            if all(np.hypot(x - spot.x, y - spot.y) > CARD_HEIGHT for spot in spots):
                spots.append(Placement(float(x), float(y), float(rng.uniform(-np.pi, np.pi))))
        return self._picture(spots, _SCATTERED)

    def fan(self) -> Picture:
        """Return a picture of a fan: each card on its left neighbour, with all left corners visible."""
        rng = self._rng
        count = int(rng.integers(_FEWEST, _MOST + 1))
        reach, step, lean = rng.uniform(*_REACH), np.radians(rng.uniform(*_STEP)), rng.normal(0, 0.25)
        spots = []
        for i in range(count):
            angle = float(lean + (i - (count - 1) / 2) * step + rng.normal(0, 0.015))
            spots.append(Placement(float(reach * np.sin(angle)), float(reach * (1 - np.cos(angle))), angle))
        return self._picture(spots, _HELD)

    def _picture(self, spots: Sequence[Placement], lengths: tuple[int, int]) -> Picture:
        rng = self._rng
        cards = self._drawn(len(spots))
        light, table = self._light(), self._tops.view(rng, *SIZE)
        length = rng.uniform(*lengths)
        matrix = self._camera(spots, length)
        for card, spot in zip(cards, spots, strict=True):
            self._lay(table, card, matrix @ card_to_table(spot), light)
        quads = tuple(_outline(matrix, spot) for spot in spots)
        return Picture(light.photograph(table, rng), tuple(cards), quads)

    def _drawn(self, count: int) -> list[Card]:
        """Return random cards, none more often than a deck has it."""
        cards: list[Card] = []
        there = list(self._faces)
        while len(cards) < count:
            card = there[int(self._rng.integers(len(there)))]
            if cards.count(card) < (1 if card.face is Face.ZERO else 2):
                cards.append(card)
        return cards

    def _camera(self, spots: Sequence[Placement], length: float) -> Matrix:
        """Return the homography of a camera with all cards in view, each at most about `length` px long."""
        rng = self._rng
        places = np.array([(spot.x, spot.y) for spot in spots])
        center = (places.min(0) + places.max(0)) / 2
        radius = float(np.hypot(*(places - center).T).max()) + CARD_HEIGHT / 2
        middle = (float(center[0]), float(center[1]))
        for _ in range(_TRIES):
            fill = length / CARD_HEIGHT * 2 * radius / min(SIZE)
            matrix = table_homography(rng, middle, radius, *SIZE, fill)
            corners = np.concatenate([_outline(matrix, spot) for spot in spots])
            if corners.min() > 4 and (corners < np.array(SIZE) - 4).all():
                return matrix
            length *= 0.995
        raise ValueError("the cards have no room in the picture")

    def _light(self) -> _Light:
        rng = self._rng
        gain, blur, noise = (float(rng.uniform(*reach)) for reach in (_POOR if self._poor else _GOOD))
        width, height = SIZE
        field = cv2.resize(smooth_noise(rng, height // 8, width // 8, 2.0), SIZE)
        tint = 1 + rng.normal(0, 0.05, 3)
        gains = gain * (1 + 0.15 * field)[..., None] * tint.astype(np.float32)
        return _Light(np.asarray(gains, np.float32), blur, noise, float(rng.uniform(0.2, 0.5)), rng.normal(0, 0.02, 2))

    def _lay(self, table: Image, card: Card, matrix: Matrix, light: _Light) -> None:
        owner = np.full(table.shape[:2], -1, np.int16)
        paste(table, owner, self._faces[card], matrix, 0, light.shade, light.drop)


def _untidy(rng: np.random.Generator) -> Placement:
    x, y = rng.normal(0, _OFF, 2)
    return Placement(float(x), float(y), float(np.radians(rng.normal(0, _TURNED)) + np.pi * rng.integers(2)))


def _outline(matrix: Matrix, spot: Placement) -> Quad:
    return project(matrix @ card_to_table(spot), unit_square())
