"""How many cards a hand took that was at the draw pile, none perhaps: what its way and the pile itself tell of that.

Each sign multiplies the odds that nothing was taken. By how much was fitted for all of them together, by a logistic
regression with a penalty of one on the squares of its weights, on 581 stays in 102 recorded matches at simulated
tables, of which 155 took nothing. Left out by turns, a tenth of the matches at a time, 37 to 39 of the stays were taken
for what they were not.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from companion.vision.arms.arm_tracks import entry
from companion.vision.arms.hand_visits import Reach, Spot, arm_of, goes_home, turning_places
from companion.vision.core.events import NUMBER_SHARES, PileKind, PileReached
from companion.vision.imaging.motion import Floats, Zone

# Odds that nothing was taken where no sign tells, a third of all reaches taking nothing (`IDLE_SHARE`).
_NOTHING = 0.77
# How far from the pile's middle, in lengths of a card, fingers mostly come that take its top card; how far they seldom
# stay: farther than the one 119 that drew did and 113 that took nothing, than the other 16 and 62.
_NEAR, _IF_NOT_NEAR = 0.2, 1.4
_BESIDE, _IF_BESIDE = 0.35, 2.8
# Who draws turns round at the pile: a hand that turned so many lengths of a card away had something else to do (6 drew
# and 72 did not), and the more so the farther (3 and 34).
_ELSEWHERE, _IF_ELSEWHERE = 0.6, 5.8
_FAR, _IF_FAR = 1.0, 2.6
# Seconds after which a hand at the pile rests there (1 and 14), under which it hardly takes anything (13 and 52), and
# under which it only brushed it (4 and 33).
_RESTS, _IF_RESTING = 2.5, 2.0
_SHORT, _IF_SHORT = 0.45, 3.8
_BRUSHES, _IF_BRUSHING = 0.3, 3.3
# Whoever draws goes off with the card: a hand that is seen no more at the pile after it has lain there without moving,
# for so many seconds, is there still, as what lies still becomes part of the table (5 and 42; 0 and 24).
_VANISHES, _IF_VANISHING = 0.3, 8.6
_VANISHES_LONG, _IF_LONG_GONE = 0.8, 2.4
# How far a hand that does not move may seem to, in lengths of a card.
_STIRS = 0.15
# By how much more like the pile's back what is at a hand's tip is on its way out than on its way in, as far as colours
# tell: by more than these it was with 285, 273 and 190 that drew and with 16, 5 and 1 that took nothing.
_LIKE_THE_BACK = ((0.03, 0.34), (0.08, 0.24), (0.2, 0.42))
# Where colours were not seen on both ways: fitted to the same stays with the colours left out.
_IF_NOT_ASKED = 0.52
# Whoever draws comes in for the card and takes it home: a hand that neither came less than so many seconds ago nor goes
# within as many, by this share of how far it reaches in, rests there and only its tip creeps (9 and 37).
_COMES, _COMES_WITHIN, _IF_NOT_COMING = 0.5, 2.0, 2.5
# Share of its frames at the pile in which a hand is seen by itself at most for it to be one of several (42 and 24), of
# which only where they were and whether they came there tells.
_AMONG, _IF_AMONG = 0.3, 1.8
# A shadow that passes has no part that is more than one: of a dozen in some twenty simulated films and matches one
# was a hand, of the table's own colour; of seven in those 102 matches none was.
_IF_SHADOW = 20.0
# What of the pile's top mostly changes where nothing was taken and where a card was, as shares of it, and by how much
# that strays, as a standard deviation of its logarithm; so many draws the second is worth before any was seen, as neat
# piles change by a fifth of what untidy ones do. The least share that counts, and the most that it tells either way.
_UNCHANGED, _CHANGED, _STRAYS, _WORTH = 0.012, 0.1, 0.72, 2.0
_LEAST, _MOST_TOLD = 0.005, 13.0


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


def is_alone(reach: Reach, others: Iterable[Reach], drawn: Iterable[float], since: float) -> bool:
    """Whether nobody else may have done what changed at the draw pile: a shadow does nothing.

    others: stays there that are not told of yet. drawn: when (s) those ended that are. since: when (s) the pile was
    last seen as it was before.
    """
    nobody = all(other.track is reach.track or other.track.is_shadow for other in others)
    return nobody and not any(since < ended <= reach.ended for ended in drawn)


def is_sure(reach: Reach, draw: Spot) -> bool:
    """Whether the hand's way alone speaks for a draw in everything."""
    return _odds(reach, draw) <= _NOTHING * _IF_NOT_ASKED


def told(
    reach: Reach, zone: Zone, draw: Spot | None, pile_odds: float = 1.0, back: Floats | None = None
) -> PileReached:
    """Return the event of a stay.

    zone: the discard pile's. pile_odds: what the draw pile's top tells, see `Changes.odds`. back: the shares of colours
    of the draw pile, None where they are not known.
    """
    if reach.kind is PileKind.DISCARD or draw is None:
        return PileReached(reach.ended, reach.began, arm_of(reach.track, zone, reach.began, reach.ended), reach.kind)
    return told_by_odds(reach, zone, draw, _odds(reach, draw, back) * pile_odds)


def told_by_odds(reach: Reach, zone: Zone, draw: Spot, odds: float) -> PileReached:
    """Return the event of a stay at the draw pile by the odds that nothing was taken alone, not by the hand's way."""
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
    """Return by how much the signs that hold multiply the odds together."""
    return float(np.prod([odds for holds, odds in signs if holds]))


def _is_among_others(reach: Reach) -> bool:
    """Whether a hand was hardly seen apart from others while it was at the pile: where it was exactly is not known."""
    there = [not sample.among for sample in reach.track.samples if reach.began <= sample.time <= reach.ended]
    return bool(np.mean(there) <= _AMONG)


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
    came = entry(samples)
    if came is None:
        return 1.0
    began, ended = reach.began - _COMES_WITHIN, reach.ended + _COMES_WITHIN
    ways = [(s.time, float(np.hypot(*(s.tip - (came if s.rim is None else s.rim))))) for s in samples]
    there = max(depth for time, depth in ways if reach.began <= time <= reach.ended)
    return 1 - min(depth for time, depth in ways if began <= time <= ended) / max(1.0, there)


def _turned(reach: Reach, draw: Spot) -> float:
    """Return how far from the pile the hand turned round, in lengths of a card; 0 where it cannot be told."""
    places = turning_places(reach.track, draw.length, goes_home(reach.track, reach.ended))
    return min((float(np.hypot(*(place - draw.middle))) / draw.length for place in places), default=0.0)
