"""The sheet on which a card is painted, with what all cards share: size, border, rounded corners.

A sheet has twice the size of the finished picture; lengths of styles are in millimetres.
"""

from __future__ import annotations

import zlib
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.cards import Card, Color, Face
from companion.dataset.artist.drawing.glyphs import Lettering, letter, no_wider
from companion.dataset.artist.drawing.ink import (
    SHIFT,
    Bgr,
    Box,
    Finish,
    Mask,
    Points,
    Tones,
    fill,
    fixed,
    flood,
    print_mark,
    rounded,
)
from companion.dataset.artist.styles import Style
from companion.vision.core.geometry import Image

CARD_WIDTH, CARD_HEIGHT = 56.0, 87.0
"""Size of a card in millimetres."""
SCALE = 2
"""Supersampling factor of a sheet."""

Center = tuple[float, float]


def width_of(height: int) -> int:
    """Return the width in pixels of a card of a height in pixels."""
    return round(height * CARD_WIDTH / CARD_HEIGHT)


class Sheet:
    """A card being painted.

    `canvas` is BGR uint8 (H, W, 3), `size` its (W, H), `unit` its pixels in a millimetre, `ink` the card's colour,
    `four` the colours of wild cards in the deck's order.
    """

    def __init__(self, card: Card, style: Style, height: int) -> None:
        self.card = card
        self.style = style
        self.size = (width_of(height) * SCALE, height * SCALE)
        self.unit = height * SCALE / CARD_HEIGHT
        self.center: Center = (self.size[0] / 2, self.size[1] / 2)
        self.ink: Bgr = style.wild_ground if card.color is None else style.inks.of(card.color)
        self.tones = Tones(self.ink, style.inks.paper, style.inks.dark)
        inks = [style.inks.of(color) for color in Color]
        a, b, c, d = (inks[i] for i in style.wild_order)
        self.four: tuple[Bgr, Bgr, Bgr, Bgr] = (a, b, c, d)
        self.canvas: Image = np.empty((self.size[1], self.size[0], 3), np.uint8)
        self.border: Bgr = self.ink if style.design.border_in_ink else style.border
        flood(self.canvas, self.border)

    @property
    def rim(self) -> int:
        """Width of the border in pixels."""
        return round(self.style.border_width * self.unit)

    def inner(self) -> Image:
        """Return the view of the canvas inside the border."""
        return self.canvas[self.rim : self.size[1] - self.rim, self.rim : self.size[0] - self.rim]

    def rng(self) -> np.random.Generator:
        """Return the random generator of this card's art; in some decks it depends on the face, in others only on the
        colour.
        """
        face = _number(self.card.face) if self.style.art_seed % 2 else 0
        color = 0 if self.card.color is None else 1 + _number(self.card.color)
        return np.random.default_rng([self.style.art_seed, face, color])

    def turn_round(self) -> None:
        """Turn the canvas upside down."""
        self.canvas = np.asarray(cv2.rotate(self.canvas, cv2.ROTATE_180), np.uint8)

    def print_border(self) -> None:
        """Print the border over the ground."""
        if self.rim <= 0:
            return
        outer = np.array([[0, 0], [self.size[0], 0], self.size, [0, self.size[1]]], np.float64)
        inner = _card_shape(self.size, self.rim, max(1, round(self.style.inner_radius * self.unit)))
        cv2.fillPoly(self.canvas, [fixed(outer), fixed(inner)], self.border, cv2.LINE_8, SHIFT)

    def text_in_corner(self, text: str, lettering: Lettering, size: float, center: Center, finish: Finish) -> Box:
        """Print an index of several characters, moved in from the border where it is wide; return its box."""
        mask = no_wider(letter(text, lettering, size), 0.36 * self.size[0])
        x = max(center[0], self.rim + 0.8 * self.unit + mask.shape[1] / 2)
        return print_mark(self.canvas, mask, (x, center[1]), finish, self.tones)

    def words(self, words: tuple[str, ...], size: float, finish: Finish) -> None:
        """Spell words over the middle, one under another, `size` pixels high."""
        widest = self.size[0] * 0.72
        for row, word in enumerate(words):
            mask = no_wider(letter(word, self.style.lettering, size), widest)
            y = self.center[1] + (row - (len(words) - 1) / 2) * size * 1.3
            print_mark(self.canvas, mask, (self.center[0], y), finish, self.tones)

    def finished(self) -> NDArray[np.uint8]:
        """Return the card: the canvas at its final size with rounded corners, BGRA uint8 (H, W, 4)."""
        size = (self.size[0] // SCALE, self.size[1] // SCALE)
        small = cv2.resize(self.canvas, size, interpolation=cv2.INTER_AREA)
        alpha = _alpha(self.size, round(self.style.corner_radius * self.unit))
        return np.asarray(cv2.merge([*cv2.split(small), alpha]), np.uint8)


@lru_cache(maxsize=64)
def _alpha(size: tuple[int, int], radius: int) -> Mask:
    mask = np.zeros((size[1], size[0]), np.uint8)
    fill(mask, _card_shape(size, 0, radius), 255)
    return np.asarray(cv2.resize(mask, (size[0] // SCALE, size[1] // SCALE), interpolation=cv2.INTER_AREA), np.uint8)


def _card_shape(size: tuple[int, int], rim: int, radius: int) -> Points:
    return rounded(size[0] - 2 * rim, size[1] - 2 * rim, radius) + np.array(size) / 2


def _number(kind: Face | Color) -> int:
    """Return a stable number of a face or colour: its place among the printed ones, else one of its name."""
    printed: list[object] = [*type(kind)]
    return printed.index(kind) if kind in printed else zlib.crc32(kind.value.encode())
