"""What the light on a card leaves open of its colour."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.cards import Color
from companion.vision.core.geometry import Image, Quad, cut

# Width and height in pixels at which a card's light is looked at.
_LOOK = (32, 48)
# Where the most colourful quarter of a card has less than this saturation (of 255), its colour can be told by hardly
# more than the light. One in a hundred hard pictures is so pale.
_PALE = 24
# A lamp colours what is white: where the brightest of the card and of the picture in one channel are so many times
# those in another, nothing is white. Under a cold lamp green looks blue, under a green one yellow looks green.
_CAST = 1.3
# Where so much of a card is as bright as the sensor goes in two channels of three, yellow may be green or orange.
_CLIPPED, _CLIPPED_SHARE = 250, 0.12
# Hues in degrees. What reads as yellow and is more orange than the first is red: over 30 decks, under lamps of all
# kinds, of 4,100 cards surely and rightly read hardly a red one had more than 28, no yellow one less than 35. Short of
# the second it may be red, in coloured light or where it is as bright as the sensor goes; beyond the last, green.
_RED_AT_MOST, _SURELY_YELLOW, _GREENISH = 31.0, 45.0, 66.0
# Beyond this, counted backwards, hues are a blue's.
_PURPLE = -30.0
# So much of a card has the hue of its ground, to so many degrees: of orange cards 0.63 and more, of cards that are one
# picture or a board 0.22 and less had that of their most colourful part.
_GROUND, _ONE_HUE = 0.5, 15.0
BRIGHTEST = 98
"""Percentile that stands for the brightest: less than that may be a gleam."""


def is_color_doubtful(image: Image, quad: Quad, color: Color) -> bool:
    """Whether a card with this outline (4, 2) in a (H, W, 3) BGR picture may well have another colour than was read.

    So it is where it lies in pale, coloured or too bright light.
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
    """Whether the ground of a card with this outline (4, 2) in a (H, W, 3) BGR picture is too red for a yellow one."""
    small = cut(image, quad, *_LOOK)
    hue = _hue(small)
    if not _PURPLE < hue < _RED_AT_MOST:
        return False
    off = np.abs((cv2.cvtColor(small, cv2.COLOR_BGR2HSV)[..., 0] * 2.0 - hue + 180) % 360 - 180)
    return bool(((off < _ONE_HUE) & (_chroma(small) > _PALE)).mean() > _GROUND)


def _hue(small: Image) -> float:
    """Return the hue of the most colourful quarter of a picture, from -180 to 180 degrees, red at 0, yellow at 60."""
    most = np.argsort(-_chroma(small), axis=None)[: small.shape[0] * small.shape[1] // 4]
    hues = cv2.cvtColor(small, cv2.COLOR_BGR2HSV)[..., 0].ravel()[most] * (np.pi / 90)
    return float(np.degrees(np.angle(np.exp(1j * hues).mean())))


def _chroma(small: Image) -> NDArray[np.int_]:
    return np.asarray(small.max(axis=2).astype(int) - small.min(axis=2))
