"""Aligns a picture with an image of the same card, using only its visible part.

The correlation of both is maximised (Evangelidis and Psarakis, Parametric Image Alignment Using Enhanced Correlation
Coefficient Maximization, 2008).
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.core.geometry import CARD_MARGIN, Image, Quad, cut, expand, homography, project, unit_square
from companion.vision.core.labels import Floats
from companion.vision.recognition.outlines import is_card_shaped


def aligned(image: Image, quad: Quad, picture: Floats, shown: NDArray[np.bool_]) -> Quad | None:
    """Return the outline (4, 2) after alignment, None if it fails or too little is visible.

    image: (H, W, 3) BGR uint8. picture: (h, w, 3) BGR float32 levels, blurred. shown: (R, C) coarse visibility mask.
    """
    height, width = picture.shape[:2]
    own = cv2.cvtColor(np.clip(picture, 0, 255).astype(np.uint8), cv2.COLOR_BGR2GRAY)
    edge = expand(quad, CARD_MARGIN)
    room = (round(width * (1 + 2 * CARD_MARGIN)), round(height * (1 + 2 * CARD_MARGIN)))
    seen = cv2.cvtColor(cut(image, edge, *room), cv2.COLOR_BGR2GRAY)
    visible = cv2.resize(shown.astype(np.uint8), (width, height), interpolation=cv2.INTER_NEAREST)
    start = np.array([[1, 0, CARD_MARGIN * width], [0, 1, CARD_MARGIN * height], [0, 0, 1]], np.float32)
    try:
        _, matrix = cv2.findTransformECCWithMask(
            own, seen, visible, np.ones_like(seen), start, cv2.MOTION_HOMOGRAPHY, gaussFiltSize=1
        )
    except cv2.error:  # It does not converge.
        return None
    edges = unit_square() * np.array([width, height], np.float32)
    corners = np.asarray(project(np.asarray(matrix, np.float64), edges) / np.array(room, np.float32), np.float32)
    moved = project(homography(unit_square(), edge), corners)
    return moved if is_card_shaped(moved) else None
