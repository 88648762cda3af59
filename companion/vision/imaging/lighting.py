"""The light on a card and in its picture: what makes a colour ambiguous."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.core.geometry import CARD_THUMBNAIL, Image, Quad, cut

CLIPPED = 250
"""Level from which a channel counts as saturated."""
# Least chroma (of 255) of a coloured pixel, and greatest distance in degrees from the card's hue to be of its ground.
_PALE, _ONE_HUE = 24, 15.0


@dataclass(frozen=True)
class Light:
    """Measures of a card's thumbnail, as shares of the full scale unless stated otherwise.

    saturation, hue: of its most colourful quarter; hue in degrees, -180 to 180, red is 0, yellow 60. ground: share of
    the card of that hue. clipped_in_two, clipped_in_one: share saturated in that many channels. of_card, of_picture:
    logarithms of blue, green and red of the brightest parts, over their mean.
    """

    saturation: float
    clipped_in_two: float
    clipped_in_one: float
    of_card: tuple[float, float, float]
    of_picture: tuple[float, float, float]
    hue: float
    ground: float
    brightness: float
    contrast: float

    @classmethod
    def on(cls, image: Image, quads: Sequence[Quad]) -> list[Light]:
        """Return the light on each card with these outlines (4, 2) in a (H, W, 3) BGR uint8 picture."""
        of_picture = _cast(image[::8, ::8]) if len(quads) else (0.0, 0.0, 0.0)
        return [cls._of(cut(image, quad, *CARD_THUMBNAIL), of_picture) for quad in quads]

    @classmethod
    def _of(cls, small: Image, of_picture: tuple[float, float, float]) -> Light:
        hsv = cv2.cvtColor(small, cv2.COLOR_BGR2HSV)
        clipped = (small >= CLIPPED).sum(axis=2)
        chroma = small.max(axis=2).astype(int) - small.min(axis=2)
        hue = _hue(hsv[..., 0], chroma)
        off = np.abs((hsv[..., 0] * 2.0 - hue + 180) % 360 - 180)
        return cls(
            float(np.percentile(hsv[..., 1], 75)) / 255,
            float((clipped == 2).mean()),
            float((clipped == 1).mean()),
            _cast(small),
            of_picture,
            hue,
            float(((off < _ONE_HUE) & (chroma > _PALE)).mean()),
            float(small.mean()) / 255,
            float(small.std()) / 255,
        )


def brightest(pixels: Image) -> NDArray[np.float64]:
    """Return the (..., 3) brightest levels of (..., H, W, 3) BGR pixels; higher ones may be a specular highlight."""
    return np.asarray(np.percentile(pixels, 98, axis=(-3, -2)), np.float64)


def _cast(pixels: Image) -> tuple[float, float, float]:
    levels = brightest(pixels) + 1
    blue, green, red = np.log(levels / levels.mean()).tolist()
    return blue, green, red


def _hue(hues: NDArray[np.generic], chroma: NDArray[np.int_]) -> float:
    most = np.argsort(-chroma, axis=None)[: chroma.size // 4]
    angles = hues.ravel()[most].astype(np.float64) * (np.pi / 90)
    return float(np.degrees(np.angle(np.exp(1j * angles).mean())))
