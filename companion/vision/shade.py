"""Shadows that are wider than any arm's, as of somebody who steps before the lamp."""

from __future__ import annotations

import cv2
import numpy as np

from companion.vision.motion import Mask
from companion.vision.rim import longest_run, rim_of

# Part of the picture from which a shadow may be more than an arm's.
_SHADE = 0.12


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
