"""The plane of laid cards: which of their sides are the short ones, and how large they appear, also to a low camera."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from companion.vision.core.geometry import CARD_SIZE, Quad, turned, unit_square

# Scalar products (2, 2) of a card's sides, in square millimetres.
_CARD = np.diag(np.square(CARD_SIZE))

Metric = NDArray[np.float64]
"""(2, 2) symmetric matrix: scalar products of directions in the picture, on the table in square millimetres."""


def upright(quad: Quad, others: Sequence[Quad]) -> Quad:
    """Return an outline (4, 2) from a corner on that a short side of the card follows.

    others: outlines of equally large cards around it on the same table, from any corner on. Seen from the side, a
    card's long sides may appear shorter than its short ones. But one metric of the table explains the outlines of all
    cards (weak perspective: Hartley and Zisserman, Multiple View Geometry, 2nd edition, sections 2.7 and 6.3). Each
    outline taken either way gives one; that one counts which fits all cards best and shortens least.
    """
    quads = [quad, *others]
    metrics = np.stack([_metric(turned(one, way)) for one in quads for way in range(2)])
    errors = np.stack([[_errors(turned(one, way), metrics) for way in range(2)] for one in quads])
    best = int((errors.min(1).sum(0) + _shortening(metrics)).argmin())
    return turned(quad, int(errors[0, :, best].argmin()))


def congruent(quad: Quad, other: Quad) -> Quad:
    """Return the outline (4, 2) of an equally large card that lies nearest to an outline on the table of another card.

    Both begin at a corner that a short side follows. On the table the card is placed by the nearest rotation (Kabsch,
    A solution for the best rotation to relate two sets of vectors, 1976).
    """
    to_picture, metric = _directions(other) / CARD_SIZE, _metric(other)[None]
    points = min(quad, turned(quad, 1), key=lambda way: float(_errors(way, metric)[0])) @ np.linalg.pinv(to_picture).T
    card = (unit_square() - unit_square().mean(0)) * CARD_SIZE
    middle = points.mean(0)
    left, _, right = np.linalg.svd((points - middle).T @ card)
    return np.asarray((card @ (left @ right).T + middle) @ to_picture.T, np.float32)


def _directions(quad: Quad) -> NDArray[np.float64]:
    """Return the mean sides of an outline as columns (2, 2): to the right and down."""
    return np.stack([quad[1] - quad[0] + quad[2] - quad[3], quad[3] - quad[0] + quad[2] - quad[1]], 1).astype(float) / 2


def _metric(quad: Quad) -> Metric:
    """Return the metric with which an outline is a card whose first side is a short one."""
    back = np.linalg.pinv(_directions(quad))
    return np.asarray(back.T @ _CARD @ back, np.float64)


def _errors(quad: Quad, metrics: Metric) -> NDArray[np.float64]:
    """Return (N,) how far an outline is from a card whose first side is a short one, by (N, 2, 2) metrics.

    The unit is the square of a card's length.
    """
    along = _directions(quad)
    return np.asarray(np.linalg.norm(along.T @ metrics @ along - _CARD, axis=(1, 2)) / _CARD.max(), np.float64)


def _shortening(metrics: Metric) -> NDArray[np.float64]:
    """Return (N,) logarithms of the ratio of a metric's greatest value to its least one."""
    least, greatest = np.linalg.eigvalsh(metrics).T
    return np.asarray(np.log(greatest / np.maximum(least, np.finfo(float).tiny)), np.float64)
