"""Colour histograms at a hand's tip, where a card is visible (Swain and Ballard, Color Indexing, 1991)."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.core.geometry import Quad
from companion.vision.imaging.masks import LOGARITHMS, Floats, outline_mask

# Largest log ratio of blue and of red to green that is told apart, and number of bins; brightness has half as many.
_HUE, _BINS = 1.5, 10
LEAST_AREA = 14
"""Minimum area in small pixels of a component, or of the part of one whose colours are compared."""
EDGE = 0.15
"""Share by which an outline is shrunk to exclude a card's edge, or expanded to include it and its shadow."""


@dataclass(frozen=True, eq=False)
class ColorPicture:
    """A small picture, (h, w, 3) float32 log BGR corrected for light. scale: from frames to it."""

    picture: Floats
    scale: float

    def within(self, quad: Quad) -> Floats | None:
        """Return the histogram inside a (4, 2) outline in frame pixels; None if it is too small."""
        return colors_of(self.picture[outline_mask(quad, self.picture.shape, self.scale, EDGE) > 0])


def colors_of(logarithms: Floats) -> Floats | None:
    """Return the histogram, (500,) float32 with sum 1, of (n, 3) log BGR; None if n is too small."""
    if len(logarithms) < LEAST_AREA:
        return None
    blue, green, red = logarithms.T
    ranges = [(-_HUE, _HUE), (-_HUE, _HUE), (LOGARITHMS[0], LOGARITHMS[-1])]
    seen = np.clip(np.column_stack([blue - green, red - green, logarithms.mean(1)]), *np.transpose(ranges))
    counts, _ = np.histogramdd(seen, (_BINS, _BINS, _BINS // 2), ranges)
    # Part of each bin is spread to its neighbours along each axis, against quantisation effects.
    shares = cv2.GaussianBlur(counts.astype(np.float32), (3, 3), 0, borderType=cv2.BORDER_CONSTANT)
    shares = cv2.GaussianBlur(shares.reshape(_BINS**2, -1), (3, 1), 0, borderType=cv2.BORDER_CONSTANT)
    return np.asarray(shares.ravel() / shares.sum(), np.float32)


def colors_at(picture: Floats, component: NDArray[np.bool_], tip: NDArray[np.float64], about: float) -> Floats | None:
    """Return the histogram of a component's pixels within a radius of a tip; picture: (h, w, 3) log BGR."""
    x, y = np.round(tip).astype(int)
    ys, xs = np.nonzero(component)
    near = (ys - y) ** 2 + (xs - x) ** 2 <= int(about) ** 2
    return colors_of(picture[ys[near], xs[near]])


def similarity(a: Floats, b: Floats) -> float:
    """Return the histogram intersection, 0 to 1."""
    return float(np.minimum(a, b).sum())
