"""Two like cards in almost one place: told from one card that was pushed by the old card's edge, which stays in view.

A card laid a little off its like leaves a rim of it showing, the edge as it was; a card that was pushed takes its edge
along. Small pictures do not show this, so it is looked for at full size.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.core.geometry import Image, Quad
from companion.vision.imaging.motion import Mask, disc, filled, length_of

# Shares of a card's length: how wide the rim is on both sides of an edge, and how much blur makes outlines that are
# off by a pixel or two, and noise, harmless.
_RIM = 0.015
_BLUR = 0.006
# Pixels of rim under which nothing can be told.
_LEAST = 30
# Mean difference over contrast: of a face from which it has moved, up to which a rim is as it was, and from which it is
# another one. On 40 drawn tables with tidy piles, cards some millimetres off and outlines off by a pixel, faces left
# alone stayed under 0.04 and 98 % of the others were over 0.1; rims that a like card left were under 0.07 in 49 % and
# under 0.15 in 70 %, rims where a card was pushed in 0 and 6 %.
_FACE_MOVED = 0.1
_RIM_STAYED, _RIM_WENT = 0.07, 0.15
# What of the old face must still show beside the new card, so far (over a card's length) from both outlines, as they
# may be off; and the mean change there, over the face's contrast, from which the face is gone. On 8 drawn tables with
# tidy piles and in 5 simulated matches it was at most 0.21 where a like card was laid, whose shadow falls there; on the
# tables it was over 0.39 wherever one was pushed, outlines true or 5 % too large. On 60 other tables it was at most
# 0.17 for 76 like cards that were laid, 64 of which left enough print in view to tell by that alone.
_MARGIN, _FACE_GONE = 0.02, 0.25
# Share of the old face, and contrast there over that of all of it, from which what shows of it tells by itself.
_TELLING, _PRINTED = 0.02, 0.5
# Brightness from which a pixel tells how the light has changed.
_LIT = 40
# How likely it is that a card was laid, then and in between: cards are pushed far more often than like ones meet.
_SURELY, _PERHAPS = 0.95, 0.3


def laid_on_like(before: Image, after: Image, old: Quad, new: Quad) -> float:
    """Return how likely it is (0 to 1) that a card outlined by `new` was laid on one with its face at `old`.

    before, after: (H, W, 3) BGR uint8 pictures of one size, in which the outlines lie. Where it is 0, the card was
    pushed or not touched.
    """
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
    first, second = (filled(quad - origin, was.shape, 1.0) for quad in (old, new))
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
        return _SURELY
    change = _change(was, now, beside)
    return _SURELY if change <= _RIM_STAYED else _PERHAPS if change <= _RIM_WENT else 0.0


def _gray(image: Image, blur: float) -> NDArray[np.float32]:
    gray = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    return cv2.GaussianBlur(gray, (0, 0), max(0.6, blur)).astype(np.float32)


def _gain(before: Image, after: Image) -> float:
    """Return by how much the light has changed between two pictures, of which most shows the same thing."""
    was, now = (cv2.cvtColor(image[::8, ::8], cv2.COLOR_BGR2GRAY).astype(np.float32) for image in (before, after))
    lit = was > _LIT
    return max(0.1, float(np.median(now[lit] / was[lit]))) if lit.any() else 1.0


def _share_gone(
    was: NDArray[np.float32], now: NDArray[np.float32], first: Mask, second: Mask, margin: int
) -> tuple[float, bool]:
    """Return how much has changed where the old face should show beside the new card, over that face's contrast.

    now: as in the light that there was. The second value is whether so much print shows there that it could be no
    other card's.
    """
    inside = np.asarray(cv2.erode(first, disc(2 * margin + 1)), np.uint8)
    covered = np.asarray(cv2.dilate(second, disc(2 * margin + 1)), np.uint8)
    left = inside & (1 - covered)
    if np.count_nonzero(left) < _LEAST:
        return 0.0, False
    contrast = float(was[first > 0].std()) + 3.0
    tells = left.sum() > _TELLING * first.sum() and float(was[left > 0].std()) > _PRINTED * contrast
    return float(np.abs(now - was)[left > 0].mean()) / contrast, bool(tells)


def _change(was: NDArray[np.float32], now: NDArray[np.float32], where: Mask) -> float:
    """Return the mean difference of two pictures over their contrast, whatever the light is."""
    a, b = was[where > 0], now[where > 0]
    if not a.size:
        return 0.0
    gain = float(np.median(b)) / max(1.0, float(np.median(a)))
    return float(np.abs(b - gain * a).mean()) / (float(a.std()) + 3.0)
