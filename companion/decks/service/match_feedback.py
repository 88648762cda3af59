"""Assigns pictures named in a match to the deck's pictures they are copies of, as votes for names."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from companion.decks.model.card_views import PLAIN, CardViews
from companion.decks.model.decision import shipped_decisions
from companion.decks.model.prototypes import NOTHING
from companion.vision.core.labels import Floats

# Similarity of a copy, as a share of the way from the nearest other faces to copies; and required advantage over
# pictures of the given name.
_COPY_SHARE, _MIN_LEAD = 0.6, 0.5
# Minimum length of that way.
_MIN_SPAN = 0.04


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
    features = np.stack([view.features for view in views])
    mean = features[:, :PLAIN].mean((0, 1))
    centred = shipped_decisions().card.centred
    units = centred(features, mean)
    low, high = _similarity_levels(units, labels)
    span = max(high - low, _MIN_SPAN)
    seen = centred(np.stack([view.features[:PLAIN] for view in further]), mean)
    similarity = np.einsum("fvd,nwd->fnvw", seen, units, optimize=True).max((2, 3))
    best = np.where(labels == np.asarray(cards)[:, None], similarity + _MIN_LEAD * span, similarity).argmax(1)
    return best, similarity[np.arange(len(further)), best] >= low + _COPY_SHARE * span


def votes(of: NDArray[np.intp], cards: Sequence[int], pictures: int) -> Floats:
    """Return (N, 56) votes for each picture and card. of: (F,) the pictures voted on."""
    counts = np.zeros((pictures, NOTHING), np.float32)
    np.add.at(counts, (of, np.asarray(cards, np.intp)), 1)
    return counts


def _similarity_levels(units: Floats, labels: NDArray[np.intp]) -> tuple[float, float]:
    """Return the median similarity of (N, V, D) augmented views to the nearest other face, and to copies."""
    altered = units[:, PLAIN:] if units.shape[1] > PLAIN else units
    similarity = np.einsum("nqd,mvd->nqmv", altered, units[:, :PLAIN], optimize=True).max((1, 3))
    same = labels[:, None] == labels
    alone = np.eye(len(labels), dtype=bool)
    copies = np.where(same & ~alone, similarity, -1.0).max(1)
    lone = ~(same & ~alone).any(1)
    copies[lone] = similarity[alone][lone]
    others = np.where(same, -1.0, similarity).max(1)
    return float(np.median(others)), float(np.median(copies))
