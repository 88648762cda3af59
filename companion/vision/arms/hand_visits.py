"""Reaches: which pile an arm's tip came to, from when to when, and whether it stayed or only passed by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from companion.vision.arms.arm_tracks import LATELY, Sample, Track, entry
from companion.vision.arms.frame_border import Point
from companion.vision.core.events import Arm, PileKind
from companion.vision.imaging.motion import Zone

# In lengths of a card: how near the hand must come to a pile's middle to be at it, and how far it must go from there to
# have left, so that a hand at work is not told to have come twice. To draw, fingers go to the middle of the pile; what
# is laid may come to lie a little beside it.
_AT = {PileKind.DISCARD: 0.75, PileKind.DRAW: 0.6}
_OFF = {PileKind.DISCARD: 1.0, PileKind.DRAW: 0.85}
# The same for one that hangs together with others: its tip creeps along them.
_OFF_AMONG = 1.5
# Where nobody's hand rests: so near the middle of the draw pile one is at work that had just reached farther in.
_MIDDLE = 0.2
# How far a hand goes on beyond the tip that is seen, which for a while is no more than its finger ends, and how far
# before that its fingers may be, where the tip is that of a card that they hold.
_BEYOND, _HELD = 0.15, 0.6
# So much farther from the draw pile counts a hand that lies over its middle with its finger ends beyond: it may draw
# with the palm, or lay a card on a pile behind.
_OVERSHOT = 0.3
# Lengths of a card per second under which a hand does something; it crosses the table at three to ten. Of 11 stays at
# the draw pile in 111 recorded matches in which it was never slower than two, one drew, and the others' ways told so.
_SLOW = 2.6
# Seconds over which a hand's speed is told; and longer ones, for a hand that feels for the top card moves its fingers
# all the while and yet hardly goes anywhere: less than so much of the speed under which it does something. In 57
# recorded matches 3 of 8 draws that were missed were found so, and there were 9 stays more beside 93 that drew nothing.
_SPEED_OVER, _FEELS_OVER, _LESS = 0.08, 0.3, 1.5
# How far from the pile people sit at least, in lengths of a card: forty centimetres.
_SEAT = 4.5
# How certain the direction of an arm is of which no frame shows where it came in.
_UNKNOWN_SPREAD = 90.0
# Seconds for which a hand is not seen and then comes anew: it is looked for about fifteen times a second.
_UNSEEN = 0.2
# Seconds for which a hand must have been away to have come twice: nobody puts a card away and is at the draw pile again
# in less, but a tip that creeps along a hand at rest is. In 60 recorded matches 48 pairs of one arm's stays there were
# nearer together, and each was one stay.
_AWAY = {PileKind.DISCARD: 0.0, PileKind.DRAW: 0.3}
# How far before its tip a hand takes hold, in lengths of a card: the card that it takes hangs over. In six films the
# draw pile's middle was found within 0.2 of a card's length so, by hands alone, where it was within 0.6 by their tips.
_OVERREACH = 0.3
# How much farther out than it ever came, in lengths of a card, a hand is still about where it turns.
_TURNS = 0.5
# Seconds within which an arm that lay a card was not at the draw pile as well, but for a card fetched from there: who
# draws and plays what was drawn looks at it.
_ONE_ACT = 0.8
# A stay shorter than so many seconds is no draw where the same arm laid a card within THEN_LAYS after it.
_ON_ITS_WAY = 0.5
THEN_LAYS = 1.1
"""Seconds within which an arm that only was at the draw pile on its way has laid its card: who draws looks at the card
before, and who flips one for an item box has no need to be told of. In 83 recorded matches no stay that was over 1.0 to
1.4 s before was one on the way, and two were draws."""


@dataclass(frozen=True, eq=False)
class Spot:
    """A pile's middle (2,) and a card's length, pixels of the full picture."""

    kind: PileKind
    middle: Point
    length: float


@dataclass(frozen=True, eq=False)
class Reach:
    """An arm's stay at a pile (s). nearest: lengths of a card from the pile's middle. slowest: lengths per second."""

    track: Track
    kind: PileKind
    began: float
    ended: float
    nearest: float
    slowest: float

    @property
    def stayed(self) -> bool:
        """Whether the hand did not merely pass by."""
        return self.slowest < _SLOW


@dataclass
class _Stay:
    began: float
    ended: float
    nearest: float
    slowest: float


class ReachFinder:
    """Follows one arm's stays at the piles."""

    def __init__(self, track: Track) -> None:
        self.track = track
        self._seen = 0
        self._at: dict[PileKind, _Stay] = {}
        self._left: dict[PileKind, _Stay] = {}

    def follow(self, spots: list[Spot]) -> list[Reach]:
        """Take in what is new of the arm; returns the stays that have ended."""
        ended: list[Reach] = []
        samples = self.track.samples
        for number in range(self._seen, len(samples)):
            ended += self._step(number, spots)
        self._seen = len(samples)
        if self.track.gone:
            self._left |= self._at
            mine = ((kind, stay) for kind, stay in self._left.items() if stay.began < self.track.until)
            ended += [self._reach(kind, stay) for kind, stay in mine]
            self._at, self._left = {}, {}
        return ended

    def rested(self, discard: Spot) -> Point | None:
        """Return where the hand was while it moved least, None where that was at the discard pile or nowhere.

        That is the middle one of the places where it was slow: a card that it takes puts its tip elsewhere.
        """
        paces = [self._pace(number, discard) for number in range(len(self.track.samples))]
        slow = [number for number, pace in enumerate(paces) if pace < _SLOW]
        if not slow:
            return None
        least = min(slow, key=lambda number: paces[number])
        if distances(self.track, least, [discard])[PileKind.DISCARD] <= _AT[PileKind.DISCARD]:
            return None
        tips = np.array([self.track.samples[number].tip for number in slow])
        return _grasp(self.track, np.asarray(np.median(tips, axis=0), np.float64), discard.length)

    def _pace(self, number: int, spot: Spot, over: float = _SPEED_OVER) -> float:
        return _speed(self.track, number, over) / spot.length

    def _step(self, number: int, spots: list[Spot]) -> list[Reach]:
        sample = self.track.samples[number]
        away = distances(self.track, number, spots)
        # It may rest so near the rim that the pile is within its reach.
        back = self.track.is_drawn_back(number, sample.time - LATELY, sample.time)
        back = back and away.get(PileKind.DRAW, np.inf) > _MIDDLE
        unseen = number > 0 and sample.time - self.track.samples[number - 1].time > _UNSEEN
        for kind in list(self._at):
            if unseen or back or self._is_off(kind, away, sample):
                self._left[kind] = self._at.pop(kind)
        # A hand that was out of sight meanwhile, or drew back, has been away.
        over = [k for k, stay in self._left.items() if unseen or back or sample.time - stay.ended >= _AWAY[k]]
        ended = [self._reach(kind, self._left.pop(kind)) for kind in over]
        for spot in spots:
            kind, distance = spot.kind, away[spot.kind]
            at = distance <= _AT[kind] and not back
            if not at and kind not in self._at:
                continue
            speed = min(self._pace(number, spot), _LESS * self._pace(number, spot, _FEELS_OVER))
            comes = kind not in self._at
            if comes:
                self._at[kind] = self._left.pop(kind, _Stay(sample.time, sample.time, distance, np.inf))
            stay = self._at[kind]
            stay.ended = sample.time
            if at:
                stay.nearest = min(stay.nearest, distance)
            # How fast it was until it came says nothing of what it does here: who rested by the rim passes over.
            if (at or sample.among) and not (comes and kind is PileKind.DISCARD):
                stay.slowest = min(stay.slowest, speed)
        return ended

    def _is_off(self, kind: PileKind, away: dict[PileKind, float], sample: Sample) -> bool:
        """Whether a hand has left a pile: of one among others at the draw pile the tip may be another's."""
        among = kind is PileKind.DRAW and sample.among
        return away.get(kind, np.inf) > (_OFF_AMONG if among else _OFF[kind])

    def _reach(self, kind: PileKind, stay: _Stay) -> Reach:
        return Reach(self.track, kind, stay.began, stay.ended, stay.nearest, stay.slowest)


