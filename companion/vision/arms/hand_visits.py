"""Visits of hands to piles: which pile, from when to when, and whether the hand stopped or passed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from companion.vision.arms.arm_tracks import UNSEEN_SECONDS, Track, first_crossing
from companion.vision.arms.frame_border import Point
from companion.vision.core.events import Arm, PileKind
from companion.vision.core.geometry import CARD_RADIUS, CARD_WIDTH
from companion.vision.imaging.durations import HAND_PATIENCE, INSTANT, ONE_ACT
from companion.vision.imaging.zone import Zone

# How far in card lengths a hand extends beyond its visible tip.
_HIDDEN_REACH = 0.15
# Speed in card lengths per second below which a hand acts; it crosses the table at three to ten.
_MAX_SPEED_AT_WORK = 2.6
# Minimum distance of players from the pile in card lengths: forty centimetres.
_SEAT_DISTANCE = 4.5


@dataclass(frozen=True, eq=False)
class Spot:
    """Middle of a pile (2,) and length of a card, in pixels of the full picture."""

    kind: PileKind
    middle: Point
    length: float


@dataclass(eq=False)
class HandVisit:
    """An arm's visit to a pile (s), growing until it ends. nearest, slowest: in card lengths, per second."""

    track: Track
    kind: PileKind
    began: float
    ended: float
    nearest: float
    slowest: float

    @property
    def stayed(self) -> bool:
        """Whether the hand stopped there."""
        return self.slowest < _MAX_SPEED_AT_WORK


class VisitTracker:
    """Tracks one arm's visits to the piles."""

    def __init__(self, track: Track) -> None:
        self.track = track
        self._seen = 0
        self._at: dict[PileKind, HandVisit] = {}
        self._left: dict[PileKind, HandVisit] = {}

    def follow(self, spots: list[Spot]) -> list[HandVisit]:
        """Process the arm's new samples; returns the visits that ended."""
        ended: list[HandVisit] = []
        samples = self.track.samples
        for number in range(self._seen, len(samples)):
            ended += self._step(number, spots)
        self._seen = len(samples)
        if self.track.gone:
            self._left |= self._at
            ended += [visit for visit in self._left.values() if visit.began < self.track.split_at]
            self._at, self._left = {}, {}
        return ended

    def rested(self, discard: Spot) -> Point | None:
        """Return the median of the hand's slow positions, None if it was slowest at the discard pile, or never slow."""
        paces = [_speed(self.track, number) / discard.length for number in range(len(self.track.samples))]
        slow = [number for number, pace in enumerate(paces) if pace < _MAX_SPEED_AT_WORK]
        if not slow:
            return None
        least = min(slow, key=lambda number: paces[number])
        if distances(self.track, least, [discard])[PileKind.DISCARD] <= CARD_RADIUS:
            return None
        tips = np.array([self.track.samples[number].tip for number in slow])
        return _grasp(self.track, np.asarray(np.median(tips, axis=0), np.float64), discard.length)

    def _step(self, number: int, spots: list[Spot]) -> list[HandVisit]:
        sample = self.track.samples[number]
        away = distances(self.track, number, spots)
        # It may rest close to the border, with the pile within reach.
        withdrawn = self.track.is_withdrawn(number, sample.time - HAND_PATIENCE, sample.time)
        withdrawn = withdrawn and away.get(PileKind.DRAW, np.inf) > CARD_WIDTH / 2  # No hand rests in the middle of it.
        unseen = number > 0 and sample.time - self.track.samples[number - 1].time > UNSEEN_SECONDS
        interrupted = unseen or withdrawn
        for kind in list(self._at):
            if interrupted or away.get(kind, np.inf) > CARD_RADIUS + CARD_WIDTH / 2:
                self._left[kind] = self._at.pop(kind)
        # A hand that was out of sight or withdrew has been away; one whose tip moves along it has not.
        over = [k for k, visit in self._left.items() if interrupted or sample.time - visit.ended >= UNSEEN_SECONDS]
        ended = [self._left.pop(kind) for kind in over]
        for spot in spots:
            kind, distance = spot.kind, away[spot.kind]
            at = distance <= CARD_RADIUS and not withdrawn
            if not at and kind not in self._at:
                continue
            # Fingers that feel for the top card move without displacement.
            speed = min(_speed(self.track, number, span) for span in (INSTANT, UNSEEN_SECONDS)) / spot.length
            comes = kind not in self._at
            if comes:
                begins = HandVisit(self.track, kind, sample.time, sample.time, distance, np.inf)
                self._at[kind] = self._left.pop(kind, begins)
            visit = self._at[kind]
            visit.ended = sample.time
            if at:
                visit.nearest = min(visit.nearest, distance)
            # Its speed on arrival is irrelevant: a hand resting at the border passes over.
            if (at or sample.is_joined) and not (comes and kind is PileKind.DISCARD):
                visit.slowest = min(visit.slowest, speed)
        return ended


