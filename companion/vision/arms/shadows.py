"""Shadows that are wider than any arm's, as of somebody who steps before the lamp."""

from __future__ import annotations

import cv2
import numpy as np

from companion.vision.arms.frame_border import longest_run, rim_of
from companion.vision.imaging.motion import Mask, disc

# Part of the picture from which a shadow may be more than an arm's.
_SHADE = 0.12
# How wide a shadow is, in lengths of a card, in which no hand hides that looks like one; and how far its soft border
# goes on.
_WIDER, _SOFT = 1.2, 0.3
# Part of such a hand's arm, its sleeve or what of it lies in the shadow, that is more than a shadow at least.
_FIRM = 0.15


def is_shady(foreign: Mask, solid: Mask, wide: float) -> bool:
    """Whether a shadow falls that is wider than any arm's. wide: how wide an arm is at most where it comes in.

    Seen near, a hand of the table's own hue hides as much of the picture: it crosses the rim as an arm does.
    """
    pale = (foreign > 0) & (solid == 0)
    if np.count_nonzero(pale) < _SHADE * foreign.size:
        return False
    _, labels = cv2.connectedComponents(foreign, connectivity=8)
    areas = np.bincount(labels[pale].ravel())
    rim = rim_of(*foreign.shape)
    for number in np.flatnonzero(areas >= _SHADE * foreign.size):
        runs = rim.runs(labels == number)
        if runs and longest_run(runs) <= wide:
            areas[number] = 0
    return max(2 * int(areas.max()), int(areas.sum())) >= 2 * _SHADE * foreign.size


def without_shade(foreign: Mask, solid: Mask, card: float) -> Mask:
    """Return where something other than a wide shadow is: what is solid, and what is narrow and not beside a shadow.

    A hand of the table's own hue looks like a shadow on it, but is no wider than a hand. card: a card's length.
    """
    pale = foreign & (1 - solid)
    wide = cv2.morphologyEx(pale, cv2.MORPH_OPEN, disc(_WIDER * card))
    beside = np.asarray(cv2.dilate(wide, disc(2 * _SOFT * card)), np.uint8)
    left = np.asarray(solid | (pale & (1 - beside)), np.uint8)
    # What is pale all over is the border of a shadow.
    count, labels = cv2.connectedComponents(left, connectivity=8)
    areas, firm = (np.bincount(labels[part > 0], minlength=count) for part in (left, solid))
    return np.asarray(left & (firm >= _FIRM * areas)[labels], np.uint8)
