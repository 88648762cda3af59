"""White balance from the white parts of cards."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.core.geometry import CARD_THUMBNAIL, Image, Quad, cut
from companion.vision.imaging.lighting import CLIPPED, brightest
from companion.vision.imaging.motion import OTHER_COLOR, SAME_COLOR

# Blue excess per red deficit that is assumed where blue is saturated (1.0 along daylight): green cards under the
# strongest cold lamp stay blue with 0.4, blue ones become green with 1.0.
_OF_RED = 0.7


def balanced(image: Image, cards: Sequence[Quad]) -> Image:
    """Return a (H, W, 3) BGR uint8 picture under white light; unchanged if its light is white or cannot be estimated.

    cards: outlines (4, 2) of open cards. The light is estimated from their white patches (Land and McCann, Lightness
    and Retinex Theory, 1971) if three of four cards and the picture's brightest parts show the same colour.
    """
    if not cards:
        return image
    whites = brightest(np.stack([cut(image, quad, *CARD_THUMBNAIL) for quad in cards]))
    white = np.median(whites, axis=0)
    blue, red = casts = _casts(white)
    # If blue and red both deviate from green in the same direction, the cause is no lamp.
    is_a_lamps = min(blue, red) <= OTHER_COLOR and max(blue, red) >= -OTHER_COLOR
    if max(blue, red, 0.0) - min(blue, red, 0.0) < OTHER_COLOR or not is_a_lamps:
        return image
    off = [float(np.abs(_casts(one) - casts).max()) for one in whites]
    if np.percentile(off, 75) > SAME_COLOR or np.abs(_casts(brightest(image[::8, ::8])) - casts).max() > SAME_COLOR:
        return image
    clipped = white[0] >= CLIPPED and red < 0
    gains = np.exp([-max(blue, -_OF_RED * red) if clipped else -blue, 0, -red])
    levels = cv2.convertScaleAbs(np.arange(256)[:, None] * gains)
    light = np.asarray(cv2.LUT(image, levels[None]), np.uint8)
    if clipped:
        # Where blue is saturated, keep it at least as bright as red and green, so that white stays white.
        grey = np.minimum(light[..., 1], light[..., 2])
        np.maximum(light[..., 0], grey, out=light[..., 0], where=image[..., 0] >= CLIPPED)
    return light


def _casts(levels: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the excess of blue and of red over green, (2,), for BGR levels (3,)."""
    logs = np.log(levels + 1)
    return np.asarray(logs[[0, 2]] - logs[1], np.float64)