def distances(track: Track, number: int, spots: list[Spot]) -> dict[PileKind, float]:
    """Return the hand's distance from each pile's middle in card lengths; at the draw pile it is at no other."""
    sample = track.samples[number]
    crossing = sample.crossing if sample.crossing is not None else track.samples[0].crossing
    away = {spot.kind: min(_distance(tip, crossing, spot) for tip in sample.tips) for spot in spots}
    if away.get(PileKind.DRAW, np.inf) <= CARD_RADIUS and PileKind.DISCARD in away:
        away[PileKind.DISCARD] = max(away[PileKind.DISCARD], CARD_RADIUS + 0.01)
    return away


def stayed_at_discard_pile(track: Track, since: float, spots: list[Spot]) -> bool:
    """Return whether a hand stopped at the discard pile, the first of these, since a time (s)."""
    return any(
        _speed(track, number) < _MAX_SPEED_AT_WORK * spots[0].length
        and distances(track, number, spots)[PileKind.DISCARD] <= CARD_RADIUS
        for number, sample in enumerate(track.samples)
        if sample.time >= since
    )


def _distance(tip: Point, crossing: Point | None, spot: Spot) -> float:
    """Return the distance of a hand with this tip from a pile's middle in card lengths."""
    inward = np.zeros(2) if crossing is None else _direction(crossing, tip)
    end = tip + inward * _HIDDEN_REACH * spot.length
    return float(np.hypot(*(end - spot.middle))) / spot.length


def turning_places(track: Track, length: float, until: float = np.inf) -> list[Point]:
    """Return where a hand acted until a time (s): its slow positions near its farthest reach. length: of a card."""
    samples = [sample for sample in track.samples if sample.time <= until]
    entry = first_crossing(samples)
    if entry is None:
        return []
    depths = [float(np.hypot(*(sample.tip - entry))) for sample in samples]
    least = max(depths) - CARD_RADIUS * length
    far = (number for number, depth in enumerate(depths) if depth >= least)
    slow = (number for number in far if _speed(track, number) < _MAX_SPEED_AT_WORK * length)
    return [_grasp(track, samples[number].tip, length) for number in slow]


def _grasp(track: Track, tip: Point, length: float) -> Point:
    """Return the grip position of a hand with this tip: the card it holds extends half its width beyond."""
    entry = first_crossing(track.samples)
    return tip if entry is None else tip - _direction(entry, tip) * CARD_WIDTH / 2 * length


def _direction(start: Point, end: Point) -> Point:
    """Return the unit vector between two points; shorter if they are less than a pixel apart."""
    return np.asarray((end - start) / max(1.0, float(np.hypot(*(end - start)))), np.float64)


def arm_of(track: Track, zone: Zone, began: float, ended: float, goal: Point | None = None) -> Arm:
    """Return an arm for events. zone: the discard pile's; goal: what it reached for, that pile by default."""
    middle, seat_distance = np.array([zone.x, zone.y]), _SEAT_DISTANCE * zone.length
    # If its entry was never seen, all directions are equally probable.
    direction, spread = track.direction(middle, began, ended, goal, seat_distance) or (0.0, 360 / np.sqrt(12))
    return Arm(direction, spread, track.number, track.entered_as)


def was_laying(visit: HandVisit, laid: Sequence[tuple[int, float]]) -> bool:
    """Whether a seeming visit to the draw pile was a card laid beside it, or a pass. laid: arms with times (s)."""
    track = visit.track
    return visit.kind is PileKind.DRAW and any(
        visit.began - ONE_ACT <= time < visit.ended + ONE_ACT and time < withdrawal_time(track, visit.ended)
        for number, time in laid
        if number == track.number
    )


def withdrawal_time(track: Track, left: float) -> float:
    """Return when (s) a hand withdrew to its player after leaving a pile, infinity if it has not."""
    later = ((number, sample.time) for number, sample in enumerate(track.samples) if left < sample.time)
    return next((time for number, time in later if track.is_withdrawn(number, time - HAND_PATIENCE, time)), np.inf)


def _speed(track: Track, number: int, over: float = INSTANT) -> float:
    """Return the slowest finger's speed in pixels per second over a span (s), infinite if unseen for so long."""
    samples = track.samples
    now = samples[number]
    for before in reversed(samples[:number]):
        if now.time - before.time > over + UNSEEN_SECONDS:
            break
        if now.time - before.time >= over:
            ways = now.tips[:, None] - before.tips[None]
            return float(np.hypot(ways[..., 0], ways[..., 1]).min()) / (now.time - before.time)
    return np.inf
