"""The inks of a deck: how red, yellow, green and blue are printed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import cv2
import numpy as np

from companion.cards import Color
from companion.dataset.artist.drawing.ink import Bgr

_HUES = {
    # Hue in degrees, saturation and value: (low, mode, high) of triangular distributions.
    Color.RED: ((-10, 0, 14), (0.72, 0.88, 1.0), (0.62, 0.88, 1.0)),
    Color.YELLOW: ((40, 50, 60), (0.68, 0.95, 1.0), (0.82, 0.97, 1.0)),
    Color.GREEN: ((80, 115, 165), (0.45, 0.8, 1.0), (0.34, 0.62, 0.82)),
    Color.BLUE: ((196, 210, 232), (0.6, 0.88, 1.0), (0.42, 0.8, 0.98)),
}


@dataclass(frozen=True)
class Inks:
    """The printed colours of a deck, BGR. own: those of colours that only some editions have."""

    red: Bgr
    yellow: Bgr
    green: Bgr
    blue: Bgr
    paper: Bgr
    dark: Bgr
    own: Mapping[Color, Bgr] = field(default_factory=dict)

    def of(self, color: Color) -> Bgr:
        """Return the ink of a colour."""
        inks: dict[Color, Bgr] = {
            Color.RED: self.red,
            Color.YELLOW: self.yellow,
            Color.GREEN: self.green,
            Color.BLUE: self.blue,
            **self.own,
        }
        return inks[color]


def hsv(hue: float, saturation: float, value: float) -> Bgr:
    """Return BGR of a hue in degrees, saturation and value from 0 to 1."""
    pixel = np.array([[[hue % 360, saturation, value]]], np.float32)
    blue, green, red = (round(255 * float(v)) for v in cv2.cvtColor(pixel, cv2.COLOR_HSV2BGR)[0, 0])
    return blue, green, red


def _ink(rng: np.random.Generator, color: Color) -> Bgr:
    return hsv(*(float(rng.triangular(*span)) for span in _HUES[color]))


_WIDE_HUES = {
    Color.RED: ((-22, -2, 16), (0.4, 0.75, 1.0), (0.5, 0.9, 1.0)),
    Color.YELLOW: ((36, 50, 62), (0.45, 0.85, 1.0), (0.75, 0.97, 1.0)),
    Color.GREEN: ((76, 125, 172), (0.3, 0.7, 1.0), (0.3, 0.65, 0.95)),
    Color.BLUE: ((184, 212, 246), (0.35, 0.8, 1.0), (0.4, 0.85, 1.0)),
}
"""Wider ranges of the four colours in homemade decks: coral, mint, cyan and violet blue too."""


def sample_wide_inks(rng: np.random.Generator, paper: Bgr) -> Inks:
    """Sample the inks of a homemade deck on this paper."""
    red, yellow, green, blue = (hsv(*(float(rng.triangular(*span)) for span in _WIDE_HUES[color])) for color in Color)
    dark = int(rng.integers(8, 60))
    return Inks(red, yellow, green, blue, paper, (dark, dark, dark))


def sample_paper(rng: np.random.Generator) -> Bgr:
    """Sample a paper: white, cream, parchment, grey or kraft."""
    kind = rng.random()
    if kind < 0.45:
        white = int(rng.integers(225, 256))
        return white, white, white
    if kind < 0.6:
        return hsv(rng.uniform(0, 360), rng.uniform(0, 0.06), rng.uniform(0.6, 0.92))
    return hsv(rng.uniform(26, 48), rng.uniform(0.08, 0.45), rng.uniform(0.65, 0.98))


def sample_inks(rng: np.random.Generator) -> Inks:
    """Sample the inks of a printed deck."""
    warm = rng.random()
    white = 255 - rng.integers(0, 14)
    paper = (int(white - 22 * warm * rng.random()), int(white - 5 * warm), int(white))
    dark = int(rng.integers(8, 45))
    red, yellow, green, blue = (_ink(rng, color) for color in Color)
    return Inks(red, yellow, green, blue, paper, (dark, max(0, dark - 4), dark))
