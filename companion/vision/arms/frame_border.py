"""Intersections of the foreground with the picture's border, and geodesic distances inside it."""

from __future__ import annotations

from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.imaging.masks import NEIGHBOURS, SQUARE

Point = NDArray[np.float64]
Crossing = NDArray[np.intp]
"""A stretch of the border inside a component, as indices into `FrameBorder.points`."""

# Gap along the border in small pixels that one arm may have, such as a watch; and depth of an arm that lies along it.
_MAX_GAP = 8


class FrameBorder:
    """The pixels just inside the border, clockwise from the top left."""

    def __init__(self, height: int, width: int) -> None:
        top = [(x, 1) for x in range(1, width - 1)]
        right = [(width - 2, y) for y in range(2, height - 1)]
        bottom = [(x, height - 2) for x in range(width - 3, 0, -1)]
        left = [(1, y) for y in range(height - 3, 1, -1)]
        self.points = np.array(top + right + bottom + left)
        inward = [(0, 1)] * len(top) + [(-1, 0)] * len(right) + [(0, -1)] * len(bottom) + [(1, 0)] * len(left)
        depths = np.arange(min(_MAX_GAP, height // 3, width // 3))[:, None]
        deep = self.points[:, None] + np.array(inward)[:, None] * depths
        self._deep = deep[..., 1], deep[..., 0]

    def crossings(self, component: NDArray[np.bool_]) -> list[Crossing]:
        """Return the stretches of the border inside a component.

        Small gaps are closed. Stretches joined by a part along the border are one: an arm that enters at a sharp angle.
        The stretch over the top left corner begins with negative indices.
        """
        x, y = self.points.T
        numbers = np.flatnonzero(component[y, x])
        if not len(numbers):
            return []
        after = np.append(numbers[1:], numbers[0] + len(self.points))
        bare = np.cumsum(~np.tile(component[self._deep].any(axis=1), 2))
        apart = (after - numbers > _MAX_GAP) & (bare[after] > bare[numbers])
        crossings = np.split(numbers, np.flatnonzero(apart[:-1]) + 1)
        if len(crossings) > 1 and not apart[-1]:
            crossings[0] = np.concatenate([crossings.pop() - len(self.points), crossings[0]])
        return crossings


def longest_crossing(crossings: list[Crossing]) -> int:
    """Return the length in pixels of the longest stretch."""
    return max(map(len, crossings), default=0)


@lru_cache(maxsize=4)
def border_of(height: int, width: int) -> FrameBorder:
    return FrameBorder(height, width)


def geodesic_distances(component: NDArray[np.bool_], seeds: NDArray[np.generic]) -> NDArray[np.float32]:
    """Return each component pixel's geodesic distance to the seeds (N, 2: x, y); infinite elsewhere."""
    mask = component.astype(np.uint8)
    distances = np.full(component.shape, np.inf, np.float32)
    front = np.zeros_like(mask)
    x, y = seeds.astype(int).T
    front[y, x] = mask[y, x]
    distances[front > 0] = 0
    step = 0
    while True:
        step += 1
        # Alternating squares and crosses approximate a disc by octagons.
        grown = cv2.bitwise_and(cv2.dilate(front, SQUARE if step % 2 else NEIGHBOURS), mask)
        new = grown > front
        if not new.any():
            return distances
        distances[new] = step
        front = np.asarray(grown, np.uint8)
