"""Estimates how many cards a hand took at the draw pile, from its movement and from changes of the pile.

Naive combination of signs: each one multiplies the odds that nothing was taken. The factors were fitted jointly by
logistic regression with an L2 penalty of one on 581 visits in 102 recorded simulated matches, 155 of which took
nothing. In tenfold cross-validation 37 to 39 visits were misclassified.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from companion.vision.arms.arm_tracks import entry
from companion.vision.arms.hand_visits import HandVisit, Spot, arm_of, goes_home, turning_places
from companion.vision.core.events import NUMBER_SHARES, PileKind, PileReached
from companion.vision.imaging.motion import Floats, Zone

# Odds that nothing was taken without any sign; the prior is a third of all visits (`IDLE_SHARE`).
_NOTHING = 0.77
# Distance from the pile's middle in card lengths within which fingers usually take its top card: 119 draws and 113 idle
# visits ended farther away than the limit for stays, against 16 and 62 others. Factor if it is exceeded.
_NEAR, _IF_NOT_NEAR = 0.2, 1.4
_BESIDE, _IF_BESIDE = 0.35, 2.8
# Who draws turns around at the pile: distance in card lengths of a turning point elsewhere (6 draws, 72 idle visits),
# with a larger factor farther away (3 and 34).
_ELSEWHERE, _IF_ELSEWHERE = 0.6, 5.8
_FAR, _IF_FAR = 1.0, 2.6
# Durations in seconds: above which a hand rests there (1 draw, 14 idle visits), below which it rarely takes anything
# (13 and 52), and below which it only brushed the pile (4 and 33).
_RESTS, _IF_RESTING = 2.5, 2.0
_SHORT, _IF_SHORT = 0.45, 3.8
_BRUSHES, _IF_BRUSHING = 0.3, 3.3
# A hand that lay still and is no longer seen at the pile after this many seconds is still there, absorbed by the
# background (5 draws, 42 idle visits; 0 and 24).
_VANISHES, _IF_VANISHING = 0.3, 8.6
_VANISHES_LONG, _IF_LONG_GONE = 0.8, 2.4
# Apparent movement of a still hand in card lengths.
_STIRS = 0.15
# Increase in similarity of the tip's colours to the card back from entry to exit, with factors: exceeded by 285, 273
# and 190 draws and by 16, 5 and 1 idle visits.
_LIKE_THE_BACK = ((0.03, 0.34), (0.08, 0.24), (0.2, 0.42))
# Factor without colour on both ways; fitted on the same visits without colours.
_IF_NOT_ASKED = 0.52
# Who draws comes for the card and takes it home: a hand that neither arrived nor leaves within this time, by this share
# of its reach, rests there (9 draws, 37 idle visits).
_COMES, _COMES_WITHIN, _IF_NOT_COMING = 0.5, 2.0, 2.5
# Maximum share of separate frames of a hand among several (42 draws, 24 idle visits), for which only location and
# arrival count.
_AMONG, _IF_AMONG = 0.3, 1.8
# A passing shadow has no part that is more than shadow: of a dozen in about twenty simulated films and matches one was
# a hand of the table's colour; of seven in those 102 matches none was.
_IF_SHADOW = 20.0
# Typical changed share of the pile's top without and with a draw, the standard deviation of its logarithm, and the
# weight of the second value in draws, as tidy piles change by a fifth of untidy ones. Minimum significant share and
# maximum factor.
_UNCHANGED, _CHANGED, _STRAYS, _WORTH = 0.012, 0.1, 0.72, 2.0
_LEAST, _MOST_ODDS = 0.005, 13.0


class Changes:
    """Learns how much the draw pile's top changes when a card is taken; tidy piles change less."""

    def __init__(self) -> None:
        self._sum, self._weight = _WORTH * _log(_CHANGED), _WORTH

    def note(self, share: float, certainty: float) -> None:
        """Add the changed share of a draw with this probability."""
        self._sum += certainty * max(_log(share), _log(_UNCHANGED))
        self._weight += certainty

    def odds(self, share: float, alone: bool = True) -> float:
        """Return the factor of a changed share on the odds that nothing was taken.

        alone: whether no other hand can have caused it.
        """
        drawn, nothing = self._sum / self._weight, _log(_UNCHANGED)
        # Ratio of two normal densities; uninformative if the top never changes.
        log_odds = (drawn - nothing) * ((drawn + nothing) / 2 - _log(share)) / _STRAYS**2
        odds = float(np.clip(np.exp(log_odds), 1 / _MOST_ODDS, _MOST_ODDS))
        return odds if alone else max(1.0, odds)


def _log(share: float) -> float:
    return float(np.log(share + _LEAST))


