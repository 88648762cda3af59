"""A hand looked at from above: the plane of its cards, told by an open one, made level.

From the side a hand's small signs are slanted and squeezed, each otherwise than those that the networks were trained
on. All its cards lie in about one plane, so the homography that makes one card a rectangle again does so with all
(Hartley and Zisserman, Multiple View Geometry, 2nd edition, section 2.7: metric rectification).
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
from companion.vision.core.sightings import Sighting

# So many cards, some of which share so much of their outlines or show a corner alone, are a hand.
_HAND, _OVERLAP = 3, 0.1
# An open card must be read so surely for its outline to tell the plane.
_FAIRLY = 0.5
# Cards seen from fewer degrees off the vertical, in the median, are squeezed by less than a tenth, and the second look
# costs as much as the first: of 56 hands of four designs by others (compose's seed 141) it mended one seen from less
# and seven of 36 seen from more.
_FROM_ABOVE = 25.0
# The longer side (px) of the level picture, which at most is so many times as fine, and the room about the hand, over
# its longer side: outlines are rough, and a card that was passed over may lie next to those found.
_SIDE, _FINER, _ROOM = 1280, 2.5, 0.12
# No card is that many times as long as another one that lies in its plane; else the plane is none.
_LIKE_SIZED = 3.0


@dataclass(frozen=True, eq=False)
class Level:
    """A picture of a hand from above. image: (H, W, 3) BGR uint8. matrix: (3, 3), from the picture's pixels to it."""

    image: Image
    matrix: NDArray[np.float64]

    @classmethod
    def of(cls, image: Image, found: Sequence[Sighting]) -> Level | None:
        """Return the hand that was found in a (H, W, 3) BGR uint8 picture; None where none is, no plane is told, or it
        is seen from above as it is."""
        open_ones = [sighting for sighting in found if sighting.whole and sighting.confidence >= _FAIRLY]
        if not open_ones or not is_hand(found) or any(sighting.mirrored for sighting in found):
            return None
        if float(np.median([tilt(sighting.quad) for sighting in open_ones])) < _FROM_ABOVE:
            return None
        # The larger a card is, the better it tells the plane, and one that lies open is larger than a strip of one.
        best = max(open_ones, key=lambda one: one.confidence * abs(cv2.contourArea(one.quad)))
        matrix = homography(best.quad, _rectangle(best.quad))
        quads = [sighting.quad for sighting in found]
        if not _is_plane(matrix, quads):
            return None
        points = project(matrix, np.concatenate(quads))
        low, size = points.min(0), np.ptp(points, axis=0)
        room = _ROOM * float(size.max())
        finer = min(_FINER, _SIDE / (float(size.max()) + 2 * room))
        move = np.array([[finer, 0, (room - low[0]) * finer], [0, finer, (room - low[1]) * finer], [0, 0, 1]])
        width, height = (round(float(side) + 2 * room) for side in size)
        target = (round(width * finer), round(height * finer))
        how = cv2.INTER_AREA if finer < 1 else cv2.INTER_LINEAR
        level = cv2.warpPerspective(image, move @ matrix, target, flags=how)
        return cls(np.asarray(level, np.uint8), move @ matrix)

    def holds(self, found: Sequence[Sighting]) -> bool:
        """Whether the cards that were found lie in the level picture, and what may lie next to them as well."""
        height, width = self.image.shape[:2]
        points = project(self.matrix, np.concatenate([sighting.quad for sighting in found]))
        room = _ROOM / 2 * max(width, height)
        return bool((points >= room).all() and (points <= np.array([width, height]) - room).all())

    def back(self, sighting: Sighting) -> Sighting:
        """Return what was seen in the level picture as it lies in the picture itself."""
        inverse: NDArray[np.float64] = np.linalg.inv(self.matrix).astype(np.float64)
        return replace(sighting, quad=project(inverse, sighting.quad))


def is_hand(found: Sequence[Sighting]) -> bool:
    """Return whether what was found are several cards that lie on one another."""
    overlap = any(intersection_over_smaller(a.quad, b.quad) > _OVERLAP for a, b in combinations(found, 2))
    return len(found) >= _HAND and (overlap or not all(sighting.whole for sighting in found))


def _rectangle(quad: Quad) -> Quad:
    """Return the upright card (4, 2) that is as long as an outline's longest side tells."""
    (top, left), (bottom, right) = sides(quad), sides(turned(quad, 2))
    length = max(left, right, max(top, bottom) * CARD_SIZE[1] / CARD_SIZE[0])
    return np.asarray(unit_square() * length * np.array(CARD_SIZE) / CARD_SIZE[1], np.float32)


def _is_plane(matrix: NDArray[np.float64], quads: Sequence[Quad]) -> bool:
    """Whether cards in these outlines (4, 2) are about as long as one another where a homography takes them."""
    points = np.concatenate(quads)
    if ((points @ matrix[2, :2] + matrix[2, 2]) * matrix[2, 2] <= 0).any():
        return False
    lengths = [sides(project(matrix, quad))[1] for quad in quads]
    return max(lengths) < _LIKE_SIZED * min(lengths)
