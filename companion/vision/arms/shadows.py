"""Shadows wider than any arm's, for example of somebody in front of the lamp."""

from __future__ import annotations

import cv2
import numpy as np

from companion.vision.arms.frame_border import longest_run, rim_of
from companion.vision.imaging.motion import Mask, disc

# Share of the picture from which a shadow may be more than an arm's.
_MIN_AREA = 0.12
# Width of a shadow in card lengths from which it cannot be a hand; width of its soft border.
_MIN_WIDTH, _SOFT_BORDER = 1.2, 0.3
# Minimum share of such a hand's arm that is more than shadow.
_MIN_FIRMNESS = 0.15


def is_shady(foreign: Mask, solid: Mask, wide: float) -> bool:
    """Whether there is a shadow wider than any arm's. wide: maximum width of an arm at the border.

    A close hand of the table's hue covers as much of the picture, but crosses the border as an arm does.
    """
    pale = (foreign > 0) & (solid == 0)
    if np.count_nonzero(pale) < _MIN_AREA * foreign.size:
        return False
    _, labels = cv2.connectedComponents(foreign, connectivity=8)
    areas = np.bincount(labels[pale].ravel())
    rim = rim_of(*foreign.shape)
    for number in np.flatnonzero(areas >= _MIN_AREA * foreign.size):
        runs = rim.runs(labels == number)
        if runs and longest_run(runs) <= wide:
            areas[number] = 0
    return max(2 * int(areas.max()), int(areas.sum())) >= 2 * _MIN_AREA * foreign.size


def without_shade(foreign: Mask, solid: Mask, card: float) -> Mask:
    """Return the foreground without wide shadows: solid parts, and narrow parts away from shadows.

    A hand of the table's hue looks like a shadow but is no wider than a hand. card: a card's length.
    """
    pale = foreign & (1 - solid)
    wide = cv2.morphologyEx(pale, cv2.MORPH_OPEN, disc(_MIN_WIDTH * card))
    beside = np.asarray(cv2.dilate(wide, disc(2 * _SOFT_BORDER * card)), np.uint8)
    left = np.asarray(solid | (pale & (1 - beside)), np.uint8)
    # A component without solid parts is a shadow's border.
    count, labels = cv2.connectedComponents(left, connectivity=8)
    areas, firm = (np.bincount(labels[part > 0], minlength=count) for part in (left, solid))
    return np.asarray(left & (firm >= _MIN_FIRMNESS * areas)[labels], np.uint8)