def is_alone(reach: HandVisit, others: Iterable[HandVisit], drawn: Iterable[float], since: float) -> bool:
    """Whether nobody else can have caused a change at the draw pile; shadows do not count.

    others: unreported visits. drawn: end times (s) of reported ones. since: time (s) of the previous view of the pile.
    """
    nobody = all(other.track is reach.track or other.track.is_shadow for other in others)
    return nobody and not any(since < ended <= reach.ended for ended in drawn)


def is_sure(reach: HandVisit, draw: Spot) -> bool:
    """Whether the hand's movement alone indicates a draw in every respect."""
    return _odds(reach, draw) <= _NOTHING * _IF_NOT_ASKED


def draw_event(
    reach: HandVisit, zone: Zone, draw: Spot | None, pile_odds: float = 1.0, back: Floats | None = None
) -> PileReached:
    """Return the event of a visit.

    zone: the discard pile's. pile_odds: factor from the draw pile's top, see `Changes.odds`. back: colour histogram of
    the draw pile, None if unknown.
    """
    if reach.kind is PileKind.DISCARD or draw is None:
        return PileReached(reach.ended, reach.began, arm_of(reach.track, zone, reach.began, reach.ended), reach.kind)
    return event_from_odds(reach, zone, draw, _odds(reach, draw, back) * pile_odds)


def event_from_odds(reach: HandVisit, zone: Zone, draw: Spot, odds: float) -> PileReached:
    """Return the event of a visit to the draw pile, given only the odds that nothing was taken."""
    nothing = odds / (1 + odds)
    arm = arm_of(reach.track, zone, reach.began, reach.ended, draw.middle)
    drawn = (nothing, *(share * (1 - nothing) for share in NUMBER_SHARES))
    return PileReached(reach.ended, reach.began, arm, reach.kind, drawn)


def _odds(reach: HandVisit, draw: Spot, back: Floats | None = None) -> float:
    took = None if back is None else reach.track.took(back, draw.middle, draw.length, reach.began, reach.ended)
    there = (
        (reach.nearest > _NEAR, _IF_NOT_NEAR),
        (reach.nearest > _BESIDE, _IF_BESIDE),
        (_came(reach) < _COMES, _IF_NOT_COMING),
        (took is None, _IF_NOT_ASKED),
        *((took is not None and took > more, odds) for more, odds in _LIKE_THE_BACK),
    )
    if _is_among_others(reach):
        return _NOTHING * _IF_AMONG * _product(there)
    lasted, still, turned = reach.ended - reach.began, _still(reach, draw.length), _turned(reach, draw)
    signs = (
        *there,
        (turned > _ELSEWHERE, _IF_ELSEWHERE),
        (turned > _FAR, _IF_FAR),
        (lasted > _RESTS, _IF_RESTING),
        (lasted < _SHORT, _IF_SHORT),
        (lasted < _BRUSHES, _IF_BRUSHING),
        (still > _VANISHES, _IF_VANISHING),
        (still > _VANISHES_LONG, _IF_LONG_GONE),
        (reach.track.is_shadow, _IF_SHADOW),
    )
    return _NOTHING * _product(signs)


def _product(signs: Sequence[tuple[bool, float]]) -> float:
    """Return the product of the factors of all true signs."""
    return float(np.prod([odds for holds, odds in signs if holds]))


def _is_among_others(reach: HandVisit) -> bool:
    """Whether a hand was almost never separate at the pile, so that its location is uncertain."""
    there = [not sample.among for sample in reach.track.samples if reach.began <= sample.time <= reach.ended]
    return bool(np.mean(there) <= _AMONG)


def _still(reach: HandVisit, length: float) -> float:
    """Return for how long (s) the hand had been still when it was last seen at the pile."""
    there = [sample for sample in reach.track.samples if reach.began <= sample.time <= reach.ended]
    for sample in reversed(there):
        if float(np.hypot(*(sample.tip - there[-1].tip))) > _STIRS * length:
            return there[-1].time - sample.time
    return reach.ended - reach.began


def _came(reach: HandVisit) -> float:
    """Return the share of its reach by which the hand arrived at, or left, the pile; the larger of both.

    1 if unknown.
    """
    samples = reach.track.samples
    came = entry(samples)
    if came is None:
        return 1.0
    began, ended = reach.began - _COMES_WITHIN, reach.ended + _COMES_WITHIN
    ways = [(s.time, float(np.hypot(*(s.tip - (came if s.rim is None else s.rim))))) for s in samples]
    there = max(depth for time, depth in ways if reach.began <= time <= reach.ended)
    return 1 - min(depth for time, depth in ways if began <= time <= ended) / max(1.0, there)


def _turned(reach: HandVisit, draw: Spot) -> float:
    """Return the distance from the pile at which the hand turned around in card lengths; 0 if unknown."""
    places = turning_places(reach.track, draw.length, goes_home(reach.track, reach.ended))
    return min((float(np.hypot(*(place - draw.middle))) / draw.length for place in places), default=0.0)
