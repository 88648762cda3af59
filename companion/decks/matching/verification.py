"""Verifies whether and which card of the deck lies in an outline, by aligning its pictures.

Covered parts are excluded; if only a part is visible, only that part is aligned.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from companion.decks.matching.alignment import aligned
from companion.decks.matching.cell_matching import Beside, CardPrints, Compared, Shown
from companion.vision.core.geometry import Image, Quad
from companion.vision.core.labels import Floats

# Number of alignments: the first picture aligned may be another card's.
_TIMES = 2
# Minimum share of variance the picture must explain.
_EXPLAINED = 0.5


@dataclass(frozen=True, eq=False)
class Verification:
    """Evidence of the deck's pictures for an outline.

    quad: the outline (4, 2). picture: index of the best picture. scores: (58,) fit per card, last that of pictures
    without a name, at most 0. shown: visible cells. telling: visible cells with print.
    """

    quad: Quad
    picture: int
    scores: Floats
    shown: Shown
    telling: Shown

    def worth(self, free: Shown) -> float:
        """Return the evidence for the card: its visible cells, minus those that should be visible."""
        share = float(self.shown.sum()) / max(1.0, float(free.sum()))
        return float(self.telling.sum()) * share**4


def glance(prints: CardPrints, quad: Quad, seen: Beside, free: Shown) -> Verification:
    """Return the evidence for an outline (4, 2) as it is.

    seen: its statistics beside the pictures. free: cells no other card covers.
    """
    return _told(prints, quad, prints.compare(seen, free))


def proof(prints: CardPrints, image: Image, one: Verification, free: Shown) -> Verification:
    """Return the evidence after aligning the outline with the best card's picture."""
    close = None
    for _ in range(_TIMES):
        moved = aligned(image, one.quad, prints.pictures[one.picture], one.shown & free)
        if moved is None:
            break
        before = prints.fit(image, one.quad, one.picture, free) if close is None else float(close.scores.max())
        if prints.fit(image, moved, one.picture, free) <= before:
            break
        laid = one.picture
        one = close = _told(prints, moved, prints.compare_closely(image, moved, free))
        if one.picture == laid:
            break
    return close or _told(prints, one.quad, prints.compare_closely(image, one.quad, free))


def _told(prints: CardPrints, quad: Quad, compared: Compared) -> Verification:
    scores = compared.scores
    best = int(scores.argmax())
    shown, telling = compared.shown(best), compared.telling(best)
    if compared.explained(best) < _EXPLAINED:
        telling = np.zeros_like(telling)
    return Verification(quad, best, prints.scores_of_cards(scores), shown, telling)
