"""Masks and pixels of reduced pictures: types, structuring elements, shares, logarithms of colours."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.core.geometry import Quad

Floats = NDArray[np.float32]
Mask = NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class ArmMasks:
    """Where arms are in a picture, (h, w) uint8 masks of any size: None for nowhere.

    hidden: by arms and their shadows. ignored: in constant motion at the border, as held cards are.
    """

    hidden: Mask | None = None
    ignored: Mask | None = None

    def resized(self, shape: tuple[int, ...]) -> ArmMasks:
        """Return the masks in another size."""
        return ArmMasks(*(None if mask is None else resized(mask, shape) for mask in (self.hidden, self.ignored)))

    def reach(self, place: Mask) -> bool:
        """Whether arms or held cards are in a place, a mask of the same size."""
        return any(mask is not None and bool((mask & place).any()) for mask in (self.hidden, self.ignored))


def resized(mask: Mask, shape: tuple[int, ...]) -> Mask:
    """Return a mask of another size, with the height and width of `shape`."""
    return np.asarray(cv2.resize(mask, shape[1::-1], interpolation=cv2.INTER_NEAREST), np.uint8)


NO_ARMS = ArmMasks()
"""A picture without arms, or one in which nobody looked for them."""

OFFSET = 5.0
"""Added to colours before the logarithm, which limits the noise of dark places."""
LOGARITHMS = np.log(np.arange(256, dtype=np.float32) + OFFSET).astype(np.float32)
"""Logarithms of the levels of a colour."""

DARK = 32.0
"""Grey level below which a place is unusable, and a picture without a brighter one: lights out or lens covered."""
NOISES = 6.0
"""Multiple of the usual difference from which one is no noise."""


def disc(across: float) -> Mask:
    """Return a disc of this diameter in pixels, at least three: a structuring element for morphology."""
    size = max(3, round(across))
    return np.asarray(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size)), np.uint8)


PARTS = 4
"""Number of rows and of columns of the parts of a picture."""


def by_parts(picture: Floats) -> Floats:
    """Return the (PARTS, PARTS) means of a picture's parts."""
    return np.asarray(cv2.resize(picture, (PARTS, PARTS), interpolation=cv2.INTER_AREA), np.float32)


NEIGHBOURS = disc(3)
"""A pixel and its four neighbours."""
SQUARE = np.ones_like(NEIGHBOURS)
"""The same with the corners."""


def outline_mask(quad: Quad, shape: tuple[int, ...], scale: float, shrink: float = 0.0) -> Mask:
    """Return an (h, w) mask, 1 inside an outline of the full picture scaled by `scale`, shrunk by that share."""
    center = quad.mean(0)
    corners = (center + (quad - center) * (1 - shrink)) * scale
    mask = np.zeros(shape[:2], np.uint8)
    cv2.fillConvexPoly(mask, np.round(corners * 16).astype(np.int32), 1, shift=4)
    return mask


def covered_share(mask: Mask, where: Mask) -> float:
    """Return the share of `where` that `mask` covers, 0 if it is empty."""
    return np.count_nonzero(mask & where) / max(1, int(np.count_nonzero(where)))
