"""The four-colour shapes of the wild cards."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from itertools import pairwise

import cv2
import numpy as np

from companion.dataset.artist.drawing.ink import Bgr, Box, Points, ellipse, fill, stroke
from companion.vision.core.geometry import Image


class WildKind(Enum):
    """Drawings of wild."""

    OVAL = "four-colour oval"
    DISC = "four-colour disc"
    DIAMOND = "four-colour diamond"
    GROUND = "the whole ground in four colours"
    PIE = "disc of eight wedges"
    STRIPES = "four stripes in an oval"
    BLOBS = "four overlapping discs"


class WildIndex(Enum):
    """What stands in the corners of wild cards."""

    OVAL = "small four-colour oval"
    DISC = "small four-colour disc"
    WORD = "the word wild"
    LETTER = "the letter W"
    NONE = "nothing"


def four_colors(
    canvas: Image, outline: Points, colors: Sequence[Bgr], turns: Sequence[float], rim: tuple[Bgr, float] | None
) -> Box:
    """Fill a polygon, points (N, 2) in pixels, with sectors meeting in its middle; return its box.

    Sector i runs from direction `turns[i]` to the next, in degrees clockwise from the right; colours are BGR and
    repeat. `rim` is a line around it: colour and width in pixels.
    """
    x0, y0 = np.floor(outline.min(axis=0)).astype(int) - 1
    x1, y1 = np.ceil(outline.max(axis=0)).astype(int) + 2
    if rim is not None:
        stroke(canvas, outline, rim[0], 2 * rim[1], True)
    x0, y0 = max(x0, 0), max(y0, 0)
    x1, y1 = min(x1, canvas.shape[1]), min(y1, canvas.shape[0])
    local = outline - np.array([x0, y0])
    middle = (local.min(axis=0) + local.max(axis=0)) / 2
    reach = 2.0 * float(np.abs(local - middle).max())
    sheet = np.empty((y1 - y0, x1 - x0, 3), np.uint8)
    sheet[:] = colors[-1]
    closed = [*turns, turns[0] + 360]
    for index, (start, stop) in enumerate(pairwise(closed)):
        angles = np.deg2rad(np.linspace(start, stop, 5))
        wedge = np.concatenate([[middle], middle + reach * np.stack([np.cos(angles), np.sin(angles)], axis=1)])
        fill(sheet, wedge, colors[index % len(colors)])
    mask = np.zeros(sheet.shape[:2], np.uint8)
    fill(mask, local, 255)
    cv2.copyTo(sheet, mask, canvas[y0:y1, x0:x1])
    spread = rim[1] if rim else 0.0
    low, high = outline.min(axis=0) - spread, outline.max(axis=0) + spread
    return float(low[0]), float(low[1]), float(high[0]), float(high[1])


def stripes(canvas: Image, outline: Points, colors: Sequence[Bgr], rim: tuple[Bgr, float] | None) -> Box:
    """Fill a polygon with four upright stripes; arguments and result as for `four_colors`."""
    (x0, y0), (x1, y1) = np.floor(outline.min(axis=0)).astype(int), np.ceil(outline.max(axis=0)).astype(int)
    x0, y0, x1, y1 = max(x0, 0), max(y0, 0), min(x1, canvas.shape[1]), min(y1, canvas.shape[0])
    if rim is not None:
        stroke(canvas, outline, rim[0], 2 * rim[1], True)
    mask = np.zeros((y1 - y0, x1 - x0), np.uint8)
    fill(mask, outline - np.array([x0, y0]), 255)
    sheet = np.empty((*mask.shape, 3), np.uint8)
    for index, color in enumerate(colors):
        sheet[:, index * mask.shape[1] // 4 :] = color
    cv2.copyTo(sheet, mask, canvas[y0:y1, x0:x1])
    return float(x0), float(y0), float(x1), float(y1)


def blobs(canvas: Image, center: tuple[float, float], size: float, colors: Sequence[Bgr]) -> Box:
    """Draw four overlapping discs around a centre, `size` pixels in all; return their box."""
    offsets = ((-0.22, -0.22), (0.22, -0.22), (0.22, 0.22), (-0.22, 0.22))
    for (dx, dy), color in zip(offsets, colors, strict=False):
        fill(
            canvas, ellipse(0.52 * size, 0.52 * size) + np.array([center[0] + dx * size, center[1] + dy * size]), color
        )
    half = 0.48 * size
    return center[0] - half, center[1] - half, center[0] + half, center[1] + half
