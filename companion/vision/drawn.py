"""How many cards a hand took that was at the draw pile, none perhaps: what its way and the pile itself tell of that.

Each sign multiplies the odds that nothing was taken. By how much is rounded from some 70 stays at the draw pile in
films of the simulated table and of drawn hands over photographed tables, in which one of three took nothing; where
another number is named, from so many.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from companion.vision.events import NUMBER_SHARES, PileKind, PileReached
from companion.vision.motion import Floats, Zone
from companion.vision.reaches import Reach, Spot, arm_of, distances, turning_places

# Odds that nothing was taken by a hand that came for the middle of the pile, stayed a moment and left.
_NOTHING = 0.05
# How far from the pile's middle, in lengths of a card, fingers mostly come that take its top card: 36 of 47 came within
# the first, and 2 of 17 that took nothing; how far they seldom stay.
_NEAR, _IF_NOT_NEAR = 0.2, 3.0
_BESIDE, _IF_BESIDE = 0.35, 3.0
# Who draws turns round at the pile: a hand that turned so many lengths of a card away had something else to do.
_ELSEWHERE, _IF_ELSEWHERE = 1.0, 6.0
# Seconds after which a hand at the pile rests there, and then so surely once more; and below which it only brushed it,
# as 6 of 162 draws and 40 of 130 stays that took nothing did.
_RESTS, _RESTS_LONG, _IF_RESTING = 2.5, 5.0, 6.0
_BRUSHES, _IF_BRUSHING = 0.3, 3.0
# Whoever draws goes off with the card: a hand that is seen no more at the pile after it has lain there without moving,
# for so many seconds, is there still, as what lies still becomes part of the table; and then so surely once more. So it
# was with 9 of 162 draws and 41 of 130 stays that took nothing.
_VANISHES, _VANISHES_LONG, _IF_VANISHING = 0.3, 0.8, 3.0
# How far a hand that does not move may seem to, in lengths of a card.
_STIRS = 0.15
# By how much more of the picture a hand hides on its way out than it did on its way in, in squares of a card's length,
# as it takes a card along that has 0.64 of them: more than the first in 62 of 113 draws, and in 1 of 20 stays that took
# nothing; less than the second, one way or the other, in 33 and in 17.
_CARRIED, _IF_CARRYING = 0.1, 0.2
_EMPTY, _IF_EMPTY = 0.05, 2.5
# By how much more like the pile's back what is at a hand's tip is on its way out than on its way in, as far as colours
# tell: less than the first in 13 of 195 draws and in 50 of 64 stays that took nothing, more than the second in 168 and
# in 7. Where they tell it the area need not, which tells of the same card.
_UNLIKE, _IF_UNLIKE = 0.03, 8.0
_LIKE_THE_BACK, _IF_LIKE_THE_BACK = 0.08, 0.15
# Seconds by which a stay is counted too long: the hand is at rest still, or again, in its first and last frames.
_AT_REST = 0.07
# Whoever draws comes in for the card and takes it home: a hand that neither came less than so many seconds ago nor goes
# within as many, by this share of how far it reaches in, rests there and only its tip creeps. So it was with 10 of 223
# draws and 23 of 96 stays that took nothing.
_COMES, _COMES_WITHIN, _IF_NOT_COMING = 0.5, 2.0, 4.0
# An arm that was never seen to come is a part of another one now and then.
_IF_APPEARED = 3.0
# Share of its frames at the pile in which a hand is seen by itself at most for it to be one of several, of which only
# where they were and whether they came there tells: of 31 such, 18 drew, of the ten farther than `_BESIDE` one.
_AMONG, _IF_AMONG = 0.3, 2.0
# A shadow that passes has no part that is more than one: of a dozen in some twenty simulated films and matches one
# was a hand, of the table's own colour.
_IF_SHADOW = 20.0
# What of the pile's top mostly changes where nothing was taken and where a card was, as shares of it, and by how much
# that strays, as a standard deviation of its logarithm; so many draws the second is worth before any was seen, as neat
# piles change by a fifth of what untidy ones do. The least share that counts, and the most that it tells either way.
_UNCHANGED, _CHANGED, _STRAYS, _WORTH = 0.012, 0.1, 0.8, 2.0
_LEAST, _MOST_TOLD = 0.005, 8.0


class Changes:
    """Learns how much the draw pile's top changes when a card is taken: neat piles show it less."""

    def __init__(self) -> None:
        self._sum, self._weight = _WORTH * _log(_CHANGED), _WORTH

    def note(self, share: float, certainty: float) -> None:
        """Take in what share of the top was changed by what was a draw with so much certainty, 0 to 1."""
        self._sum += certainty * max(_log(share), _log(_UNCHANGED))
        self._weight += certainty

    def odds(self, share: float, alone: bool = True) -> float:
        """Return by how much a share that has changed multiplies the odds that nothing was taken.

        alone: whether no other hand was there meanwhile that may have done it.
        """
        drawn, nothing = self._sum / self._weight, _log(_UNCHANGED)
        # The ratio of two normal densities; it tells nothing where the top never changes.
        told = (drawn - nothing) * ((drawn + nothing) / 2 - _log(share)) / _STRAYS**2
        odds = float(np.clip(np.exp(told), 1 / _MOST_TOLD, _MOST_TOLD))
        return odds if alone else max(1.0, odds)


