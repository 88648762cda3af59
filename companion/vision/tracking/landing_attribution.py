"""Attributes a landed card to an arm, by time, place, carried colours and what the arm left there."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from companion.vision.arms.arm_tracks import Track
from companion.vision.arms.hand_visits import Spot, distances, gained_at
from companion.vision.imaging.motion import Floats

REMEMBERED = 6.0
"""Seconds an arm that left is remembered; a card may be reported that much later than it was laid."""
# Seconds an arm may stay at the pile after the first frame in which its card lies still.
_LETS_GO = 0.3
# Maximum distance from the discard pile in card lengths of an arm that laid a card.
_LAID_FROM = 1.2
# Card lengths that weigh as much as one second.
_PER_SECOND = 0.6
# Who lays a card comes for it: a tip that moved less than `_COMES` card lengths within `_COMES_WITHIN` seconds rests
# there, with a penalty in card lengths.
_COMES, _COMES_WITHIN, _RESTED = 0.7, 2.5, 2.0
# Tolerance in card lengths for being nearest: a hand comes down and lets go finger by finger.
_AS_NEAR = 0.5
# Who lays a card hides less of the picture on the way out: minimum difference in squares of a card's length, its weight
# in card lengths, and the time window in seconds before the card lies still, because an earlier hand laid an earlier
# card.
_BROUGHT, _IF_BROUGHT, _AT_ONCE = 0.1, 0.5, 1.0
# Penalties in card lengths for an arm that was only shadow, and for one first seen too shortly before the card lay
# still (arms arrive a third of a second earlier): a part of another arm.
_SHADED, _APPEARED, _COMES_BEFORE = 0.6, 1.0, 0.15
# Minimum similarity of a carried object to the card to count, and penalty in card lengths for another hand per
# difference: in seven matches the laying hand carried something .6 to .9 similar, others .1 to .5, occasionally as much
# when passing over the pile.
_ALIKE, _CARRIED = 0.5, 2.0
# Weight of a card length in log-odds, fitted on 1506 landings of 153 recorded matches; probability below which an arm
# is not listed.
_TELLS, _HARDLY = 3.5, 0.05


def attributed_to(
    spot: Spot, tracks: Sequence[Track], landed: float, done: Collection[int] = (), card: Floats | None = None
) -> tuple[tuple[Track, float], ...]:
    """Return the arms that may have laid the card that came to rest at a place and time (s), most probable first.

    Each comes with its probability; improbable ones are omitted, and the result is empty if no arm was near. The last
    and nearest arm is preferred; an arm that rested while another one came is not it, and of two at once it is the one
    that left something. done: numbers of arms that already laid their card. card: colour histogram of the landed card,
    which a carrying hand shows on its way.
    """
    carried = {} if card is None else _carried(card, spot, tracks, landed, done)
    against = [
        _against(track, spot, landed, new=track.number not in done, unlike=_unlike(track, carried)) for track in tracks
    ]
    least = min(against, default=np.inf)
    if least == np.inf:
        return ()
    weights = [float(np.exp(_TELLS * (least - cost))) for cost in against]
    shares = [(track, weight / sum(weights)) for track, weight in zip(tracks, weights, strict=True)]
    return tuple(sorted((one for one in shares if one[1] >= _HARDLY), key=lambda one: -one[1]))


def _against(track: Track, spot: Spot, landed: float, *, new: bool, unlike: float) -> float:
    """Return the penalty in card lengths against an arm having laid a card; infinite if it was not near.

    new: whether it had laid none before. unlike: penalty from carried colours.
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
        cost = _PER_SECOND * max(0.0, landed - time) + away + _SHADED * track.is_shadow + _APPEARED * appeared
        cost += unlike - brought * (landed - time <= _AT_ONCE)
        if cost < least:
            least = min(least, cost + _RESTED * _rests(track, time, spot))
    return least


def _unlike(track: Track, carried: Mapping[int, float]) -> float:
    """Return the penalty in card lengths for carrying something less similar than another arm."""
    most = max(carried.values(), default=0.0)
    return _CARRIED * (most - carried.get(track.number, _ALIKE)) * (most >= _ALIKE)


def _carried(
    card: Floats, spot: Spot, tracks: Sequence[Track], landed: float, done: Collection[int]
) -> dict[int, float]:
    """Return the similarity of carried colours to the card for arms that had laid none, by number, if seen."""
    fresh = [track for track in tracks if track.number not in done]
    seen = {track.number: carried_similarity(track, card, spot, landed) for track in fresh}
    return {number: similarity for number, similarity in seen.items() if similarity is not None}


def carried_similarity(track: Track, card: Floats, spot: Spot, landed: float) -> float | None:
    """Return the similarity (0 to 1) of what an arm carried to the card; None if not seen.

    card: colour histogram. landed: when it came to rest (s).
    """
    return track.carried(card, spot.middle, spot.length, landed - _COMES_WITHIN)


def _rests(track: Track, time: float, spot: Spot) -> bool:
    """Whether a hand had been almost still for a while."""
    if track.samples[0].time > time - _COMES_WITHIN:
        return False
    tips = np.array([sample.tip for sample in track.samples if time - _COMES_WITHIN <= sample.time <= time])
    return bool(np.hypot(*np.ptp(tips, axis=0)) < _COMES * spot.length)


def came_to(spot: Spot, track: Track, began: float, ended: float) -> float:
    """Return when, between two times (s), a hand arrived at its nearest point to a pile.

    Before that it may have been elsewhere, for example at the draw pile.
    """
    there = [number for number, sample in enumerate(track.samples) if began <= sample.time <= ended]
    away = {number: distances(track, number, [spot])[spot.kind] for number in there}
    if not away:
        return began
    first = nearest = min(there, key=lambda number: away[number])
    while first - 1 in away and away[first - 1] <= away[nearest] + _AS_NEAR:
        first -= 1
    return track.samples[first].time
