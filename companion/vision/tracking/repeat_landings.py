"""Decides by the hands at the pile whether a card like the one below has landed: who lays one carries it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from companion.vision.core.events import CardLanded
from companion.vision.core.logit import log_odds, logistic
from companion.vision.core.sightings import CERTAIN, EVEN

# Similarity of the carried object that is neutral, and log-odds per unit of similarity: above .7 carried 104 of 142
# hands that laid an identical card and 2 of 33 others, below .55 12 and 22.
_NEUTRAL_SIMILARITY, _LOG_ODDS = 0.62, 12.0


def is_unlikely(event: CardLanded) -> bool:
    """Whether a landing is less probable than not, by its pictures."""
    return sum(share for _, share in event.probabilities) < EVEN


def doubted_without_arm(event: CardLanded) -> CardLanded:
    """Return a landing without an arm: it is nearly certainly none if its face is not informative."""
    if not event.same_face:
        return event
    return replace(event, probabilities=tuple((card, share * (1 - CERTAIN)) for card, share in event.probabilities))


def reweighted_by_carried(event: CardLanded, similarity: float | None) -> CardLanded:
    """Return an uncertain landing on its like, reweighted by the similarity (0 to 1) of what the hand carried."""
    landed = sum(share for _, share in event.probabilities)
    if not event.same_face or similarity is None or not 0 < landed < 1:
        return event
    bound = log_odds(CERTAIN)
    evidence = float(np.clip(_LOG_ODDS * (similarity - _NEUTRAL_SIMILARITY), -bound, bound))
    times = float(logistic(np.array(log_odds(landed) + evidence))) / landed
    return replace(event, probabilities=tuple((card, share * times) for card, share in event.probabilities))
