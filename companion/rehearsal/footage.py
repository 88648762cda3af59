"""Photographs as camera footage: each stays in view for a while, then fades to the next.

Only the fading, the sensor's noise and the picture's size are simulated; cards, tables and light are photographed.
"""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np

from companion.vision.core.geometry import Image

SIZE = (1280, 720)
"""Width and height of the pictures."""

_DESK = (84, 92, 88)
_FADE_FRAMES = 6
_BLUR = 61
_NOISE = 2.0
_TILE_MARGIN = 32


class Footage:
    """Endless footage. Its frames are (H, W, 3) BGR uint8 of `SIZE`; a bare desk before the first photograph."""

    def __init__(self, seed: int) -> None:
        self._rng = np.random.default_rng(seed)
        width, height = SIZE
        noise = self._rng.normal(0, _NOISE, (height + _TILE_MARGIN, width + _TILE_MARGIN, 3))
        self._noise = np.rint(noise).astype(np.int16)
        self._view: Image = np.full((height, width, 3), _DESK, np.uint8)
        self._fade: Iterator[Image] = iter(())

    def show(self, photo: Image) -> None:
        """Fade to this photograph, fitted into the picture."""
        before, self._view = self._view, fitted(photo)
        self._fade = _fade(before, self._view)

    def next(self) -> Image:
        """Return the next frame."""
        width, height = SIZE
        x, y = self._rng.integers(_TILE_MARGIN, size=2)
        view = next(self._fade, self._view)
        return np.asarray(cv2.add(view, self._noise[y : y + height, x : x + width], dtype=cv2.CV_8U), np.uint8)


def fitted(photo: Image) -> Image:
    """Return a photograph fitted into a picture of `SIZE`, surrounded by the desk."""
    width, height = SIZE
    scale = min(width / photo.shape[1], height / photo.shape[0])
    way = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
    small = cv2.resize(photo, None, fx=scale, fy=scale, interpolation=way)[:height, :width]
    view = np.full((height, width, 3), _DESK, np.uint8)
    y, x = (height - small.shape[0]) // 2, (width - small.shape[1]) // 2
    view[y : y + small.shape[0], x : x + small.shape[1]] = small
    return view


def _fade(before: Image, after: Image) -> Iterator[Image]:
    """Yield blurred mixtures of two pictures.

    None shows the second picture displaced. The companion would take such a picture for a camera that moves, and move
    the following ones back.
    """
    for step in range(1, _FADE_FRAMES):
        share = step / _FADE_FRAMES
        yield np.asarray(cv2.blur(cv2.addWeighted(before, 1 - share, after, share, 0), (_BLUR, _BLUR)), np.uint8)
