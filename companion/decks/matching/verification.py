"""Whether a card of the deck lies in an outline, and which: its pictures are laid into it as exactly as may be.

What a card on top hides is left out; where only a part shows, that part alone is laid over its like.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from companion.decks.matching.alignment import aligned
from companion.decks.matching.cell_matching import Beside, Compared, Prints, Shown
from companion.vision.core.geometry import Image, Quad
from companion.vision.core.labels import Floats

# How often an outline is moved: the first picture laid into it may have been another card's.
_TIMES = 2
# Share of the variance that the picture must explain.
_EXPLAINED = 0.5


@dataclass(frozen=True, eq=False)
class Proof:
    """What the deck's pictures tell of an outline.

    quad: the outline (4, 2). picture: which of the deck's fits best. scores: (58,) how well each card fits, and
    last those without a name, at most 0.
    shown: which cells show it. telling: which of them have print.
    """

    quad: Quad
    picture: int
    scores: Floats
    shown: Shown
    telling: Shown

    def worth(self, free: Shown) -> float:
        """Return how much speaks for the card: what shows of it, and that nothing that could is missing."""
        share = float(self.shown.sum()) / max(1.0, float(free.sum()))
        return float(self.telling.sum()) * share**4


def glance(prints: Prints, quad: Quad, seen: Beside, free: Shown) -> Proof:
    """Return what the pictures tell of an outline (4, 2) as it is.

    seen: what it shows beside them. free: which cells no other card hides.
    """
    return _told(prints, quad, prints.compare(seen, free))


def proof(prints: Prints, image: Image, one: Proof, free: Shown) -> Proof:
    """Return what is told of an outline at a second look, moved to where the likeliest card's picture fits."""
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


def _told(prints: Prints, quad: Quad, compared: Compared) -> Proof:
    scores = compared.scores
    best = int(scores.argmax())
    shown, telling = compared.shown(best), compared.telling(best)
    if compared.explained(best) < _EXPLAINED:
        telling = np.zeros_like(telling)
    return Proof(quad, best, prints.scores_of_cards(scores), shown, telling)
