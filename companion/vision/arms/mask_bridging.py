"""Joins the parts of an arm whose middle has the table's colour, such as a wrist like the tablecloth."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.arms.arm_geometry import MIN_KEPT_SHARE
from companion.vision.arms.arm_tracks import MAX_CROSSING_STEP
from companion.vision.arms.frame_border import border_of
from companion.vision.core.geometry import NEARLY_ALL, Quad
from companion.vision.imaging.background_model import MIN_MOVING_SHARE
from companion.vision.imaging.masks import Mask

MAX_GAP = 10.0
"""Maximum gap in small pixels between two parts of an arm, or between a hand and where its tip was last."""
# Minimum area of a hand in small pixels.
_MIN_AREA = 40


class Bridges:
    """Joins parts from picture to picture; not thread-safe."""

    def __init__(self) -> None:
        self._hands: Mask | None = None

    def join(self, foreground: Mask, moved: Mask, pile: Quad | None = None) -> Mask:
        """Return the foreground mask, (h, w) uint8 of 0 and 1, with the parts of such arms joined.

        pile: (4, 2) square around the draw pile in small pixels, where a difference is no hand but its new top card.
        """
        before, self._hands = self._hands, None
        _, labels, stats, _ = cv2.connectedComponentsWithStats(foreground, connectivity=8)
        left, top, width, height, area = stats[1:].T
        rows, columns = foreground.shape
        at_border = (left <= 1) | (top <= 1) | (left + width >= columns - 1) | (top + height >= rows - 1)
        if pile is not None:
            circle = np.zeros_like(foreground)
            (x, y), radius = cv2.minEnclosingCircle(pile)
            cv2.circle(circle, (round(x), round(y)), round(radius), 1, cv2.FILLED)
            inside = np.bincount(labels[circle > 0], minlength=len(area) + 1)[1:]
            on_top = ~at_border & (inside >= NEARLY_ALL * area)
            foreground = foreground & ~np.isin(labels, np.flatnonzero(on_top) + 1)
            at_border, area = at_border & ~on_top, np.where(on_top, 0, area)
        big = area >= _MIN_AREA
        if not (at_border & big).any() or not (~at_border & big).any():
            return foreground
        arms = np.where(np.isin(labels, np.flatnonzero(at_border & big) + 1), labels, 0)
        border, joined = border_of(rows, columns), foreground.copy()
        for number in np.flatnonzero(~at_border & big) + 1:
            hand = labels == number
            was_joined = before is not None and float(before[hand].mean()) >= MIN_KEPT_SHARE
            if float(moved[hand].mean()) <= MIN_MOVING_SHARE and not was_joined:
                continue
            ends = _nearest(hand, arms)
            if ends is None or len(border.crossings(labels == labels[ends[0][::-1]])) > 1:
                continue
            cv2.line(joined, *ends, 1, 3)
            if self._hands is None:
                self._hands = np.zeros_like(foreground)
            self._hands[hand] = 1
        return joined


def _nearest(hand: NDArray[np.bool_], arms: NDArray[np.intp]) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """Return the closest points (x, y) of an arm, by labels, and a hand; None if too far apart or near another arm."""
    away = cv2.distanceTransform((~hand).astype(np.uint8), cv2.DIST_L2, 3)
    away[arms == 0] = np.inf
    y, x = (int(place) for place in np.unravel_index(int(away.argmin()), away.shape))
    if not away[y, x] <= MAX_GAP or ((away <= MAX_CROSSING_STEP) & (arms != arms[y, x])).any():
        return None
    ys, xs = np.nonzero(hand)
    nearest = int(np.argmin((ys - y) ** 2 + (xs - x) ** 2))
    return (x, y), (int(xs[nearest]), int(ys[nearest]))
