"""Detects names of a deck's pictures that were exchanged by wrong answers.

An answer names a whole face, and a wrong one misnames all similar pictures consistently. A reader that misreads a card
usually reads the other one correctly; if two or more names are each read as the next one in a ring, the names were
exchanged.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from companion.cards import ALL_CARDS
from companion.decks.labels.hungarian import assign
from companion.decks.model.card_views import PLAIN, CardViews
from companion.decks.model.prototypes import NOTHING, UNNAMED
from companion.vision.core.labels import Floats, color_class, face_class, log_softmax

# Maximum probability of the given names, and minimum mean advantage of the next names, in a ring of exchanged names; a
# reader that varies errs by itself. Of 2,547 correctly named pictures of 28 decks 3 lost their name; after wrong
# answers in fourteen decks 48 of 280 wrong names did, and none of 1,089 correct ones.
_MAX_OWN_PROBABILITY, _MIN_ADVANTAGE = 0.1, 0.15
# A picture read with this probability as its own name keeps it.
_KEEPING_PROBABILITY = 0.5
_KINDS = [
    np.arange(NOTHING),
    np.array([face_class(card.face) for card in ALL_CARDS]),
    np.array([color_class(card.color) for card in ALL_CARDS]),
]


def without_swapped_names(views: Sequence[CardViews], cards: Sequence[int]) -> list[int]:
    """Return the cards of pictures, numbers of ALL_CARDS, UNNAMED where names seem exchanged.

    Cards, faces and colours are examined separately. A picture read as its name keeps it.
    """
    labels = np.asarray(cards)
    named = np.flatnonzero(labels < NOTHING)
    if not len(named):
        return list(cards)
    readings = np.exp(log_softmax(np.stack([view.logs[:PLAIN] for view in views])[named])).mean(1)[:, :NOTHING]
    doubted = np.zeros(len(named), bool)
    for kind in _KINDS:
        probabilities = np.stack([readings[:, kind == k].sum(1) for k in range(int(kind.max()) + 1)], 1)
        own = kind[labels[named]]
        present = np.unique(own)
        means = np.stack([probabilities[own == k].mean(0) for k in present])[:, present]
        for cycle in _swap_cycles(means):
            doubted |= np.isin(own, present[cycle]) & (probabilities[np.arange(len(own)), own] < _KEEPING_PROBABILITY)
    labels = labels.copy()
    labels[named[doubted]] = UNNAMED
    return [int(card) for card in labels]


def _swap_cycles(means: Floats) -> list[NDArray[np.intp]]:
    """Return the rings of exchanged names among K names, from the mean readings (K, K) of each name's pictures."""
    successor = assign(-means.astype(np.float64))
    remaining = set(range(len(means)))
    found: list[NDArray[np.intp]] = []
    while remaining:
        cycle = [remaining.pop()]
        while (after := int(successor[cycle[-1]])) != cycle[0]:
            cycle.append(after)
        remaining -= set(cycle)
        members = np.array(cycle)
        own_probability = float(means[members, members].mean())
        if (
            own_probability < _MAX_OWN_PROBABILITY
            and float(means[members, successor[members]].mean()) > own_probability + _MIN_ADVANTAGE
        ):
            found.append(members)
    return found
