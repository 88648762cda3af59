"""Ambiguity of a card's colour caused by the light on it."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.cards import Color
from companion.vision.core.geometry import Image, Quad, cut

# Width and height in pixels of the thumbnail that is analysed.
_LOOK = (32, 48)
# Saturation (of 255) of the most colourful quarter below which the light decides the colour. One in a hundred hard
# pictures is that pale.
_PALE = 24
# Ratio between channels of the brightest pixels that indicates a coloured lamp. Under a cold lamp green looks blue,
# under a green one yellow looks green.
_CAST = 1.3
# Share of a card saturated in two of three channels, from which yellow may be green or orange.
_CLIPPED, _CLIPPED_SHARE = 250, 0.12
# Hue limits in degrees. A "yellow" card more orange than the first is red: over 30 decks, under all lamps, of 4,100
# correct confident readings almost no red card exceeded 28 and no yellow one was below 35. Below the second limit it
# may be red in coloured light or overexposure; beyond the last it may be green.
_RED_AT_MOST, _SURELY_YELLOW, _GREENISH = 31.0, 45.0, 66.0
# Hues below this belong to blue.
_PURPLE = -30.0
# Share of a card within this many degrees of its ground's hue: at least 0.63 for orange cards, at most 0.22 for picture
# cards and boards.
_GROUND, _ONE_HUE = 0.5, 15.0
BRIGHTEST = 98
"""Percentile used as brightest level; higher ones may be a specular highlight."""


def is_color_doubtful(image: Image, quad: Quad, color: Color) -> bool:
    """Whether the colour read for a card with this outline (4, 2) in a (H, W, 3) BGR picture is ambiguous.

    It is for pale, coloured or overexposed light.
    """
    small = cut(image, quad, *_LOOK)
    if float(np.percentile(cv2.cvtColor(small, cv2.COLOR_BGR2HSV)[..., 1], 75)) < _PALE:
        return True
    if color is Color.RED:
        return False
    lights = [np.percentile(part.reshape(-1, 3), BRIGHTEST, axis=0) for part in (small, image[::8, ::8])]
    cold = all(blue > _CAST * red for blue, _, red in lights)
    if color is Color.YELLOW:
        warm = all(red > _CAST * blue for blue, _, red in lights)
        clipped = (small >= _CLIPPED).sum(axis=2)
        hue = _hue(small)
        if (clipped == 2).mean() > _CLIPPED_SHARE or hue > _GREENISH:
            return True
        return hue < _SURELY_YELLOW and (cold or warm or bool((clipped == 1).mean() > _CLIPPED_SHARE))
    green = all(g > _CAST * max(blue, red) for blue, g, red in lights)
    return cold or (green and color is Color.GREEN)


def is_orange(image: Image, quad: Quad) -> bool:
    """Whether the ground of a card with this outline (4, 2) in a (H, W, 3) BGR picture is too red to be yellow."""
    small = cut(image, quad, *_LOOK)
    hue = _hue(small)
    if not _PURPLE < hue < _RED_AT_MOST:
        return False
    off = np.abs((cv2.cvtColor(small, cv2.COLOR_BGR2HSV)[..., 0] * 2.0 - hue + 180) % 360 - 180)
    return bool(((off < _ONE_HUE) & (_chroma(small) > _PALE)).mean() > _GROUND)


def _hue(small: Image) -> float:
    """Return the hue of a picture's most colourful quarter in degrees, -180 to 180; red is 0, yellow 60."""
    most = np.argsort(-_chroma(small), axis=None)[: small.shape[0] * small.shape[1] // 4]
    hues = cv2.cvtColor(small, cv2.COLOR_BGR2HSV)[..., 0].ravel()[most] * (np.pi / 90)
    return float(np.degrees(np.angle(np.exp(1j * hues).mean())))


def _chroma(small: Image) -> NDArray[np.int_]:
    return np.asarray(small.max(axis=2).astype(int) - small.min(axis=2))
