"""Whether a card that looks like the one under it has landed at all, as the hands that were at the pile tell.

Pictures tell a card laid on its like, in nearly the same place, hardly from one that was pushed a little. Who lays a
card comes with it, and is seen with its colours on the way; who pushes one, or takes one away, comes without.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from companion.vision.core.events import CardLanded

# Of what is said of a card that no arm was seen to lay so much is left: of 62 cards in films, drawn and
# photograph-like, none was laid without an arm.
_LEFT = 0.05
# How like the card what a hand bore tells nothing, the logarithm of the odds that more of it tells, and the most that
# it tells. In 30 simulated matches in which many a card was laid on its like, 104 hands of 142 that laid one bore
# something over .7 like it, and 2 of 33 that pushed the top card or took it away; under .55 were 12 and 22.
_TELLS_NOTHING, _TELLS, _MOST = 0.62, 12.0, 3.0


def is_unlikely(event: CardLanded) -> bool:
    """Whether it is less likely than not, by its pictures, that a card has landed."""
    return sum(share for _, share in event.probabilities) < 0.5


def without_hand(event: CardLanded) -> CardLanded:
    """Return a landing that no arm brought: nearly all of it goes to 'no card' where its face tells nothing."""
    if not event.same_face:
        return event
    return replace(event, probabilities=tuple((card, share * _LEFT) for card, share in event.probabilities))


def by_what_was_borne(event: CardLanded, likeness: float | None) -> CardLanded:
    """Return a landing weighed anew, where its face tells nothing, by what the hand bore on its way to the pile.

    likeness: how like the card that was, 0 to 1; None where it was not seen. What is beyond doubt stays so.
    """
    landed = sum(share for _, share in event.probabilities)
    if not event.same_face or likeness is None or not 0 < landed < 1:
        return event
    told = float(np.clip(_TELLS * (likeness - _TELLS_NOTHING), -_MOST, _MOST))
    odds = landed / (1 - landed) * np.exp(told)
    times = float(odds / (1 + odds)) / landed
    return replace(event, probabilities=tuple((card, share * times) for card, share in event.probabilities))
