"""Verifies whether and which card of the deck lies in an outline, by aligning its pictures.

Covered parts are excluded; if only a part is visible, only that part is aligned.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from companion.decks.matching.alignment import aligned
from companion.decks.matching.cell_matching import MIN_EXPLAINED, CellMask, CellMatcher, CellStatistics, Comparison
from companion.vision.core.geometry import Image, Quad
from companion.vision.core.labels import Floats


@dataclass(frozen=True, eq=False)
class Verification:
    """Evidence of the deck's pictures for an outline.

    quad: the outline (4, 2). picture: index of the best picture. scores: (58,) fit per card, last that of pictures
    without a name, at most 0. shown: visible cells. informative: visible cells with print.
    """

    quad: Quad
    picture: int
    scores: Floats
    shown: CellMask
    informative: CellMask

    def evidence(self, free: CellMask) -> float:
        """Return the evidence for the card: its visible cells, minus those that should be visible."""
        share = float(self.shown.sum()) / max(1.0, float(free.sum()))
        return float(self.informative.sum()) * share**4


def verify(matcher: CellMatcher, quad: Quad, seen: CellStatistics, free: CellMask) -> Verification:
    """Return the evidence for an outline (4, 2) as it is.

    seen: its statistics beside the pictures. free: cells no other card covers.
    """
    return _verified(matcher, quad, matcher.compare(seen, free))


def verify_aligned(matcher: CellMatcher, image: Image, one: Verification, free: CellMask) -> Verification:
    """Return the evidence after aligning the outline with the best card's picture."""
    moved = aligned(image, one.quad, matcher.pictures[one.picture], one.shown & free)
    ways = [one.quad] if moved is None else [one.quad, moved]
    quad = max(ways, key=lambda way: matcher.fit(image, way, one.picture, free))
    return _verified(matcher, quad, matcher.compare_closely(image, quad, free))


def _verified(matcher: CellMatcher, quad: Quad, compared: Comparison) -> Verification:
    scores = compared.scores
    best = int(scores.argmax())
    shown, informative = compared.shown(best), compared.informative(best)
    if compared.explained(best) < MIN_EXPLAINED:
        informative = np.zeros_like(informative)
    return Verification(quad, best, matcher.scores_of_cards(scores), shown, informative)
