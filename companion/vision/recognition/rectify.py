"""Rectifies a picture of a hand: estimates the plane of its cards from an open one.

Seen at an angle, small signs are slanted and compressed in ways the networks were not trained on. All cards of a hand
lie in about one plane, so the homography that makes one card a rectangle rectifies all of them (Hartley and Zisserman,
Multiple View Geometry, 2nd edition, section 2.7: metric rectification).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.core.geometry import (
    CARD_SIZE,
    Image,
    Quad,
    homography,
    intersection_over_smaller,
    project,
    sides,
    tilt,
    turned,
    unit_square,
)
from companion.vision.core.sightings import EVEN, Sighting

SEVERAL = 3
"""Minimum number of cards of a hand, and of a picture with several cards."""
# Minimum median angle from the vertical in degrees; below it cards are compressed by less than a tenth. A rectified
# look costs as much as the first: of 56 hands of four foreign designs (compose's seed 141) it corrected one below the
# limit and seven of 36 above.
_FROM_ABOVE = 25.0
# Longer side (px) of the rectified picture, and margin around the hand over its longer side: outlines are rough, and
# missed cards may lie beside those found.
_SIDE, _MARGIN = 1280, 0.12
# Maximum length ratio of two cards in a valid plane.
_LIKE_SIZED = 3.0


@dataclass(frozen=True, eq=False)
class RectifiedHand:
    """A rectified picture of a hand. image: (H, W, 3) BGR uint8. matrix: (3, 3), from the picture's pixels to the
    rectified ones.
    """

    image: Image
    matrix: NDArray[np.float64]

    @classmethod
    def of(cls, image: Image, found: Sequence[Sighting]) -> RectifiedHand | None:
        """Return the rectified hand found in a (H, W, 3) BGR uint8 picture.

        None if there is no hand, no valid plane, or the view is already vertical.
        """
        open_ones = [sighting for sighting in found if sighting.whole and sighting.clarity >= EVEN]
        if not open_ones or not is_hand(found) or any(sighting.mirrored for sighting in found):
            return None
        if float(np.median([tilt(sighting.quad) for sighting in open_ones])) < _FROM_ABOVE:
            return None
        # Larger cards determine the plane better, and open cards are larger than strips.
        best = max(open_ones, key=lambda one: one.clarity * abs(cv2.contourArea(one.quad)))
        matrix = homography(best.quad, _rectangle(best.quad))
        quads = [sighting.quad for sighting in found]
        if not _is_plane(matrix, quads):
            return None
        points = project(matrix, np.concatenate(quads))
        low, size = points.min(0), np.ptp(points, axis=0)
        margin = _MARGIN * float(size.max())
        scale = _SIDE / (float(size.max()) + 2 * margin)
        shift = np.array([[scale, 0, (margin - low[0]) * scale], [0, scale, (margin - low[1]) * scale], [0, 0, 1]])
        width, height = (round(float(side) + 2 * margin) for side in size)
        target = (round(width * scale), round(height * scale))
        method = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
        rectified = cv2.warpPerspective(image, shift @ matrix, target, flags=method)
        return cls(np.asarray(rectified, np.uint8), shift @ matrix)

    def contains(self, found: Sequence[Sighting]) -> bool:
        """Whether the cards found lie inside the rectified picture, with a margin for their neighbours."""
        height, width = self.image.shape[:2]
        points = project(self.matrix, np.concatenate([sighting.quad for sighting in found]))
        margin = _MARGIN / 2 * max(width, height)
        return bool((points >= margin).all() and (points <= np.array([width, height]) - margin).all())

    def to_picture(self, sighting: Sighting) -> Sighting:
        """Return a sighting of the rectified picture in coordinates of the original."""
        inverse: NDArray[np.float64] = np.linalg.inv(self.matrix).astype(np.float64)
        return replace(sighting, quad=project(inverse, sighting.quad))


def is_hand(found: Sequence[Sighting]) -> bool:
    """Return whether several overlapping cards were found."""
    overlap = any(intersection_over_smaller(a.quad, b.quad) > 0 for a, b in combinations(found, 2))
    return len(found) >= SEVERAL and (overlap or not all(sighting.whole for sighting in found))


def _rectangle(quad: Quad) -> Quad:
    """Return the upright card (4, 2) whose length equals an outline's longest side."""
    (top, left), (bottom, right) = sides(quad), sides(turned(quad, 2))
    length = max(left, right, max(top, bottom) * CARD_SIZE[1] / CARD_SIZE[0])
    return np.asarray(unit_square() * length * np.array(CARD_SIZE) / CARD_SIZE[1], np.float32)


def _is_plane(matrix: NDArray[np.float64], quads: Sequence[Quad]) -> bool:
    """Whether cards in these outlines (4, 2) have similar lengths after a homography."""
    points = np.concatenate(quads)
    if ((points @ matrix[2, :2] + matrix[2, 2]) * matrix[2, 2] <= 0).any():
        return False
    lengths = [sides(project(matrix, quad))[1] for quad in quads]
    return max(lengths) < _LIKE_SIZED * min(lengths)
