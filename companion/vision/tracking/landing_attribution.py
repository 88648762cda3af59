"""Who laid a card: which of the arms about the pile, by when and where it was, and by what it bore and left there."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from companion.vision.arms.arm_tracks import Track
from companion.vision.arms.hand_visits import Spot, distances, gained_at
from companion.vision.imaging.motion import Floats

REMEMBERED = 6.0
"""How long an arm that has left is remembered (s): a card may be told that much later than it was laid."""
# An arm may be seen at the pile for so long (s) after the first frame in which its card lay still.
_LETS_GO = 0.3
# How near the discard pile an arm must have come, in lengths of a card, to have laid what landed there.
_LAID_FROM = 1.2
# So many lengths of a card nearer tells as much for an arm as a second later.
_PER_SECOND = 0.6
# Who lays a card comes for it: a hand whose tip has moved less than so many lengths of a card in so many seconds before
# rests there, which tells as much against it as if it had been so many lengths farther away.
_COMES, _COMES_WITHIN, _RESTED = 0.7, 2.5, 2.0
# Lengths of a card within which a hand is about as near as it came: it comes down on the pile, and lets go of a card
# finger by finger.
_AS_NEAR = 0.5
# Who lays a card hides less of the picture on the way out than on the way in, by some squares of a card's length, which
# tells as much as if the hand had been so many lengths nearer; of hands that were there so many seconds before the card
# lay still, for the one before laid the card before.
_BROUGHT, _IF_BROUGHT, _AT_ONCE = 0.1, 0.5, 1.0
# In lengths of a card, what tells against an arm that looked like a shadow and no more, and against one that was first
# seen so few seconds before the card lay still, for it comes a third of a second before that: a part of another's.
_SHADED, _APPEARED, _COMES_BEFORE = 0.6, 1.0, 0.15
# How like the card what a hand bore must have been for that to tell anything; and what it tells against another hand
# that its load was by so much less like it, in lengths of a card: in seven matches the hand that laid a card bore
# something .6 to .9 like it, others that came beside it .1 to .5, and now and then as much, passing over the pile.
_ALIKE, _CARRIED = 0.5, 2.0
# How surely a length of a card tells two arms apart, as a factor of the odds' logarithm, fitted on 1506 landings of 153
# recorded matches; and the probability under which an arm hardly laid what landed.
_TELLS, _HARDLY = 3.5, 0.05


def laid_by(
    spot: Spot, tracks: Sequence[Track], landed: float, done: Collection[int] = (), card: Floats | None = None
) -> tuple[tuple[Track, float], ...]:
    """Return the arms that may have laid what came to lie still at a place at that time (s), likeliest first.

    Each with the probability that it did, but for those that hardly did; none where none was near. It is the last one
    there, the nearest; an arm that rested there while another one came is not it, and of two at once it is the one that
    left something there. done: the numbers of arms that have laid what they brought. card: the shares of colours of
    what lies there: a hand that bore it on its way is likelier than one that bore something else.
    """
    carried = {} if card is None else _carried(card, spot, tracks, landed, done)
    against = [
        _against(track, spot, landed, new=track.number not in done, unlike=_unlike(track, carried)) for track in tracks
    ]
    least = min(against, default=np.inf)
    if least == np.inf:
        return ()
    weights = [float(np.exp(_TELLS * (least - told))) for told in against]
    shares = [(track, weight / sum(weights)) for track, weight in zip(tracks, weights, strict=True)]
    return tuple(sorted((one for one in shares if one[1] >= _HARDLY), key=lambda one: -one[1]))


def _against(track: Track, spot: Spot, landed: float, *, new: bool, unlike: float) -> float:
    """Return what tells against an arm that it laid a card, in lengths of a card; infinite where it was not near.

    new: whether it had laid none before. unlike: what the colours that it bore tell against it.
    """
    comes = new and landed - track.samples[0].time <= _COMES_WITHIN
    more = gained_at(track, spot.middle, spot.length) if comes else None
    brought = _IF_BROUGHT if more is not None and more < -_BROUGHT else 0.0
    least = np.inf
    for number in range(len(track.samples) - 1, -1, -1):
        time = track.samples[number].time
        if time > min(landed + _LETS_GO, track.until) or time < landed - REMEMBERED:
            continue
        away = distances(track, number, [spot])[spot.kind]
        if away > _LAID_FROM:
            continue
        appeared = track.samples[0].time > landed - _COMES_BEFORE
        told = _PER_SECOND * max(0.0, landed - time) + away + _SHADED * track.is_shadow + _APPEARED * appeared
        told += unlike - brought * (landed - time <= _AT_ONCE)
        if told < least:
            least = min(least, told + _RESTED * _rests(track, time, spot))
    return least


def _unlike(track: Track, carried: Mapping[int, float]) -> float:
    """Return what tells against an arm that it bore something less like the card than another one did, in lengths."""
    most = max(carried.values(), default=0.0)
    return _CARRIED * (most - carried.get(track.number, _ALIKE)) * (most >= _ALIKE)


def _carried(
    card: Floats, spot: Spot, tracks: Sequence[Track], landed: float, done: Collection[int]
) -> dict[int, float]:
    """Return how like a card what arms bore was that had laid none before, by their numbers, where it was seen."""
    fresh = [track for track in tracks if track.number not in done]
    seen = {track.number: bore(track, card, spot, landed) for track in fresh}
    return {number: likeness for number, likeness in seen.items() if likeness is not None}


def bore(track: Track, card: Floats, spot: Spot, landed: float) -> float | None:
    """Return how like a card, 0 to 1, what an arm bore on its way to it was; None where that was not seen.

    card: the shares of its colours. landed: when it came to lie still (s).
    """
    return track.carried(card, spot.middle, spot.length, landed - _COMES_WITHIN)


def _rests(track: Track, time: float, spot: Spot) -> bool:
    """Whether a hand had been where it was at a time for a while, moving hardly at all."""
    if track.samples[0].time > time - _COMES_WITHIN:
        return False
    tips = np.array([sample.tip for sample in track.samples if time - _COMES_WITHIN <= sample.time <= time])
    return bool(np.hypot(*np.ptp(tips, axis=0)) < _COMES * spot.length)


def came_to(spot: Spot, track: Track, began: float, ended: float) -> float:
    """Return when, between two times (s), a hand came to where it was nearest to a pile.

    Before that it may have been elsewhere, as at the draw pile for the first card.
    """
    there = [number for number, sample in enumerate(track.samples) if began <= sample.time <= ended]
    away = {number: distances(track, number, [spot])[spot.kind] for number in there}
    if not away:
        return began
    first = nearest = min(there, key=lambda number: away[number])
    while first - 1 in away and away[first - 1] <= away[nearest] + _AS_NEAR:
        first -= 1
    return track.samples[first].time
