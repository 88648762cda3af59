"""Aligns a picture with an image of the same card, using only its visible part.

Dense optical flow shows where each part of the picture lies (Kroeger et al., Fast Optical Flow using Dense Inverse
Search, 2016). The affine map on which most visible parts agree moves the outline (Fischler and Bolles, Random Sample
Consensus, 1981); with only a strip of the card in view, a homography would move its far corners at random.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.core.geometry import CARD_MARGIN, Image, Quad, cut, expand, framed, grid_in, homography, project
from companion.vision.core.labels import Floats
from companion.vision.recognition.outlines import is_card_shaped


def aligned(image: Image, quad: Quad, picture: Floats, visible: NDArray[np.bool_]) -> Quad | None:
    """Return the outline (4, 2) after alignment, None if too little is visible or no map is found.

    image: (H, W, 3) BGR uint8. picture: (h, w, 3) BGR float32 levels, blurred. visible: (R, C) mask of its cells.
    """
    height, width = picture.shape[:2]
    down, across = round(height * CARD_MARGIN), round(width * CARD_MARGIN)
    seen = cut(image, expand(quad, CARD_MARGIN), width + 2 * across, height + 2 * down)
    inside = slice(down, down + height), slice(across, across + width)
    # Beside the card nothing moves.
    own = seen.copy()
    own[inside] = np.clip(picture, 0, 255)
    before, after = (np.asarray(cv2.cvtColor(view, cv2.COLOR_BGR2GRAY), np.uint8) for view in (own, seen))
    still = np.zeros((*before.shape, 2), np.float32)
    flow = cv2.DISOpticalFlow.create(cv2.DISOPTICAL_FLOW_PRESET_MEDIUM).calc(before, after, still)[inside]
    rows, columns = visible.shape
    edge = framed(width, height, 0)
    start = grid_in(edge, columns, rows)
    end = start + cv2.resize(flow, (columns, rows), interpolation=cv2.INTER_AREA).reshape(-1, 2)
    try:
        found, _ = cv2.estimateAffine2D(start[visible.ravel()], end[visible.ravel()])
    except cv2.error:  # There are too few points.
        return None
    if found is None:
        return None
    moved = project(homography(edge, quad), project(np.vstack([found, (0, 0, 1)]), edge))
    return moved if is_card_shaped(moved) else None
