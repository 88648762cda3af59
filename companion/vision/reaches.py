"""Reaches: which pile an arm's tip came to, from when to when, and whether it stayed or only passed by."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from companion.vision.arms import Point, Track
from companion.vision.events import PileKind

# In lengths of a card: how near the hand must come to a pile's middle to be at it, and how far it must go from there to
# have left, so that a hand at work is not told to have come twice. To draw, fingers go to the middle of the pile; what
# is laid may come to lie a little beside it.
_AT = {PileKind.DISCARD: 0.75, PileKind.DRAW: 0.6}
_OFF = {PileKind.DISCARD: 1.0, PileKind.DRAW: 0.85}
# How far a hand goes on beyond the tip that is seen, which for a while is no more than its finger ends, and how far
# before that its fingers may be, where the tip is that of a card that they hold.
_BEYOND, _HELD = 0.15, 0.6
# So much farther from the draw pile counts a hand that lies over its middle with its finger ends beyond: it may draw
# with the palm, or lay a card on a pile behind.
_OVERSHOT = 0.3
# Lengths of a card per second under which a hand does something; it crosses the table at three to ten.
_SLOW = 2.0


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

    def follow(self, spots: list[Spot]) -> list[Reach]:
        """Take in what is new of the arm; returns the stays that have ended."""
        ended: list[Reach] = []
        samples = self.track.samples
        for number in range(self._seen, len(samples)):
            ended += self._step(number, spots)
        self._seen = len(samples)
        if self.track.gone:
            ended += [self._leave(kind) for kind in list(self._at)]
        return ended

    def rested(self, discard: Spot) -> Point | None:
        """Return where the hand was while it moved least, None where that was at the discard pile or nowhere."""
        slow = [(s, number) for number in range(len(self.track.samples)) if (s := self._pace(number, discard)) < _SLOW]
        if not slow:
            return None
        number = min(slow)[1]
        if distances(self.track, number, [discard])[PileKind.DISCARD] <= _AT[PileKind.DISCARD]:
            return None
        return self.track.samples[number].tip

    def _pace(self, number: int, spot: Spot) -> float:
        return _speed(self.track, number) / spot.length

    def _step(self, number: int, spots: list[Spot]) -> list[Reach]:
        sample = self.track.samples[number]
        away = distances(self.track, number, spots)
        ended = [self._leave(kind) for kind in list(self._at) if away.get(kind, np.inf) > _OFF[kind]]
        for spot in spots:
            kind, distance = spot.kind, away[spot.kind]
            at = distance <= _AT[kind]
            if not at and kind not in self._at:
                continue
            speed = self._pace(number, spot)
            stay = self._at.setdefault(kind, _Stay(sample.time, sample.time, distance, np.inf))
            stay.ended = sample.time
            if at:
                stay.nearest, stay.slowest = min(stay.nearest, distance), min(stay.slowest, speed)
        return ended

    def _leave(self, kind: PileKind) -> Reach:
        stay = self._at.pop(kind)
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
        inward = np.zeros(2) if rim is None else (sample.tip - rim) / max(1.0, float(np.hypot(*(sample.tip - rim))))
        end = sample.tip + inward * _BEYOND * spot.length
        back = float(np.clip((end - spot.middle) @ inward / spot.length, 0, _HELD))
        within = float(np.hypot(*(end - inward * back * spot.length - spot.middle))) / spot.length
        beyond = float(np.hypot(*(end - spot.middle))) / spot.length
        # Only onto the discard pile are cards brought.
        away[spot.kind] = within if spot.kind is PileKind.DISCARD else min(beyond, within + _OVERSHOT)
        at_draw = at_draw or (spot.kind is PileKind.DRAW and beyond <= _AT[PileKind.DRAW])
    if at_draw and PileKind.DISCARD in away:
        away[PileKind.DISCARD] = max(away[PileKind.DISCARD], _AT[PileKind.DISCARD] + 0.01)
    return away


def _speed(track: Track, number: int) -> float:
    """Return the tip's speed over about a tenth of a second, pixels per second; infinite where it is not known yet."""
    samples = track.samples
    now = samples[number]
    for before in reversed(samples[:number]):
        if now.time - before.time >= 0.08:
            return float(np.hypot(*(now.tip - before.tip))) / (now.time - before.time)
    return np.inf
