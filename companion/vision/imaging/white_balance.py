"""Pictures taken in a lamp's light as they were in white light: by what is white on the cards."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.core.geometry import Image, Quad, cut
from companion.vision.imaging.lighting import BRIGHTEST

# Width and height in pixels at which a card is looked at.
_LOOK = (32, 48)
# By how much the three channels of what is white differ at least (all these are natural logarithms of ratios of
# levels): of 199 photographs in a room's light one in ten is so coloured.
_CAST = 0.2
# What is white has one colour on the cards as in the whole picture, to so much, and on three cards of four to so much:
# in 79 drawn pictures whose brightest parts are coloured, most of them a table's wood or felt or cards without anything
# white, balancing without these two lost 15 of 265 cards.
_ALIKE, _ONE_COLOR = 0.15, 0.12
# What blue and red may have over green in a lamp's light, from the least to the most: make_hard's strongest lamps are
# within, a card's own ink seldom is. Where both have more or less than the last, they are not a lamp's either.
_BLUE, _RED, _BOTH = (-1.4, 0.6), (-0.9, 0.6), 0.3
# From which level on the sensor tells no more; and how much blue then has over green, for each that red has under it:
# along the light of the sky 1.0. Of six photographs of a deck in the strongest cold lamp two green cards stayed blue
# with 0.4, a blue one became green with 1.0, all were read with 0.6 and 0.8.
_CLIPPED, _OF_RED = 250.0, 0.7


def balanced(image: Image, cards: Sequence[Quad]) -> Image:
    """Return a (H, W, 3) BGR uint8 picture as in white light, the same one where its light is white or not made out.

    cards: outlines (4, 2) of those that lie open. White patches on them tell the light (Land and McCann, Lightness and
    Retinex Theory, 1971), where the brightest of the picture has the same colour.
    """
    if not cards:
        return image
    whites = np.array([_brightest(cut(image, quad, *_LOOK)) for quad in cards])
    white = np.median(whites, axis=0)
    blue, red = casts = _casts(white)
    if max(blue, red, 0.0) - min(blue, red, 0.0) < _CAST or not _is_a_lamps(blue, red):
        return image
    off = [float(np.abs(_casts(one) - casts).max()) for one in whites]
    if np.percentile(off, 75) > _ONE_COLOR or np.abs(_casts(_brightest(image[::8, ::8])) - casts).max() > _ALIKE:
        return image
    clipped = white[0] >= _CLIPPED and red < 0
    light = image.astype(np.float32) * np.exp(
        [-max(blue, -_OF_RED * red) if clipped else -blue, 0, -red], dtype=np.float32
    )
    if clipped:
        # What was too blue for the sensor is no less blue than it is red and green, so that white stays white.
        grey = np.minimum(light[..., 1], light[..., 2])
        light[..., 0] = np.where(image[..., 0] >= _CLIPPED, np.maximum(light[..., 0], grey), light[..., 0])
    return np.asarray(cv2.convertScaleAbs(light), np.uint8)


def _is_a_lamps(blue: float, red: float) -> bool:
    within = _BLUE[0] <= blue <= _BLUE[1] and _RED[0] <= red <= _RED[1]
    return within and min(blue, red) <= _BOTH and max(blue, red) >= -_BOTH


def _brightest(pixels: Image) -> NDArray[np.float64]:
    return np.asarray(np.percentile(pixels.reshape(-1, 3), BRIGHTEST, axis=0), np.float64)


def _casts(levels: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what blue and red have over green, (2,), of BGR levels (3,)."""
    logs = np.log(levels + 1)
    return np.asarray(logs[[0, 2]] - logs[1], np.float64)
