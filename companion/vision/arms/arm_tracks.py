"""The track of an arm: its tip from entry to exit, and the direction it came from."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from operator import attrgetter

import numpy as np

from companion.vision.arms.arm_geometry import ArmShape
from companion.vision.arms.frame_border import Point
from companion.vision.arms.hand_color import similarity
from companion.vision.core.geometry import CARD_RADIUS
from companion.vision.imaging.durations import HAND_PATIENCE
from companion.vision.imaging.masks import Floats

_time = attrgetter("time")

# Standard deviation in degrees between an arm's crossing and its player's seat, and between crossings of one seat.
_SEAT_SPREAD = 8.0
# Maximum reach of a withdrawn arm relative to the arm at work.
_MAX_WITHDRAWN_REACH = 0.75
# Solid share relative to the hand's below which a component includes a passing shadow, whose reach says nothing.
_MIN_RELATIVE_SOLID_SHARE = 0.3
# Seconds a hand is on its way to a pile, or back.
_WAY_SECONDS = 0.6
UNSEEN_SECONDS = 0.25
"""Seconds without detection after which an arm has left or a hand has been away; it is sampled 15 times a second."""
MAX_CROSSING_STEP = 24.0
"""Maximum movement of an arm's entry along the border in small pixels; its tip is at least twice as fast."""
# Minimum solid share in some frame: .2 and more in simulated films, except for hands of the table's colour.
_MIN_SOLID_SHARE = 0.05


@dataclass(frozen=True, eq=False)
class Sample(ArmShape):
    """An arm in one frame, in pixels of the full picture. time: the frame's in seconds."""

    time: float = field(kw_only=True)

    @property
    def is_joined(self) -> bool:
        """Whether it is joined with other arms."""
        return self.crossing is not None and not self.separate

    @property
    def tips(self) -> Point:
        """(n, 2) its fingertips; the tip if they are not separate."""
        return np.array(self.fingertips or (self.tip,))


def first_crossing(samples: Sequence[Sample]) -> Point | None:
    """Return where an arm first crossed the border, (2,) in pixels; None if it did not in these samples."""
    return next((sample.crossing for sample in samples if sample.crossing is not None), None)


