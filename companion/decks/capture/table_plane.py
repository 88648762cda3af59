"""How a slanted camera sees the table, told by the cards that are laid on it.

All cards of a deck are rectangles of one shape, but where the camera looks down aslant, one that lies away from it is
seen shorter, one across wider, and others askew. A 2 x 2 matrix takes distances in the picture to those on the table:
metric rectification by known lengths and right angles (Liebowitz and Zisserman, 1998), perspective left out, as a pile
of cards is small beside its distance. It is the one by which what has changed as cards were laid fills cards best.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.core.geometry import Quad, turned

Floats = NDArray[np.float64]

# A card's length over its width, 1.5 to 1.56 of cards that can be bought and 1.42 of some; and the standard deviation
# of its logarithm by which others are unlikely.
_RATIO, _SPREAD = 1.5, 0.1
# By how many times a table is seen shorter in one direction than across it, and in which directions (degrees), tried
# first; and by which steps finer then.
_SHORT, _WAYS, _FINER = np.arange(0.4, 0.951, 0.05), np.arange(0, 180, 15.0), (0.02, 5.0)
# How much better than from straight above, where the best is 1, cards must fit for the camera to be slanted.
_BETTER = 0.06

PLAIN: Floats = np.eye(2)
"""That of a camera that looks straight down."""


def plane_of(hulls: Sequence[Quad]) -> Floats:
    """Return the (2, 2) matrix from the picture to the table, by the convex hulls (N, 2) of cards that were laid.

    Some may be of something else, or of a part of a card. It is `PLAIN` where they tell of no slant.
    """
    if not hulls:
        return PLAIN
    best = max((_seen(short, way) for short in _SHORT for way in _WAYS), key=lambda plane: _fit(plane, hulls))
    short, way = _told(best)
    by, turn = _FINER
    near = [
        _seen(short + i * by, way + j * turn) for i in (-1, 0, 1) for j in (-1, 0, 1) if 0.3 < short + i * by < 0.99
    ]
    best = max(near, key=lambda plane: _fit(plane, hulls))
    return best if _fit(best, hulls) > _fit(PLAIN, hulls) + _BETTER else PLAIN


def rectangle_on(plane: Floats, points: Quad) -> Quad:
    """Return the (4, 2) outline of the smallest rectangle on the table that has all these points (N, 2) in it."""
    corners = cv2.boxPoints(cv2.minAreaRect(_on(plane, points)))
    return np.asarray(corners @ np.linalg.inv(plane).T, np.float32)


def ratio_on(plane: Floats, quad: Quad) -> float:
    """Return how long an outline (4, 2) is on the table over its width."""
    sides = sorted(_sides(plane, quad))
    return sides[1] / max(sides[0], 1e-6)


def upright_on(plane: Floats, quad: Quad) -> Quad:
    """Return the same outline, starting at a corner from which the side runs first that is short on the table."""
    across, down = _sides(plane, quad)
    return quad if across <= down else turned(quad, -1)


def turn_on(plane: Floats, degrees: float) -> Floats:
    """Return the (2, 2) matrix that turns distances in the picture as a card turns on the table."""
    angle = np.radians(degrees)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    return np.asarray(np.linalg.inv(plane) @ turn @ plane, np.float64)


def _seen(short: float, way: float) -> Floats:
    """Return the matrix of a table that is seen so many times shorter in a direction (degrees) than across it."""
    along = np.array([np.cos(np.radians(way)), np.sin(np.radians(way))])
    return np.asarray(np.eye(2) + (1 / short - 1) * np.outer(along, along), np.float64)


def _told(plane: Floats) -> tuple[float, float]:
    """Return by how many times a table is seen shorter, and in which direction (degrees)."""
    values, ways = np.linalg.eigh(plane)
    return float(values[0] / values[1]), float(np.degrees(np.arctan2(ways[1, 1], ways[0, 1])))


def _fit(plane: Floats, hulls: Sequence[Quad]) -> float:
    """Return how well hulls fill rectangles of a card's shape on the table, 0 to 1: the middle one of them."""
    return float(np.median([_fills(_on(plane, hull)) for hull in hulls]))


def _fills(hull: Quad) -> float:
    width, length = sorted(cv2.minAreaRect(hull)[1])
    if width < 1:
        return 0.0
    off = np.log(length / width / _RATIO) / _SPREAD
    return float(cv2.contourArea(hull) / (width * length) * np.exp(-(off**2) / 2))


def _on(plane: Floats, points: Quad) -> Quad:
    return np.asarray(points @ plane.T, np.float32)


def _sides(plane: Floats, quad: Quad) -> tuple[float, float]:
    """Return how long on the table an outline's first side is and the one that follows, each the mean of two."""
    a, b, c, d = quad.astype(np.float64) @ plane.T
    return float(np.hypot(*(b - a + c - d))) / 2, float(np.hypot(*(d - a + c - b))) / 2
