"""Compares two pictures of the pile inside card outlines: same card, an identical one laid on it, or another one.

An identical card laid slightly off leaves a rim of the old one with its edge in place; a pushed card takes its edge
along. This needs full resolution.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.core.geometry import HALF_CROP, Image, Quad, cut, expand
from companion.vision.core.sightings import CERTAIN
from companion.vision.imaging.masks import DARK, Mask, disc, outline_mask
from companion.vision.imaging.zone import length_of
from companion.vision.pile.thresholds import INSIDE, MIN_STRIP

# Widths over a card's length: of the rim on both sides of an edge, of the blur that tolerates inexact outlines, and of
# the margin to both outlines of the visible part of the old face. Minimum area of a rim in pixels.
_RIM, _BLUR, _MARGIN, _LEAST = 0.015, 0.006, 0.02, 30
# Mean difference over contrast: from which a face moved (untouched: 0.04), up to which a rim is unchanged and from
# which it changed (below: 49 and 70 % of those left by identical cards, 0 and 6 % by pushed ones), and from which the
# visible part of the old face is gone (an identical card laid: up to 0.21, pushed cards: from 0.39).
_FACE_MOVED, _RIM_STAYED, _RIM_WENT, _FACE_GONE = 0.1, 0.07, 0.15, 0.25
# Minimum contrast of the old face's visible part relative to the whole face for it to decide.
_PRINTED = 0.5
# Probability that a card was laid if the rim is between both limits: pushes are far more common.
PERHAPS = 0.3


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two (H, W, 3) BGR uint8 pictures: `before` as the pile was last known, `after` as it is now."""

    before: Image
    after: Image

    def laid_on_like(self, old: Quad, new: Quad) -> float:
        """Return the probability that a card at `new` was laid on one like it at `old`, 0 if pushed or untouched."""
        before, after = self.before, self.after
        length = length_of(old)
        pad = int(np.ceil(6 * _RIM * length))
        height, width = before.shape[:2]
        x0, y0 = np.maximum(np.floor(np.minimum(old.min(0), new.min(0))).astype(int) - pad, 0)
        x1, y1 = np.minimum(np.ceil(np.maximum(old.max(0), new.max(0))).astype(int) + pad, (width, height))
        if before.shape != after.shape or x1 - x0 < 2 or y1 - y0 < 2:
            return 0.0
        was, now = (_gray(image[y0:y1, x0:x1], _BLUR * length) for image in (before, after))
        origin = np.array([x0, y0], np.float32)
        rim = max(1, round(_RIM * length))
        first, second = (outline_mask(quad - origin, was.shape, 1.0) for quad in (old, new))
        edge = np.zeros(was.shape, np.uint8)
        cv2.polylines(edge, [np.round((old - origin) * 16).astype(np.int32)], True, 1, 2 * rim + 1, shift=4)
        beside = edge & (1 - np.asarray(cv2.dilate(second, disc(2 * rim + 1)), np.uint8))
        face = np.asarray(cv2.erode(first & second, disc(2 * rim + 1)), np.uint8)
        if np.count_nonzero(beside) < _LEAST or _change(was, now, face) < _FACE_MOVED:
            return 0.0
        gone, tells = _share_gone(was, now / _gain(before, after), first, second, max(1, round(_MARGIN * length)))
        if gone > _FACE_GONE:
            return 0.0
        if tells:
            return CERTAIN
        change = _change(was, now, beside)
        return CERTAIN if change <= _RIM_STAYED else PERHAPS if change <= _RIM_WENT else 0.0

    def tint(self, quad: Quad) -> float:
        """Return the change of hue in an outline relative to that of the whole picture, as a log ratio of channels."""
        was, now = (_hue(cut(image, quad, *HALF_CROP)) - _hue(image) for image in (self.before, self.after))
        return float(np.ptp(now - was))

    def similarity(self, old: Quad, new: Quad) -> float:
        """Return the similarity (-1 to 1) of the card at `new` now to the one at `old` before, in either orientation.

        Normalised cross-correlation of the colours (Lewis 1995), invariant to light. Pushed cards stay above 0.61;
        another number is below 0.5 in three of four cases, one of the same colour in one of four.
        """
        size = np.round(np.multiply(HALF_CROP, 1 - 2 * INSIDE)).astype(int)
        card = cut(self.before, expand(old, -INSIDE), *size.tolist())
        views = (cut(self.after, quad, *HALF_CROP) for quad in (new, np.roll(new, 2, axis=0)))
        return max(float(cv2.matchTemplate(view, card, cv2.TM_CCOEFF_NORMED).max()) for view in views)


def _hue(image: Image) -> NDArray[np.float64]:
    """Return the logarithms of the mean blue, green and red, with an offset against noise in the dark."""
    return np.asarray(np.log(np.array(cv2.mean(image)[:3]) + 12), np.float64)


def _gray(image: Image, blur: float) -> NDArray[np.float32]:
    gray = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    return cv2.GaussianBlur(gray, (0, 0), max(0.6, blur)).astype(np.float32)


def _gain(before: Image, after: Image) -> float:
    """Return the change of light between two pictures that show mostly the same."""
    was, now = (cv2.cvtColor(image[::8, ::8], cv2.COLOR_BGR2GRAY).astype(np.float32) for image in (before, after))
    lit = was >= DARK
    return max(0.1, float(np.median(now[lit] / was[lit]))) if lit.any() else 1.0


def _share_gone(
    was: NDArray[np.float32], now: NDArray[np.float32], first: Mask, second: Mask, margin: int
) -> tuple[float, bool]:
    """Return the change of the old face beside the new card over its contrast, and whether enough print shows."""
    inside = np.asarray(cv2.erode(first, disc(2 * margin + 1)), np.uint8)
    covered = np.asarray(cv2.dilate(second, disc(2 * margin + 1)), np.uint8)
    left = inside & (1 - covered)
    if np.count_nonzero(left) < _LEAST:
        return 0.0, False
    contrast = float(was[first > 0].std()) + 3.0
    tells = left.sum() > MIN_STRIP * first.sum() and float(was[left > 0].std()) > _PRINTED * contrast
    return float(np.abs(now - was)[left > 0].mean()) / contrast, bool(tells)


def _change(was: NDArray[np.float32], now: NDArray[np.float32], where: Mask) -> float:
    """Return the mean difference of two pictures over their contrast, invariant to light."""
    a, b = was[where > 0], now[where > 0]
    if not a.size:
        return 0.0
    gain = float(np.median(b)) / max(1.0, float(np.median(a)))
    return float(np.abs(b - gain * a).mean()) / (float(a.std()) + 3.0)
