"""A blank sheet to draw other things on, and what many of them share: colours, letters, suits, words.

Pictures are BGR uint8 (H, W, 3) while they are drawn; coordinates are pixels, x to the right, y down.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.dataset.artist.drawing.glyphs import Lettering, letter, sample_any_lettering
from companion.dataset.artist.drawing.ink import Bgr, Points, fill, rounded, stain, turned
from companion.vision.core.geometry import Image

_PER_MM = 6
_WORDS = ("SUN", "MOON", "KING", "ACE", "TAXI", "CAFE", "BANK", "HOTEL", "MENU", "ORION", "PARK", "OPEN", "SALE", "TEA")


@dataclass(frozen=True, eq=False)
class Thing:
    """A flat thing. art: BGRA uint8 (H, W, 4). size: its width and height in mm."""

    art: NDArray[np.uint8]
    size: tuple[float, float]


class Sheet:
    """A sheet of paper, plastic or glass. rng: all randomness. size: width and height in mm. color: of its ground.
    radius: of its corners in mm.
    """

    def __init__(self, rng: np.random.Generator, size: tuple[float, float], color: Bgr, radius: float = 0.0) -> None:
        self.rng = rng
        self.size = size
        self.width, self.height = (round(side * _PER_MM) for side in size)
        self.canvas: Image = np.full((self.height, self.width, 3), color, np.uint8)
        self._radius = radius * _PER_MM

    def at(self, x: float, y: float) -> Points:
        """Return the pixel at shares of the width and the height."""
        return np.array([x * self.width, y * self.height])

    def text(self, text: str, at: Points, height: float, color: Bgr, lettering: Lettering, turn: float = 0.0) -> None:
        """Print a text centred at a pixel, its letters `height` pixels high and at most as wide as the sheet."""
        mask = letter(text, lettering, max(6.0, height), turn)
        if mask.shape[1] > 0.96 * self.width:
            mask = letter(text, lettering, max(6.0, height * 0.96 * self.width / mask.shape[1]), turn)
        stain(self.canvas, mask, color, round(at[0] - mask.shape[1] / 2), round(at[1] - mask.shape[0] / 2))

    def shape(self, points: Points, at: Points, color: Bgr) -> None:
        """Fill a polygon (N, 2), its origin at a pixel."""
        fill(self.canvas, points + at, color)

    def twice(self, draw: Callable[[], None]) -> None:
        """Draw something upright, and again upside down."""
        draw()
        self.canvas = np.ascontiguousarray(self.canvas[::-1, ::-1])
        draw()
        self.canvas = np.ascontiguousarray(self.canvas[::-1, ::-1])

    def finished(self) -> Thing:
        """Return the thing, with round corners."""
        mask = np.zeros(self.canvas.shape[:2], np.uint8)
        outline = rounded(self.width - 1, self.height - 1, self._radius) + self.at(0.5, 0.5)
        fill(mask, outline, 255)
        return Thing(np.dstack([self.canvas, mask]), self.size)


def any_color(rng: np.random.Generator) -> Bgr:
    """Return a printed colour, mostly a strong one."""
    hsv = [[[rng.uniform(0, 180), rng.choice([rng.uniform(150, 255), rng.uniform(0, 255)]), rng.uniform(60, 255)]]]
    blue, green, red = cv2.cvtColor(np.array(hsv, np.uint8), cv2.COLOR_HSV2BGR)[0, 0].tolist()
    return blue, green, red


def paper(rng: np.random.Generator) -> Bgr:
    """Return white, cream or a light colour."""
    level = rng.uniform(215, 255)
    red, green, blue = level, level * rng.uniform(0.95, 1.0), level * rng.uniform(0.8, 1.0)
    return int(blue), int(green), int(red)


def dark(rng: np.random.Generator) -> Bgr:
    """Return black or a dark colour."""
    blue, green, red = (int(part) for part in rng.uniform(0, 70, 3))
    return blue, green, red


def lettering(rng: np.random.Generator, fonts: tuple[str, ...]) -> Lettering:
    """Return any lettering in one of these fonts."""
    return sample_any_lettering(rng, fonts)


def word(rng: np.random.Generator) -> str:
    """Return a word or a few letters."""
    return str(rng.choice(_WORDS)) if rng.random() < 0.6 else "".join(rng.choice(list("ABCDEFGHKLMNOPRSTUVXZ"), 3))


def suit(kind: int, size: float) -> list[Points]:
    """Return the polygons of a heart, diamond, spade or club (0 to 3) of this height around the origin."""
    angles = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    disc = np.stack([np.cos(angles), np.sin(angles)], 1) * size * 0.25
    foot = np.array([[0.0, 0.0], [size * 0.18, size * 0.5], [-size * 0.18, size * 0.5]])
    side = size * 0.23
    if kind == 1:
        return [np.array([[0, -0.5], [0.38, 0], [0, 0.5], [-0.38, 0]]) * size]
    if kind == 3:
        spots = np.array([[-side, size * 0.08], [side, size * 0.08], [0.0, -side]])
        return [*(disc + spot for spot in spots), foot]
    lobe = np.array([side, -size * 0.22])
    heart = [disc + lobe, disc + lobe * (-1, 1)]
    heart.append(np.array([[-0.47, -0.13], [0.47, -0.13], [0.0, 0.5]]) * size)
    return heart if kind == 0 else [*(turned(part, 180) for part in heart), foot]