def distances(track: Track, number: int, spots: list[Spot]) -> dict[PileKind, float]:
    """Return how far the hand is from each pile's middle, in lengths of a card.

    A hand whose tip is in the middle of the draw pile is not at the discard pile, however near that is.
    """
    sample = track.samples[number]
    rim = sample.rim if sample.rim is not None else track.samples[0].rim
    away: dict[PileKind, float] = {}
    at_draw = False
    for spot in spots:
        found = [_distance(finger, rim, spot) for finger in sample.fingers]
        within, beyond = min(one for one, _ in found), min(other for _, other in found)
        # Only onto the discard pile are cards brought.
        away[spot.kind] = within if spot.kind is PileKind.DISCARD else min(beyond, within + _OVERSHOT)
        at_draw = at_draw or (spot.kind is PileKind.DRAW and beyond <= _AT[PileKind.DRAW])
    if at_draw and PileKind.DISCARD in away:
        away[PileKind.DISCARD] = max(away[PileKind.DISCARD], _AT[PileKind.DISCARD] + 0.01)
    return away


def stayed_at(kind: PileKind, track: Track, since: float, spots: list[Spot]) -> bool:
    """Return whether a hand has been at a pile since a time (s), and did not merely pass by."""
    (length,) = {spot.length for spot in spots if spot.kind is kind}
    return any(
        _speed(track, number) < _SLOW * length and distances(track, number, spots)[kind] <= _AT[kind]
        for number, sample in enumerate(track.samples)
        if sample.time >= since
    )


