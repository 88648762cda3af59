"""What a hand carries, told by the colours at its tip: a card that is laid or drawn is seen on its way.

Colours are counted coarsely, as a card on its way is blurred and seen a dozen small pixels wide (histogram
intersection: Swain and Ballard, Color Indexing, 1991).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from companion.vision.arms.frame_border import Point
from companion.vision.core.geometry import Quad
from companion.vision.imaging.motion import Floats, filled

# Logarithms of colours by how much bluer, and redder, than green they are, and by their brightness: the least that is
# told apart, how many bins, and how wide each is. A channel that is a third brighter than another is one bin farther.
_HUES = (-1.5, 10, 0.3)
_LIGHT = (1.6, 5, 0.8)
# How much of each bin goes to its neighbours, so that what lies at the border of two is like itself.
_SMOOTH = 0.25
# Fewest small pixels of which colours tell anything.
_LEAST = 20
# The share of an outline's size by which it is drawn in, to leave the edge out.
_EDGE = 0.15


@dataclass(frozen=True, eq=False)
class Tints:
    """A small picture, (h, w, 3) float32 logarithms of BGR in the table's light. scale: of the frames to it."""

    picture: Floats
    scale: float

    def within(self, quad: Quad) -> Floats | None:
        """Return the shares of colours within a (4, 2) outline, pixels of the frames; None where that is too small."""
        return colors_of(self.picture[filled(quad, self.picture.shape, self.scale, _EDGE) > 0])


def colors_of(logarithms: Floats) -> Floats | None:
    """Return the shares of colours, (500,) float32 of sum 1, of (n, 3) logarithms of BGR; None where n is too small."""
    if len(logarithms) < _LEAST:
        return None
    blue, green, red = logarithms.T
    bins = [_bins(blue - green, *_HUES), _bins(red - green, *_HUES), _bins(logarithms.mean(1), *_LIGHT)]
    shape = (_HUES[1], _HUES[1], _LIGHT[1])
    counts = np.bincount(np.ravel_multi_index(bins, shape), minlength=int(np.prod(shape))).reshape(shape)
    shares: Floats = counts.astype(np.float32)
    for axis in range(3):
        shares = np.moveaxis(_smoothed(np.moveaxis(shares, axis, 0)), 0, axis)
    return np.asarray(shares.ravel() / shares.sum(), np.float32)


def colors_at(picture: Floats, part: NDArray[np.bool_], tip: Point, about: float) -> Floats | None:
    """Return the shares of colours of what of a component lies within so many small pixels about a tip.

    picture: (h, w, 3) logarithms of BGR.
    """
    (x, y), reach = np.round(tip).astype(int), int(about)
    rows, columns = slice(max(0, y - reach), y + reach + 1), slice(max(0, x - reach), x + reach + 1)
    ys, xs = np.nonzero(part[rows, columns])
    near = (ys + rows.start - y) ** 2 + (xs + columns.start - x) ** 2 <= reach**2
    return colors_of(picture[rows, columns][ys[near], xs[near]])


def likeness(a: Floats, b: Floats) -> float:
    """Return how much of two shares of colours is the same, 0 to 1."""
    return float(np.minimum(a, b).sum())


def _bins(values: Floats, least: float, count: int, width: float) -> NDArray[np.intp]:
    return np.clip(((values - least) / width).astype(np.intp), 0, count - 1)


def _smoothed(shares: Floats) -> Floats:
    """Return shares with a part of each moved to its neighbours along the first axis."""
    spread = (1 - 2 * _SMOOTH) * shares
    spread[1:] += _SMOOTH * shares[:-1]
    spread[:-1] += _SMOOTH * shares[1:]
    return np.asarray(spread, np.float32)
