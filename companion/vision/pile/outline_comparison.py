"""Compares two pictures of the pile inside card outlines: same card, or another one laid on it."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.core.geometry import Image, Quad, cut, expand
from companion.vision.pile.edges import Edges, edges_between

# Size in pixels to which cards are warped, and tolerance for inexact outlines: large enough for their usual errors,
# small enough to ignore fine print.
_WIDTH, _HEIGHT, _SLACK = 48, 72, 4


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two (H, W, 3) BGR uint8 pictures: `before` as the pile was last known, `after` as it is now."""

    before: Image
    after: Image

    def edges(self, old: Quad, new: Quad) -> Edges:
        """Return how the edge and the face of a card at `old` look beside one at `new`, see `edges_between`."""
        return edges_between(self.before, self.after, old, new)

    def tint(self, quad: Quad) -> float:
        """Return the change of hue in an outline, relative to the change of light in the whole picture.

        It is the range over blue, green and red of the difference of their mean logarithms.
        """
        was, now = (_hue(cut(image, quad, _WIDTH, _HEIGHT)) - _hue(image) for image in (self.before, self.after))
        return float(np.ptp(now - was))

    def similarity(self, old: Quad, new: Quad) -> float:
        """Return the similarity (-1 to 1) of the card at `new` now to the one at `old` before, in either orientation.

        Normalised cross-correlation of the colours (Lewis 1995), invariant to light. On 14 to 30 drawn tables with
        outlines off by 2.5 and 4 px, pushed cards stayed above 0.79 and 0.61 and a wild laid on a red 7 below 0.56;
        another number is below 0.5 in three of four cases, one of the same colour in one of four.
        """
        inside = _SLACK / _WIDTH
        card = cut(self.before, expand(old, -inside), _WIDTH - 2 * _SLACK, round(_HEIGHT * (1 - 2 * inside)))
        views = (cut(self.after, quad, _WIDTH, _HEIGHT) for quad in (new, np.roll(new, 2, axis=0)))
        return max(float(cv2.matchTemplate(view, card, cv2.TM_CCOEFF_NORMED).max()) for view in views)


def _hue(image: Image) -> NDArray[np.float64]:
    """Return the logarithms of the mean blue, green and red, with an offset against noise in the dark."""
    return np.asarray(np.log(np.array(cv2.mean(image)[:3]) + 12), np.float64)
