"""Assigns pictures named in a match to the deck's pictures they are copies of, as votes for names."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from companion.decks.model.card_views import CardViews
from companion.decks.model.decision import shipped_decisions
from companion.decks.model.prototypes import NOTHING, fit
from companion.vision.core.labels import Floats


def copies_of(
    views: Sequence[CardViews], names: Sequence[int], further: Sequence[CardViews], cards: Sequence[int]
) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Return (F,) the most similar of N pictures for each further one, and (F,) whether it is a copy.

    views: of the N pictures. names: numbers of ALL_CARDS, or UNNAMED. further, cards: the further pictures' views and
    names. A picture that may be of its own name counts as that.
    """
    if not further:
        return np.zeros(0, np.intp), np.zeros(0, bool)
    labels = np.asarray(names)
    features, logs = np.stack([view.features for view in views]), np.stack([view.logs for view in views])
    known = fit(features, logs, names, shipped_decisions().card)
    units = known.decision.centred(features, known.mean)
    others = known.decision.centred(np.stack([view.features for view in further]), known.mean)
    similarity = np.einsum("fvd,nwd->fnvw", others, units, optimize=True).max((2, 3))
    is_copy = known.open_set.odds(similarity, np.zeros_like(similarity)) > 0
    of_name = (labels == np.asarray(cards)[:, None]) & is_copy
    best = np.where(of_name | ~of_name.any(1, keepdims=True), similarity, -1.0).argmax(1)
    return best, is_copy[np.arange(len(further)), best]


def votes(pictures: NDArray[np.intp], cards: Sequence[int], count: int) -> Floats:
    """Return (N, 56) votes for each picture and card. pictures: (F,) those voted on. count: N, of all pictures."""
    counts = np.zeros((count, NOTHING), np.float32)
    np.add.at(counts, (pictures, np.asarray(cards, np.intp)), 1)
    return counts