def _log(share: float) -> float:
    return float(np.log(share + _LEAST))


def is_sure(reach: Reach, draw: Spot) -> bool:
    """Whether the hand's way alone speaks for a draw in everything."""
    return _odds(reach, draw) <= _NOTHING


def told(
    reach: Reach, zone: Zone, draw: Spot | None, pile_odds: float = 1.0, back: Floats | None = None
) -> PileReached:
    """Return the event of a stay.

    zone: the discard pile's. pile_odds: what the draw pile's top tells, see `Changes.odds`. back: the shares of colours
    of the draw pile, None where they are not known.
    """
    if reach.kind is PileKind.DISCARD or draw is None:
        return PileReached(reach.ended, reach.began, arm_of(reach.track, zone, reach.began, reach.ended), reach.kind)
    odds = _odds(reach, draw, back) * pile_odds
    nothing = odds / (1 + odds)
    arm = arm_of(reach.track, zone, reach.began, reach.ended, draw.middle)
    drawn = (nothing, *(share * (1 - nothing) for share in NUMBER_SHARES))
    return PileReached(reach.ended, reach.began, arm, reach.kind, drawn)


def _odds(reach: Reach, draw: Spot, back: Floats | None = None) -> float:
    took = None if back is None else reach.track.took(back, draw.middle, draw.length, reach.began, reach.ended)
    there = (
        (reach.nearest > _NEAR, _IF_NOT_NEAR),
        (reach.nearest > _BESIDE, _IF_BESIDE),
        (_came(reach) < _COMES, _IF_NOT_COMING),
        (distances(reach.track, 0, [draw])[PileKind.DRAW] <= reach.nearest + _SAME, _IF_APPEARED),
        (took is not None and took < _UNLIKE, _IF_UNLIKE),
        (took is not None and took > _LIKE_THE_BACK, _IF_LIKE_THE_BACK),
    )
    if _is_among_others(reach):
        return _NOTHING * _IF_AMONG * _product(there)
    lasted = reach.ended - reach.began
    gained = reach.track.gained(reach.began + _AT_REST, reach.ended - _AT_REST, draw.length)
    carried = gained if took is None else None
    still = _still(reach, draw.length)
    signs = (
        *there,
        (_turned(reach, draw) > _ELSEWHERE, _IF_ELSEWHERE),
        (lasted > _RESTS, _IF_RESTING),
        (lasted > _RESTS_LONG, _IF_RESTING),
        (lasted < _BRUSHES, _IF_BRUSHING),
        (still > _VANISHES, _IF_VANISHING),
        (still > _VANISHES_LONG, _IF_VANISHING),
        (reach.track.is_shadow, _IF_SHADOW),
        (carried is not None and carried > _CARRIED, _IF_CARRYING),
        (carried is not None and abs(carried) < _EMPTY, _IF_EMPTY),
    )
    return _NOTHING * _product(signs)


def _product(signs: Sequence[tuple[bool, float]]) -> float:
    """Return by how much the signs that hold multiply the odds together."""
    return float(np.prod([odds for holds, odds in signs if holds]))


def _is_among_others(reach: Reach) -> bool:
    """Whether a hand was hardly seen apart from others while it was at the pile: where it was exactly is not known."""
    there = [not sample.among for sample in reach.track.samples if reach.began <= sample.time <= reach.ended]
    return bool(np.mean(there) <= _AMONG)


# A hand that was first seen no farther from the pile than this beyond where it came to, in lengths of a card, appeared.
_SAME = 0.3


def _still(reach: Reach, length: float) -> float:
    """Return for how long (s) the hand had not moved when it was last seen at the pile."""
    there = [sample for sample in reach.track.samples if reach.began <= sample.time <= reach.ended]
    for sample in reversed(there):
        if float(np.hypot(*(sample.tip - there[-1].tip))) > _STIRS * length:
            return there[-1].time - sample.time
    return reach.ended - reach.began


def _came(reach: Reach) -> float:
    """Return by which share of how far it reaches in the hand came to the pile, or went from it, the larger of both.

    1 where that cannot be told.
    """
    samples = reach.track.samples
    came = next((sample.rim for sample in samples if sample.rim is not None), None)
    if came is None:
        return 1.0
    began, ended = reach.began - _COMES_WITHIN, reach.ended + _COMES_WITHIN
    ways = [(s.time, float(np.hypot(*(s.tip - (came if s.rim is None else s.rim))))) for s in samples]
    there = max(depth for time, depth in ways if reach.began <= time <= reach.ended)
    return 1 - min(depth for time, depth in ways if began <= time <= ended) / max(1.0, there)


def _turned(reach: Reach, draw: Spot) -> float:
    """Return how far from the pile the hand turned round, in lengths of a card; 0 where it cannot be told."""
    places = turning_places(reach.track, draw.length)
    return min((float(np.hypot(*(place - draw.middle))) / draw.length for place in places), default=0.0)
