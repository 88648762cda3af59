"""Recognises that the camera was moved: the table differs all over the picture, beside a close hand."""

from __future__ import annotations

import cv2
import numpy as np

from companion.vision.imaging.masks import Mask, by_parts, disc

NOTABLE = 0.05
"""Share of the picture, or of one of its parts, up to which a mask shows nothing of note."""
# Minimum number of the picture's 16 parts in which a displaced table differs.
_DISPLACED_PARTS = 8
# Minimum width of a close hand in widths of the picture, and maximum number of parts it spans.
_HAND, _HAND_PARTS = 0.044, 10


def is_displaced(changed: Mask) -> bool:
    """Whether the differences from an earlier picture, (h, w) uint8 of 0 and 1, are the table itself, displaced."""
    if _count_parts(changed) < _DISPLACED_PARTS:
        return False
    return _count_parts(changed & (1 - _close_hand(changed))) >= _DISPLACED_PARTS


def _close_hand(changed: Mask) -> Mask:
    """Return the mask of the largest solid object, empty if it is larger than a hand can be."""
    width = disc(_HAND * changed.shape[1])
    count, labels, about, _ = cv2.connectedComponentsWithStats(cv2.morphologyEx(changed, cv2.MORPH_OPEN, width))
    if count < 2:
        return np.zeros_like(changed)
    hand = (labels == 1 + int(about[1:, cv2.CC_STAT_AREA].argmax())).astype(np.uint8)
    if _count_parts(hand) > _HAND_PARTS:
        return np.zeros_like(changed)
    return np.asarray(cv2.dilate(hand, width), np.uint8)


def _count_parts(mask: Mask) -> int:
    """Return the number of picture parts a mask covers noticeably."""
    return int(np.count_nonzero(by_parts(mask.astype(np.float32)) > NOTABLE))
