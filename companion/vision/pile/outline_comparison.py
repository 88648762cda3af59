"""Compares two pictures of the pile by outlines: whether both show one card, and whether one like it came."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.core.geometry import Image, Quad, cut, expand
from companion.vision.pile.repeat_edges import laid_on_like

# Size in pixels to which cards are brought, and the margin by which outlines may be off: enough for what they are
# read with, and little enough that fine print does not matter.
_WIDTH, _HEIGHT, _SLACK = 48, 72, 4


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two (H, W, 3) BGR uint8 pictures: `before` is of the pile as it was last known, `after` as it lies now."""

    before: Image
    after: Image

    def laid_on_like(self, old: Quad, new: Quad) -> float:
        """Return how likely it is (0 to 1) that a card at `new` was laid on one with its face at `old`."""
        return laid_on_like(self.before, self.after, old, new)

    def tint(self, quad: Quad) -> float:
        """Return by how much the hue in an outline has changed, beside what the light did to the whole picture.

        It is the range over blue, green and red of the difference of their mean logarithms.
        """
        was, now = (_hue(cut(image, quad, _WIDTH, _HEIGHT)) - _hue(image) for image in (self.before, self.after))
        return float(np.ptp(now - was))

    def likeness(self, old: Quad, new: Quad) -> float:
        """Return how alike (-1 to 1) the card at `new` now is to the one at `old` before, either way round.

        Normalized correlation of the colours (Lewis 1995), which the light does not change. On 14 to 30 drawn tables
        with outlines off by 2.5 and 4 px, cards that were pushed stayed over 0.79 and 0.61, a wild laid on a red 7 was
        under 0.56; another number is under 0.5 in three of four, but one of the same colour in one of four.
        """
        inside = _SLACK / _WIDTH
        card = cut(self.before, expand(old, -inside), _WIDTH - 2 * _SLACK, round(_HEIGHT * (1 - 2 * inside)))
        views = (cut(self.after, quad, _WIDTH, _HEIGHT) for quad in (new, np.roll(new, 2, axis=0)))
        return max(float(cv2.matchTemplate(view, card, cv2.TM_CCOEFF_NORMED).max()) for view in views)


def _hue(image: Image) -> NDArray[np.float64]:
    """Return the logarithms of the mean blue, green and red, with an offset that keeps down the noise of the dark."""
    return np.asarray(np.log(np.array(cv2.mean(image)[:3]) + 12), np.float64)
