"""What moves at the picture's rim all the time, as cards that people hold in view do: no arm, and part of the rim.

An arm crosses a place for a second now and then. A place at the rim that differs from the table for much longer is
where somebody sits and holds something; whoever reaches in from there comes out from behind it.
"""

from __future__ import annotations

import cv2
import numpy as np

from companion.vision.imaging.motion import Floats, Mask

# Seconds over which it is taken how much of the time a place differs from the table; and how many without anything the
# film counts as having begun with, so that the first arm is none of this.
_WINDOW, _BEFORE = 20.0, 5.0
# Part of the time from which a place is restless, and from which one beside it is as well: hands of cards were .5 to .9
# in four films, arms .25 at most where two players lay a card every few seconds.
_RESTLESS, _BESIDE = 0.4, 0.3
# How deep it goes at most, in widths of the picture: what is farther in is at work.
_DEEP = 0.2
# Seconds between two times that it is worked out, and the longest that one picture stands for.
_PAUSE, _PICTURE = 0.5, 0.1
# Small pixels that are closed between the cards of a hand; and about it, as it sways.
_GAPS, _SWAYS = 7, 5


class IgnoreMask:
    """Learns where the rim never rests. Show it what differs from the table; not to be shared between threads."""

    def __init__(self) -> None:
        self._share: Floats | None = None
        self._began = self._last = self._due = 0.0
        self.mask: Mask | None = None
        """(h, w) uint8, 1 where it is restless; None where nothing is."""

    def learn(self, foreign: Mask, time: float) -> None:
        """Take in what differs from the table, (h, w) uint8 of 0 and 1, at a time (s)."""
        if self._share is None or self._share.shape != foreign.shape:
            self._share = np.zeros(foreign.shape, np.float32)
            self._began, self._last, self._due, self.mask = time, time, time + _PAUSE, None
            return
        window = min(time - self._began, _WINDOW) + _BEFORE
        gap, self._last = time - self._last, time
        if gap > _PICTURE:  # nothing differed meanwhile
            self._share *= np.float32(np.exp((_PICTURE - gap) / window))
        cv2.accumulateWeighted(foreign, self._share, min(gap, _PICTURE) / window)
        if time >= self._due:
            self._due = time + _PAUSE
            self.mask = self._worked_out()

    def _worked_out(self) -> Mask | None:
        assert self._share is not None
        height, width = self._share.shape
        deep = round(_DEEP * width)
        beside = (self._share >= _BESIDE).astype(np.uint8)
        beside[deep : height - deep, deep : width - deep] = 0
        if not (self._share[beside > 0] >= _RESTLESS).any():
            return None
        closed = cv2.morphologyEx(beside, cv2.MORPH_CLOSE, np.ones((_GAPS, _GAPS), np.uint8))
        _, labels = cv2.connectedComponents(closed, connectivity=8)
        at_rim = np.concatenate(
            [labels[:2].ravel(), labels[-2:].ravel(), labels[:, :2].ravel(), labels[:, -2:].ravel()]
        )
        sure = np.intersect1d(at_rim, labels[(self._share >= _RESTLESS) & (beside > 0)])
        mask = np.isin(labels, sure[sure > 0]).astype(np.uint8)
        return np.asarray(cv2.dilate(mask, np.ones((_SWAYS, _SWAYS), np.uint8)), np.uint8) if mask.any() else None