def _distance(tip: Point, rim: Point | None, spot: Spot) -> tuple[float, float]:
    """Return how far a hand with this tip is from a pile's middle, and how far its fingers are, lengths of a card."""
    inward = np.zeros(2) if rim is None else (tip - rim) / max(1.0, float(np.hypot(*(tip - rim))))
    end = tip + inward * _BEYOND * spot.length
    back = float(np.clip((end - spot.middle) @ inward / spot.length, 0, _HELD))
    within = float(np.hypot(*(end - inward * back * spot.length - spot.middle))) / spot.length
    return within, float(np.hypot(*(end - spot.middle))) / spot.length


def turning_places(track: Track, length: float, until: float = np.inf) -> list[Point]:
    """Return where a hand did something: its places when it was slow and about as far in as it ever came.

    length: a card's, pixels. until: the time (s) after which it is about something else.
    """
    samples = [sample for sample in track.samples if sample.time <= until]
    came = entry(samples)
    if came is None:
        return []
    depths = [float(np.hypot(*(sample.tip - came))) for sample in samples]
    least = max(depths) - _TURNS * length
    slow = (number for number, depth in enumerate(depths) if depth >= least and _speed(track, number) < _SLOW * length)
    return [_grasp(track, samples[number].tip, length) for number in slow]


def _grasp(track: Track, tip: Point, length: float) -> Point:
    """Return where a hand whose tip is here takes hold of something."""
    came = entry(track.samples)
    if came is None:
        return tip
    return np.asarray(tip - (tip - came) / max(1.0, float(np.hypot(*(tip - came)))) * _OVERREACH * length, np.float64)


def arm_of(track: Track, zone: Zone, began: float, ended: float, goal: Point | None = None) -> Arm:
    """Return an arm as events bear it. zone: the discard pile's; goal: what it reached for, that pile where None."""
    found = track.direction(np.array([zone.x, zone.y]), began, ended, goal, _SEAT * zone.length)
    direction, spread = (0.0, _UNKNOWN_SPREAD) if found is None else found
    return Arm(direction, spread, track.number, track.came)


def gained_at(track: Track, place: Point, length: float) -> float | None:
    """Return by how much more of the picture a hand hides since it was nearest to a place than on its way there.

    In squares of a card's length; None where that is not known.
    """
    there = min(track.samples, key=lambda sample: float(np.hypot(*(sample.tip - place)))).time
    return track.gained(there, there, length)


def is_brief(reach: Reach) -> bool:
    """Whether a hand at the draw pile may have been on its way to the discard pile."""
    return reach.ended - reach.began < _ON_ITS_WAY


def is_one_act(one: Reach, other: Reach) -> bool:
    """Return whether two stays of a hand follow so soon on each other that it did one thing."""
    return one.began - _ONE_ACT <= other.ended and other.began <= one.ended + _ONE_ACT


def was_laying(reach: Reach, laid: Sequence[tuple[int, float]]) -> bool:
    """Whether what seemed a hand at the draw pile was the tip of a card that it laid beside it, or on its way there.

    laid: which arms were busy at the discard pile, and when. Who went home in between was not on the way there.
    """
    track, then = reach.track, THEN_LAYS if is_brief(reach) else _ONE_ACT
    return reach.kind is PileKind.DRAW and any(
        reach.began - _ONE_ACT <= time <= reach.ended + then and time < goes_home(track, reach.ended)
        for number, time in laid
        if number == track.number
    )


def goes_home(track: Track, left: float) -> float:
    """Return when (s) a hand has drawn back to its player after it left a pile, infinity where it has not yet."""
    return next(
        (
            sample.time
            for number, sample in enumerate(track.samples)
            if left < sample.time and track.is_drawn_back(number, sample.time - LATELY, sample.time)
        ),
        np.inf,
    )


def _speed(track: Track, number: int, over: float = _SPEED_OVER) -> float:
    """Return a hand's speed over about so many seconds, pixels per second; infinite where it was not seen for them.

    It is that of its slowest finger: now the one, now the other reaches farthest.
    """
    samples = track.samples
    now = samples[number]
    for before in reversed(samples[:number]):
        if now.time - before.time > over + _UNSEEN:
            break
        if now.time - before.time >= over:
            ways = now.fingers[:, None] - before.fingers[None]
            return float(np.hypot(ways[..., 0], ways[..., 1]).min()) / (now.time - before.time)
    return np.inf
