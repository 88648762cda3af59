"""The motion of a camera that also turns, on a bent arm or in a hand: rotation, shift and scale of the picture.

Corners of the texture are tracked from one picture to the other (Lucas and Kanade, 1981), and a similarity is fitted
to most of them (RANSAC), so that cards and hands do not count.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.core.geometry import Image, averaged

Matrix = NDArray[np.float64]
"""A (2, 3) similarity: pixels of a picture to pixels of an earlier one."""

Gray = NDArray[np.uint8]

# Width in pixels at which corners are tracked; how many; how near in pixels a corner has to come; and how many have to.
_WIDTH, _CORNERS, _NEAR, _ENOUGH = 640, 800, 1.0, 24


def trackable(image: Image) -> Gray:
    """Return a (H, W, 3) BGR uint8 picture as a grey one in which corners can be tracked."""
    return np.asarray(cv2.cvtColor(averaged(image, _WIDTH), cv2.COLOR_BGR2GRAY), np.uint8)


def rigid_motion(before: Gray, now: Gray) -> Matrix | None:
    """Return the similarity that moves a picture back to an earlier one; None if too few corners agree on one.

    before, now: from `trackable`. The matrix is for pictures of any size with x and y as shares of the width.
    """
    corners = cv2.goodFeaturesToTrack(before, _CORNERS, 0.002, 7)
    if corners is None:
        return None
    there, found, _ = cv2.calcOpticalFlowPyrLK(before, now, corners, np.empty_like(corners))
    kept = found[:, 0] == 1
    if np.count_nonzero(kept) < _ENOUGH:
        return None
    matrix, agree = cv2.estimateAffinePartial2D(there[kept], corners[kept], ransacReprojThreshold=_NEAR)
    if matrix is None or np.count_nonzero(agree) < _ENOUGH:
        return None
    return np.asarray(matrix / (1, 1, _WIDTH), np.float64)


def moved_back(image: Image, matrix: Matrix) -> Image:
    """Return a (H, W, 3) picture moved by this motion; the border is replicated."""
    height, width = image.shape[:2]
    way = matrix * (1, 1, width)
    moved = cv2.warpAffine(image, way, (width, height), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(moved, np.uint8)


def farthest(matrix: Matrix, aspect: float) -> float:
    """Return how far the motion moves a corner of the picture, as a share of its width. aspect: height over width."""
    corners = np.array([[0, 0, 1], [1, 0, 1], [1, aspect, 1], [0, aspect, 1]])
    return float(np.hypot(*(corners @ matrix.T - corners[:, :2]).T).max())
