"""Decides by the hands at the pile whether a card identical to the one below has landed.

In pictures a card laid almost exactly on an identical one looks like a small push. Who lays a card is seen
with its colours on the way; who pushes or takes one is not.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from companion.vision.core.events import CardLanded

# Factor on the probability of a landing without an observed arm: of 62 cards in drawn and photographic films none was
# laid without one.
_LEFT = 0.05
# Similarity of the carried object that is neutral, log-odds per unit of similarity, and their bound. In 30 simulated
# matches with many identical landings, 104 of 142 hands that laid one carried something more than .7 similar, and 2 of
# 33 that pushed or took the top card; 12 and 22 were below .55.
_TELLS_NOTHING, _TELLS, _MOST = 0.62, 12.0, 3.0


def is_unlikely(event: CardLanded) -> bool:
    """Whether a landing is less probable than not, by its pictures."""
    return sum(share for _, share in event.probabilities) < 0.5


def without_hand(event: CardLanded) -> CardLanded:
    """Return a landing without an arm: most of its probability goes to "no card" if its face is not informative."""
    if not event.same_face:
        return event
    return replace(event, probabilities=tuple((card, share * _LEFT) for card, share in event.probabilities))


def reweighted_by_load(event: CardLanded, similarity: float | None) -> CardLanded:
    """Return a landing reweighted by the object the hand carried, if its face is not informative.

    similarity: similarity to the card, 0 to 1; None if not seen. Certain landings are unchanged.
    """
    landed = sum(share for _, share in event.probabilities)
    if not event.same_face or similarity is None or not 0 < landed < 1:
        return event
    log_odds = float(np.clip(_TELLS * (similarity - _TELLS_NOTHING), -_MOST, _MOST))
    odds = landed / (1 - landed) * np.exp(log_odds)
    times = float(odds / (1 + odds)) / landed
    return replace(event, probabilities=tuple((card, share * times) for card, share in event.probabilities))