@dataclass(eq=False)
class Track:
    """One arm from entry to exit. gone: it has left.

    entered_as: number at its entry if it has withdrawn since, else None. split_at: time (s) after which it
    continues as another track.
    """

    number: int
    samples: list[Sample] = field(default_factory=list)
    gone: bool = False
    entered_as: int | None = None
    split_at: float = np.inf

    @property
    def last(self) -> Sample:
        """The last sample."""
        return self.samples[-1]

    @property
    def is_shadow(self) -> bool:
        """Whether it never was more than a shadow."""
        return max(sample.solid_share for sample in self.samples) < _MIN_SOLID_SHARE

    def cost(self, sample: Sample, scale: float) -> tuple[bool, float] | None:
        """Return the cost of continuing with a sample, None if impossible. scale: frame pixels per small pixel."""
        last = self.last
        tip = float(np.hypot(*(sample.tip - last.tip))) / scale
        if sample.crossing is None or last.crossing is None:
            return (True, tip) if tip <= 2 * MAX_CROSSING_STEP else None
        step = float(np.hypot(*(sample.crossing - last.crossing))) / scale
        return (False, step + 0.3 * tip) if step <= MAX_CROSSING_STEP and tip <= 4 * MAX_CROSSING_STEP else None

    def last_withdrawal(self) -> int | None:
        """Return the index of the last sample in which it was withdrawn before it acted again, None without one."""
        now = self.last
        first, _ = self._span(now.time - _WAY_SECONDS, now.time)
        for number in range(len(self.samples) - 2, max(1, first) - 1, -1):
            time = self.samples[number].time
            if not self.is_withdrawn(number, time, now.time):
                continue
            since, _ = self._span(time - HAND_PATIENCE, time)
            rests = since > 0 and all(self.is_withdrawn(n, time, now.time) for n in range(since, number))
            if rests or self.is_withdrawn(number, time - HAND_PATIENCE, time):
                return number
        return None

    def is_withdrawn(self, number: int, began: float, ended: float) -> bool:
        """Whether it was much farther out in two samples, up to `number`, than in a span of time (s), if separate."""
        two = self.samples[max(0, number - 1) : number + 1]
        least = _MIN_RELATIVE_SOLID_SHARE * min(sample.solid_share for sample in two)
        span = self.samples[slice(*self._span(began, ended))]
        there = [sample for sample in span if sample.separate and sample.solid_share >= least]
        if len(there) < 2 or not all(sample.separate for sample in two):
            return False
        reaches = max(min(one.reach, other.reach) for one, other in pairwise(there))
        return all(sample.reach < _MAX_WITHDRAWN_REACH * reaches for sample in two)

    def _span(self, began: float, ended: float) -> tuple[int, int]:
        """Return the indices of the first sample in a span of time (s) and of the first one after it."""
        return bisect_left(self.samples, began, key=_time), bisect_right(self.samples, ended, key=_time)

    def carried(self, card: Floats, place: Point, length: float, began: float) -> float | None:
        """Return the similarity (0 to 1) of a card to what the tip carried to it since a time (s); None if not seen.

        card: its colour histogram; place: (2,) its location; length: of a card in pixels.
        """
        way = [(sample.tip, sample.colors) for sample in self.samples if sample.time >= began]
        seen = [(float(np.hypot(*(tip - place))) / length, colors) for tip, colors in way if colors is not None]
        nearest = int(np.argmin([distance for distance, _ in seen])) if seen else 0
        coming = (colors for distance, colors in seen[: nearest + 1] if distance > CARD_RADIUS)
        return max((similarity(colors, card) for colors in coming), default=None)

    def similarity_gained(self, back: Floats, place: Point, length: float, began: float, ended: float) -> float | None:
        """Return how much more similar to a card back the tip was after a visit (s) than before; None if not seen.

        back: its colour histogram; place: (2,) location of the pile; length: of a card in pixels.
        """
        middle = (began + ended) / 2
        spans = (began - _WAY_SECONDS, middle), (middle, ended + _WAY_SECONDS)
        ways = [
            [
                similarity(sample.colors, back)
                for sample in self.samples[slice(*self._span(*span))]
                if sample.colors is not None and float(np.hypot(*(sample.tip - place))) > CARD_RADIUS * length
            ]
            for span in spans
        ]
        return max(ways[1]) - max(ways[0]) if all(ways) else None

    def direction(
        self, about: Point, began: float, ended: float, goal: Point | None = None, seat: float = 0.0
    ) -> tuple[float, float] | None:
        """Return its direction seen from a place, in degrees clockwise from up, and the standard deviation.

        Uses the frames between two times, or all if it had no crossing then; None if it never had. goal: what it
        reached for, the place by default; from there the arm is extended beyond the border to `seat` pixels from the
        place, because the entry of a distant player varies with the goal.
        """
        crossing = [s for s in self.samples if s.crossing is not None and began <= s.time <= ended]
        crossing = crossing or [s for s in self.samples if s.crossing is not None]
        if not crossing:
            return None
        places = np.array([s.crossing for s in crossing])
        middle = np.median(places, axis=0) - about
        if goal is not None:
            middle = _extended(goal - about, middle, seat)
        distance = max(1.0, float(np.hypot(*middle)))
        # The arm rarely lies on the line from seat to pile; its width limits how well its middle is known.
        width = float(np.median([s.width for s in crossing])) / distance / np.sqrt(12)
        stray = float(np.hypot(*places.std(axis=0))) / distance
        spread = float(np.hypot(_SEAT_SPREAD, np.degrees(np.hypot(width, stray))))
        return float(np.degrees(np.arctan2(middle[0], -middle[1])) % 360), min(90.0, spread)


def _extended(start: Point, through: Point, distance: float) -> Point:
    """Return the point at a distance from the origin on a ray through two points, or `through` if that is farther."""
    if float(np.hypot(*through)) >= distance:
        return through
    way = (through - start) / max(1e-6, float(np.hypot(*(through - start))))
    along = float(through @ way)
    ahead = -along + np.sqrt(max(0.0, along**2 + distance**2 - float(through @ through)))
    return np.asarray(through + way * ahead, np.float64)
