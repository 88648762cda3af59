"""Places at the border that are foreground for long, such as cards held in view: no arms, but the border."""

from __future__ import annotations

import cv2
import numpy as np

from companion.vision.arms.arm_geometry import MAX_WIDTH_SHARE
from companion.vision.imaging.durations import ARRANGEMENT, BEGINNING, INSTANT, SPARSE
from companion.vision.imaging.masks import Floats, Mask

# Gap in small pixels closed between cards of a hand, and margin around it, as it sways.
_SWAY = 5
# Share of time from which a place is ignored: hands of cards reach .5 to .9, arms of two players at most .25.
_MIN_TIME_SHARE = 0.35


class IgnoreMask:
    """Learns constant motion at the border from foreground masks. Not thread-safe."""

    def __init__(self) -> None:
        self._share: Floats | None = None
        self._began = self._last = self._due = 0.0
        self.mask: Mask | None = None
        """(h, w) uint8 mask of ignored pixels; None if there are none."""

    def update(self, foreground: Mask, time: float) -> None:
        """Process a foreground mask, (h, w) uint8 of 0 and 1, at a time (s)."""
        if self._share is None or self._share.shape != foreground.shape:
            self._share = np.zeros(foreground.shape, np.float32)
            self._began, self._last, self._due, self.mask = time, time, time + SPARSE, None
            return
        # As long as the beginning nothing is taken to have been there before, so that the first arm is not ignored.
        window = min(time - self._began, ARRANGEMENT) + BEGINNING
        gap, self._last = time - self._last, time
        if gap > INSTANT:  # Nothing differed in the meantime.
            self._share *= np.float32(np.exp((INSTANT - gap) / window))
        cv2.accumulateWeighted(foreground, self._share, min(gap, INSTANT) / window)
        if time >= self._due:
            self._due = time + SPARSE
            self.mask = self._compute()

    def _compute(self) -> Mask | None:
        assert self._share is not None
        height, width = self._share.shape
        deep = round(MAX_WIDTH_SHARE * width)  # What is farther inside is at work.
        restless = (self._share >= _MIN_TIME_SHARE).astype(np.uint8)
        restless[deep : height - deep, deep : width - deep] = 0
        size = np.ones((_SWAY, _SWAY), np.uint8)
        closed = cv2.morphologyEx(restless, cv2.MORPH_CLOSE, size)
        _, labels = cv2.connectedComponents(closed, connectivity=8)
        inner = np.zeros_like(labels, np.bool_)
        inner[2:-2, 2:-2] = True
        mask = (np.isin(labels, labels[~inner]) & (closed > 0)).astype(np.uint8)
        return np.asarray(cv2.dilate(mask, size), np.uint8) if mask.any() else None
