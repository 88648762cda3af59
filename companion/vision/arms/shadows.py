"""Shadows wider than any arm's, for example of somebody in front of the lamp."""

from __future__ import annotations

import cv2
import numpy as np

from companion.vision.arms.frame_border import border_of, longest_crossing
from companion.vision.imaging.masks import Mask, disc

# Share of the picture from which a shadow may be more than an arm's; its minimum width, and that of its soft border, in
# card lengths.
_MIN_AREA, _MIN_WIDTH, _SOFT_BORDER = 0.12, 1.2, 0.3
# Minimum share of an arm in such a shadow that is more than shadow.
_MIN_SOLID_SHARE = 0.15


def has_wide_shadow(foreground: Mask, solid: Mask, max_width: float) -> bool:
    """Whether there is a shadow wider than any arm's, also one like the table; max_width: of those at the border."""
    shade = (foreground > 0) & (solid == 0)
    if np.count_nonzero(shade) < _MIN_AREA * foreground.size:
        return False
    _, labels = cv2.connectedComponents(foreground, connectivity=8)
    areas = np.bincount(labels[shade].ravel())
    border = border_of(*foreground.shape)
    for number in np.flatnonzero(areas >= _MIN_AREA * foreground.size):
        crossings = border.crossings(labels == number)
        if crossings and longest_crossing(crossings) <= max_width:
            areas[number] = 0
    return max(2 * int(areas.max()), int(areas.sum())) >= 2 * _MIN_AREA * foreground.size


def without_wide_shadows(foreground: Mask, solid: Mask, card: float) -> Mask:
    """Return the foreground without wide shadows: solid parts, and those as narrow as a hand. card: its length."""
    shade = foreground & (1 - solid)
    wide = cv2.morphologyEx(shade, cv2.MORPH_OPEN, disc(_MIN_WIDTH * card))
    beside = np.asarray(cv2.dilate(wide, disc(2 * _SOFT_BORDER * card)), np.uint8)
    kept = np.asarray(solid | (shade & (1 - beside)), np.uint8)
    # A component without solid parts is a shadow's border.
    count, labels = cv2.connectedComponents(kept, connectivity=8)
    areas, solid_areas = (np.bincount(labels[part > 0], minlength=count) for part in (kept, solid))
    return np.asarray(kept & (solid_areas >= _MIN_SOLID_SHARE * areas)[labels], np.uint8)
