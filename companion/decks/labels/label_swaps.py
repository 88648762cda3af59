"""Which names of a deck's pictures the reader would rather have exchanged, as those that people answered wrongly.

An answer names a whole face, and one that errs misnames all that look like it: the design, which tells what is alike,
bears that out. A reader that errs on a design takes one card for another one, but that one it mostly takes for itself;
where two or more are each taken for the next one's name, all round, names were exchanged.
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

# How likely the reader is to say what they are named, at most, and by how much likelier the next one's name, in
# the mean of those exchanged. Where it says now one, now the other, it errs by itself. Of 2,547 pictures of 28 decks,
# rightly named, 3 lost their name so; of fourteen after wrong answers 48 of 280 wrong names, and none of 1,089 right.
_HARDLY, _RATHER = 0.1, 0.15
# A picture of which it says its own name with this probability keeps that.
_SAID = 0.5
_KINDS = [
    np.arange(NOTHING),
    np.array([face_class(card.face) for card in ALL_CARDS]),
    np.array([color_class(card.color) for card in ALL_CARDS]),
]


def unexchanged(views: Sequence[CardViews], cards: Sequence[int]) -> list[int]:
    """Return the cards of pictures, numbers of ALL_CARDS, UNNAMED where names of theirs seem exchanged with others'.

    Cards, whole faces and whole colours are looked at by themselves. What the reader takes for its name keeps it.
    """
    labels = np.asarray(cards)
    named = np.flatnonzero(labels < NOTHING)
    if not len(named):
        return list(cards)
    said = np.exp(log_softmax(np.stack([view.logs[:PLAIN] for view in views])[named])).mean(1)[:, :NOTHING]
    doubted = np.zeros(len(named), bool)
    for kind in _KINDS:
        says = np.stack([said[:, kind == k].sum(1) for k in range(int(kind.max()) + 1)], 1)
        own = kind[labels[named]]
        there = np.unique(own)
        means = np.stack([says[own == k].mean(0) for k in there])[:, there]
        for ring in _rings(means):
            doubted |= np.isin(own, there[ring]) & (says[np.arange(len(own)), own] < _SAID)
    labels = labels.copy()
    labels[named[doubted]] = UNNAMED
    return [int(card) for card in labels]


def _rings(means: Floats) -> list[NDArray[np.intp]]:
    """Return which of K names the reader would have in a ring, by what it says (K, K) of each name's pictures."""
    taken = assign(-means.astype(np.float64))
    left = set(range(len(means)))
    found: list[NDArray[np.intp]] = []
    while left:
        ring = [left.pop()]
        while (after := int(taken[ring[-1]])) != ring[0]:
            ring.append(after)
        left -= set(ring)
        members = np.array(ring)
        said = float(means[members, members].mean())
        if said < _HARDLY and float(means[members, taken[members]].mean()) > said + _RATHER:
            found.append(members)
    return found
