"""Of which of a deck's pictures those that people named in a match are copies, and whose names they so speak for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from companion.decks.model.card_views import PLAIN, CardViews
from companion.decks.model.prototypes import NOTHING, unit
from companion.vision.core.labels import Floats

# A picture is a copy where it is so far like another one, of the way from what the nearest other faces have to what
# copies have; and so much of the way more like it than those of the name that it was given.
_COPY, _RATHER = 0.6, 0.5
# That way is at least so long.
_LEAST_WAY = 0.04


def copied(
    views: Sequence[CardViews], names: Sequence[int], further: Sequence[CardViews], cards: Sequence[int]
) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Return (F,) which of N pictures each further one is most like, and (F,) whether as copies are.

    views: of the N pictures. names: numbers of ALL_CARDS, or UNNAMED. further, cards: the further pictures' views and
    names. A picture that could as well be one of its own name's is taken for that.
    """
    if not further:
        return np.zeros(0, np.intp), np.zeros(0, bool)
    labels = np.asarray(names)
    features = np.stack([view.features for view in views])
    mean = features[:, :PLAIN].mean((0, 1))
    units = unit(features - mean)
    low, high = _between(units, labels)
    way = max(high - low, _LEAST_WAY)
    seen = unit(np.stack([view.features[:PLAIN] for view in further]) - mean)
    alike = np.einsum("fvd,nwd->fnvw", seen, units, optimize=True).max((2, 3))
    rather = np.where(labels == np.asarray(cards)[:, None], alike + _RATHER * way, alike).argmax(1)
    return rather, alike[np.arange(len(further)), rather] >= low + _COPY * way


def votes(of: NDArray[np.intp], cards: Sequence[int], pictures: int) -> Floats:
    """Return (N, 56) how many say that each picture is a card. of: (F,) of which pictures they say it."""
    said = np.zeros((pictures, NOTHING), np.float32)
    np.add.at(said, (of, np.asarray(cards, np.intp)), 1)
    return said


def _between(units: Floats, labels: NDArray[np.intp]) -> tuple[float, float]:
    """Return the median likeness of (N, V, D) views' altered ones to the nearest other face, and to copies."""
    altered = units[:, PLAIN:] if units.shape[1] > PLAIN else units
    alike = np.einsum("nqd,mvd->nqmv", altered, units[:, :PLAIN], optimize=True).max((1, 3))
    same = labels[:, None] == labels
    alone = np.eye(len(labels), dtype=bool)
    copies = np.where(same & ~alone, alike, -1.0).max(1)
    lone = ~(same & ~alone).any(1)
    copies[lone] = alike[alone][lone]
    others = np.where(same, -1.0, alike).max(1)
    return float(np.median(others)), float(np.median(copies))
