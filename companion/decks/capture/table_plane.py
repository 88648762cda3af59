"""Estimates the camera's tilt from the cards laid on the table.

All cards are rectangles of one shape, but a tilted camera shortens them along one direction. A 2 x 2 matrix maps
picture distances to table distances: metric rectification by known lengths and right angles (Liebowitz and Zisserman,
1998), without perspective, as a pile is small relative to its distance. It is chosen so that the changed regions fill
card rectangles best.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.core.geometry import Quad, turned

Floats = NDArray[np.float64]

# Prior of a card's aspect ratio (1.5 to 1.56 for common cards, 1.42 for some), and standard deviation of its logarithm.
_USUAL_RATIO, _RATIO_SPREAD = 1.5, 0.1
# Grid of foreshortening factors and directions (degrees), and step sizes of the refinement.
_SHORTENINGS, _DIRECTIONS, _REFINED_STEPS = np.arange(0.4, 0.951, 0.05), np.arange(0, 180, 15.0), (0.02, 5.0)
# Minimum improvement over a vertical view (1 is perfect) for the camera to count as tilted.
_MIN_IMPROVEMENT = 0.06

PLAIN: Floats = np.eye(2)
"""The matrix of a vertical view."""


def plane_of(hulls: Sequence[Quad]) -> Floats:
    """Return the (2, 2) matrix from picture to table, given convex hulls (N, 2) of laid cards.

    Some hulls may be of other objects or of parts of cards. `PLAIN` if they show no tilt.
    """
    if not hulls:
        return PLAIN
    best = max(
        (_foreshortening(short, way) for short in _SHORTENINGS for way in _DIRECTIONS),
        key=lambda plane: _fit(plane, hulls),
    )
    short, way = _factor_and_direction(best)
    by, turn = _REFINED_STEPS
    near = [
        _foreshortening(short + i * by, way + j * turn)
        for i in (-1, 0, 1)
        for j in (-1, 0, 1)
        if 0.3 < short + i * by < 0.99
    ]
    best = max(near, key=lambda plane: _fit(plane, hulls))
    return best if _fit(best, hulls) > _fit(PLAIN, hulls) + _MIN_IMPROVEMENT else PLAIN


def rectangle_on(plane: Floats, points: Quad) -> Quad:
    """Return the (4, 2) outline of the smallest table-aligned rectangle that contains all points (N, 2)."""
    corners = cv2.boxPoints(cv2.minAreaRect(_on(plane, points)))
    return np.asarray(corners @ np.linalg.inv(plane).T, np.float32)


def ratio_on(plane: Floats, quad: Quad) -> float:
    """Return the aspect ratio (length over width) of an outline (4, 2) on the table."""
    sides = sorted(_sides(plane, quad))
    return sides[1] / max(sides[0], 1e-6)


def upright_on(plane: Floats, quad: Quad) -> Quad:
    """Return the same outline, starting at a corner followed by a side that is short on the table."""
    across, down = _sides(plane, quad)
    return quad if across <= down else turned(quad, -1)


def turn_on(plane: Floats, degrees: float) -> Floats:
    """Return the (2, 2) matrix that maps picture distances as a card rotates on the table."""
    angle = np.radians(degrees)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    return np.asarray(np.linalg.inv(plane) @ turn @ plane, np.float64)


def _foreshortening(short: float, way: float) -> Floats:
    """Return the matrix of a table foreshortened by a factor in a direction (degrees)."""
    along = np.array([np.cos(np.radians(way)), np.sin(np.radians(way))])
    return np.asarray(np.eye(2) + (1 / short - 1) * np.outer(along, along), np.float64)


def _factor_and_direction(plane: Floats) -> tuple[float, float]:
    """Return the foreshortening factor and its direction (degrees)."""
    values, ways = np.linalg.eigh(plane)
    return float(values[0] / values[1]), float(np.degrees(np.arctan2(ways[1, 1], ways[0, 1])))


def _fit(plane: Floats, hulls: Sequence[Quad]) -> float:
    """Return how well hulls fill rectangles of a card's shape on the table, 0 to 1 (median)."""
    return float(np.median([_fills(_on(plane, hull)) for hull in hulls]))


def _fills(hull: Quad) -> float:
    width, length = sorted(cv2.minAreaRect(hull)[1])
    if width < 1:
        return 0.0
    off = np.log(length / width / _USUAL_RATIO) / _RATIO_SPREAD
    return float(cv2.contourArea(hull) / (width * length) * np.exp(-(off**2) / 2))


def _on(plane: Floats, points: Quad) -> Quad:
    return np.asarray(points @ plane.T, np.float32)


def _sides(plane: Floats, quad: Quad) -> tuple[float, float]:
    """Return the lengths on the table of an outline's first and second side, each the mean of two."""
    a, b, c, d = quad.astype(np.float64) @ plane.T
    return float(np.hypot(*(b - a + c - d))) / 2, float(np.hypot(*(d - a + c - b))) / 2
