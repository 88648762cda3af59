"""The motion of a camera that sways or turns: rotation, shift and scale of the picture.

Corners of the texture are tracked from one picture to the other (Lucas and Kanade, 1981), and a similarity is fitted
to most of them (RANSAC), so that cards and hands do not count.
"""

from __future__ import annotations

from functools import cached_property
from typing import TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.core.geometry import Image, averaged

Matrix = NDArray[np.float64]
"""A (2, 3) similarity: pixels of a picture to pixels of an earlier one; x and y as shares of the width."""

Picture = TypeVar("Picture", Image, NDArray[np.float32])

# Width in pixels at which corners are tracked; how many; how near in pixels a corner has to come; and how many have to.
_WIDTH, _CORNERS, _NEAR, _ENOUGH = 640, 800, 1.0, 24


class Texture:
    """The corners of a (H, W, 3) BGR uint8 picture, whose motion shows the camera's."""

    def __init__(self, image: Image) -> None:
        self._gray = _gray(image)

    @cached_property
    def _corners(self) -> NDArray[np.float32] | None:
        corners = cv2.goodFeaturesToTrack(self._gray, _CORNERS, 0.002, 7)
        return None if corners is None else np.asarray(corners, np.float32)

    def motion_of(self, image: Image) -> Matrix | None:
        """Return the similarity that moves a later picture back; None if too few corners agree on one."""
        if self._corners is None:
            return None
        there, found, _ = cv2.calcOpticalFlowPyrLK(self._gray, _gray(image), self._corners, self._corners.copy())
        kept = found[:, 0] == 1
        if np.count_nonzero(kept) < _ENOUGH:
            return None
        matrix, agree = cv2.estimateAffinePartial2D(there[kept], self._corners[kept], ransacReprojThreshold=_NEAR)
        if matrix is None or np.count_nonzero(agree) < _ENOUGH:
            return None
        return np.asarray(matrix / (1, 1, _WIDTH), np.float64)


def _gray(image: Image) -> NDArray[np.uint8]:
    return np.asarray(cv2.cvtColor(averaged(image, _WIDTH), cv2.COLOR_BGR2GRAY), np.uint8)


def moved_back(image: Picture, matrix: Matrix) -> Picture:
    """Return a (H, W, ...) picture moved by this motion; the border is replicated."""
    height, width = image.shape[:2]
    way = matrix * (1, 1, width)
    moved = cv2.warpAffine(image, way, (width, height), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(moved, image.dtype)


def farthest(one: Matrix, other: Matrix, aspect: float) -> float:
    """Return how far apart two motions move a corner of the picture, as a share of its width.

    aspect: height over width.
    """
    corners = np.array([[0, 0, 1], [1, 0, 1], [1, aspect, 1], [0, aspect, 1]])
    return float(np.hypot(*(corners @ (one - other).T).T).max())
