"""Stored pictures of rulings: JPEG, no larger than needed."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.storage.journal import Corners
from companion.vision.capture.image_files import PictureError, decode_picture
from companion.vision.core.events import Picture
from companion.vision.core.geometry import Quad

LONGEST_SIDE = 1280
"""Longer side of a stored picture in pixels: a card on a table stays readable, also for training."""

MAX_BYTES = 250_000
"""Maximum size of a stored picture in bytes; a usual one at quality 85 has 100 to 200 thousand."""

_QUALITIES = (85, 70, 50)


def kept_picture(picture: Picture, quad: Quad | None) -> tuple[bytes | None, Corners | None]:
    """Return the picture within the limits as JPEG bytes, and the outline in its pixels.

    None for both without a usable picture.
    """
    if picture is None:
        return None, None
    small_enough = isinstance(picture, bytes) and len(picture) <= MAX_BYTES
    try:
        image = decode_picture(picture) if isinstance(picture, bytes) else picture
        scale = min(1.0, LONGEST_SIDE / max(image.shape[:2]))
        jpeg = picture if small_enough and scale == 1.0 and isinstance(picture, bytes) else _jpeg(image, scale)
    except (PictureError, cv2.error, ValueError):
        return None, None
    if jpeg is None:
        return None, None
    return jpeg, None if quad is None else tuple((float(x) * scale, float(y) * scale) for x, y in quad)


def _jpeg(image: NDArray[np.uint8], scale: float) -> bytes | None:
    """Return the picture as JPEG with decreasing quality until it is small enough; None if that fails."""
    if scale < 1.0:
        size = (round(image.shape[1] * scale), round(image.shape[0] * scale))
        image = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)
    for quality in _QUALITIES:
        done, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])
        if done and len(data) <= MAX_BYTES:
            return bytes(data)
    return None
