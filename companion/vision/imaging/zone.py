"""The region of the pile in a picture, and the length of a card in it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from companion.vision.core.geometry import Quad


@dataclass(frozen=True)
class Zone:
    """Region of the pile: a square around (x, y) for cards of `length`, in pixels of the full picture."""

    x: float
    y: float
    length: float

    # Half side in card lengths: how far from the pile's centre a card may land; what is shown to the networks.
    REACH = 1.3
    VIEW = 1.6

    def window(self, width: int, height: int, reach: float = REACH) -> tuple[slice, slice]:
        """Return the zone's rows and columns in a picture of this size."""
        half = reach * self.length
        x0, x1 = (int(np.clip(self.x + side * half, 0, width)) for side in (-1, 1))
        y0, y1 = (int(np.clip(self.y + side * half, 0, height)) for side in (-1, 1))
        return slice(y0, max(y0 + 1, y1)), slice(x0, max(x0 + 1, x1))

    def contains(self, quad: Quad) -> bool:
        """Whether the centre of an outline lies in the zone."""
        x, y = quad.mean(0)
        return bool(max(abs(x - self.x), abs(y - self.y)) <= self.REACH * self.length)


def length_of(quad: Quad) -> float:
    """Return the approximate length in pixels of a card with this outline, for any viewing angle."""
    sides = np.hypot(*(quad - np.roll(quad, 1, axis=0)).T)
    return float(max(sides[0] + sides[2], sides[1] + sides[3]) / 2)
