"""An arm's way: where its tip was from its coming to its leaving, and the direction that it came from."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from operator import attrgetter

import numpy as np
from numpy.typing import NDArray

from companion.vision.arms.frame_border import Point
from companion.vision.arms.hand_color import likeness
from companion.vision.imaging.motion import Floats

_time = attrgetter("time")

# Degrees by which an arm's crossing strays from its player's seat, the same seat's arms among themselves.
_STRAY = 8.0
# How much farther in than it was seen on its way in a hand may be on its way out and be held against that, in lengths
# of a card: what it carries goes before it.
_FARTHER = 0.5
# How far from where a card lies, in its lengths, it is not seen itself at the tip of a hand.
_ON_THE_WAY = 0.6
# What an arm that has drawn back hides of the picture, and how far it reaches in, as shares of what it did at work, at
# most: of one of the table's own colour a part is not seen for a while, but its tip is where it was.
_HIDES, _REACHES = 0.5, 0.75
# So much less firm than the hand itself, as a share, is what hangs together with a shadow that passes over the table:
# how far that reaches in says nothing of the hand.
_PALE = 0.3
# So many of the last samples tell how much of a hand is more than a shadow; it is none with less than this share of it.
_LATELY_SEEN, _FADED = 15, 0.2
# For how long (s) before and after its stay at a pile a hand is on its way there and from there.
_ITS_WAY = 0.6
# For how long (s) an arm has rested that reaches in anew though it was not seen to draw back, and how long that takes.
_SITS, _REACHES_IN = 1.5, 0.4
LATELY = 2.0
"""Seconds for which it is known that a hand has drawn back: after that it rests."""
RIM_JUMP = 24.0
"""How far from where it was, in small pixels, the place at the rim can be where an arm comes in."""
# The same of its tip; and how far that may move, as when a card comes to hang from it, and be the same arm's wherever
# that is said to come in.
_TIP_JUMP, _SAME_TIP = 60.0, 25.0
# What it adds to the cost of a match that the arm does not cross the rim, in small pixels: more than any other match
# costs, for what hangs together with the rim is the arm that leaves; what lies at its old tip is the card that it laid.
_RIMLESS = 100.0
# Share of an arm that is more than a shadow in some frame at least: .2 and more in simulated films, but for a hand of
# the table's own colour.
_FIRM = 0.05


@dataclass(frozen=True, eq=False)
class Sample:
    """An arm in one frame, in pixels of the full picture.

    tip: (2,) the end that reaches farthest. rim: (2,) the middle of where it crosses the picture's rim, None where it
    does not. width: of the crossing. area: what of it is seen, in square pixels. single: whether nothing else hangs
    together with it. firm: the share of it that is more than a shadow. ends: (2,) each, of
    its fingers where several are seen. colors: the shares of colours at the tip, None where that is not known.
    """

    time: float
    tip: Point
    rim: Point | None
    width: float
    area: float
    single: bool
    firm: float = 1.0
    ends: tuple[Point, ...] = ()
    colors: Floats | None = None

    @property
    def among(self) -> bool:
        """Whether it hangs together with others there."""
        return self.rim is not None and not self.single

    @property
    def depth(self) -> float:
        """How far it reaches in from the rim, in pixels; 0 where it does not cross it."""
        return 0.0 if self.rim is None else float(np.hypot(*(self.tip - self.rim)))

    def crosses_at(self, places: NDArray[np.intp], scale: float) -> bool:
        """Whether it crosses the rim about a stretch of it, (n, 2) in small pixels. scale: pixels per small one."""
        return self.rim is not None and float(np.hypot(*(places.mean(0) - self.rim / scale))) <= RIM_JUMP

    @property
    def fingers(self) -> Point:
        """(n, 2) where its fingers end: the tip where they are not seen apart."""
        return np.array(self.ends or (self.tip,))


def entry(samples: Sequence[Sample]) -> Point | None:
    """Return where an arm first crossed the picture's rim, (2,) in pixels; None where it did not in these samples."""
    return next((sample.rim for sample in samples if sample.rim is not None), None)


@dataclass(eq=False)
class Track:
    """One arm from its coming to its leaving. alone: in how many frames it was seen by itself. gone: it has left.

    came: the number that it had when it came into the picture, where it has been at home since; None where that is its
    own. until: the time (s) after which it is another track that it goes on as.
    """

    number: int
    samples: list[Sample] = field(default_factory=list)
    alone: int = 0
    gone: bool = False
    came: int | None = None
    until: float = np.inf

    @property
    def last(self) -> Sample:
        """Where it was seen last."""
        return self.samples[-1]

    @property
    def is_shadow(self) -> bool:
        """Whether it never looked like more than a shadow."""
        return max(sample.firm for sample in self.samples) < _FIRM

    def gained(self, came: float, left: float, length: float) -> float | None:
        """Return by how much more of the picture it hid on its way out, being as far in; None where it is not known.

        came: until when (s) it was on its way in; left: after which it was on its way out; length: a card's, pixels, in
        squares of which it is returned.
        """
        way = [
            (sample.time, sample.depth / length, sample.area / length**2)
            for sample in self.samples
            if sample.single and sample.rim is not None
        ]
        inward = sorted((depth, area) for time, depth, area in way if time <= came)
        outward = [(depth, area) for time, depth, area in way if time > left]
        if not inward:
            return None
        depths, areas = zip(*inward, strict=True)
        both = (depths[0], depths[-1] + _FARTHER)
        more = [area - np.interp(depth, depths, areas) for depth, area in outward if both[0] <= depth <= both[1]]
        return float(np.median(more)) if more else None

    def cost(self, sample: Sample, scale: float) -> float | None:
        """Return how ill a sample goes on it, None where it cannot. scale: pixels of the frame per small one."""
        last = self.last
        if self._fades(sample):
            return None
        tip = float(np.hypot(*(sample.tip - last.tip))) / scale
        if sample.rim is None or last.rim is None:
            return _RIMLESS + tip if tip <= _TIP_JUMP else None
        rim = float(np.hypot(*(sample.rim - last.rim))) / scale
        # Where an arm lies along the rim, the place from which it comes is ill known and may jump.
        near = rim <= RIM_JUMP and tip <= 2 * _TIP_JUMP
        return rim + 0.3 * tip if near or (tip <= _SAME_TIP and rim <= 4 * RIM_JUMP) else None

    def _fades(self, sample: Sample) -> bool:
        """Whether a sample reaches as far in as the hand did and hardly anything of it is more than a shadow.

        Where a hand has rested in a shadow the table is lit anew when both are gone.
        """
        if sample.rim is None:
            return False
        span = [one for one in self.samples[-_LATELY_SEEN:] if one.single and one.rim is not None]
        firm = max((one.firm for one in span), default=0.0)
        more = max((one.firm * one.area for one in span), default=0.0)
        deep = max((one.depth for one in span), default=0.0)
        pale = sample.firm < _PALE * firm and sample.firm * sample.area < _FADED * more
        return pale and sample.depth > _REACHES * deep

    def reaches_in_anew(self) -> int | None:
        """Return the number of the sample in which it was still at home, if it reaches in again by now; None if not.

        It had drawn back, or rested there for a while: what it does from now on is another thing.
        """
        now = self.last
        first, _ = self._places(now.time - _REACHES_IN, now.time)
        for number in range(len(self.samples) - 2, max(1, first) - 1, -1):
            time = self.samples[number].time
            if not self.is_drawn_back(number, time, now.time):
                continue
            since, _ = self._places(time - _SITS, time)
            sits = since > 0 and all(self.is_drawn_back(n, time, now.time) for n in range(since, number))
            if sits or self.is_drawn_back(number, time - LATELY, time):
                return number
        return None

    def is_drawn_back(self, number: int, began: float, ended: float) -> bool:
        """Whether in a sample, and the one before, it was much farther out of the picture than in a span of time (s).

        Only where it is seen by itself that can be told, and by two samples on end, for a shadow may reach far in one.
        """
        two = self.samples[max(0, number - 1) : number + 1]
        least = _PALE * min(sample.firm for sample in two)
        span = self.samples[slice(*self._places(began, ended))]
        there = [sample for sample in span if sample.single and sample.firm >= least]
        if len(there) < 2 or not all(sample.single for sample in two):
            return False
        pairs = list(pairwise(there))
        hides = max(min(one.area, other.area) for one, other in pairs)
        reaches = max(min(one.depth, other.depth) for one, other in pairs)
        return all(sample.area < _HIDES * hides and sample.depth < _REACHES * reaches for sample in two)

    def _places(self, began: float, ended: float) -> tuple[int, int]:
        """Return the numbers of the first sample in a span of time (s) and of the first one after it."""
        return bisect_left(self.samples, began, key=_time), bisect_right(self.samples, ended, key=_time)

    def carried(self, card: Floats, place: Point, length: float, began: float) -> float | None:
        """Return how like a card, 0 to 1, what its tip bore was on the way to a place; None where that was not seen.

        card: the shares of its colours; place: (2,) where it lies; length: a card's, pixels. began: since when (s).
        """
        way = [sample for sample in self.samples if sample.time >= began and sample.colors is not None]
        away = [float(np.hypot(*(sample.tip - place))) / length for sample in way]
        if not away:
            return None
        came = way[: int(np.argmin(away)) + 1]
        likes = [
            likeness(sample.colors, card)
            for sample, far in zip(came, away, strict=False)
            if sample.colors is not None and far > _ON_THE_WAY
        ]
        return max(likes, default=None)

    def took(self, back: Floats, place: Point, length: float, began: float, ended: float) -> float | None:
        """Return by how much more like the back of a card what its tip bore was on its way out than on its way in.

        None where it was not seen on both. back: the shares of its colours; place: (2,) where the pile lies; length: a
        card's, pixels. began, ended: of its stay there (s).
        """
        middle = (began + ended) / 2
        spans = (began - _ITS_WAY, middle), (middle, ended + _ITS_WAY)
        ways = [
            [
                likeness(sample.colors, back)
                for sample in self.samples[slice(*self._places(*span))]
                if sample.colors is not None and float(np.hypot(*(sample.tip - place))) > _ON_THE_WAY * length
            ]
            for span in spans
        ]
        return max(ways[1]) - max(ways[0]) if all(ways) else None

    def direction(
        self, about: Point, began: float, ended: float, goal: Point | None = None, seat: float = 0.0
    ) -> tuple[float, float] | None:
        """Return where it comes from about a place, degrees clockwise from up, and the standard deviation of that.

        The frames between two times count, all where it did not cross the rim then; None where it never did. goal: what
        it reached for, the place itself where None; from there it is followed out past the rim until it is `seat`
        pixels from the place, for whoever sits far from the rim comes in elsewhere for another goal.
        """
        rims = [s for s in self.samples if s.rim is not None and began <= s.time <= ended]
        rims = rims or [s for s in self.samples if s.rim is not None]
        if not rims:
            return None
        places = np.array([s.rim for s in rims])
        middle = np.median(places, axis=0) - about
        if goal is not None:
            middle = _extended(goal - about, middle, seat)
        distance = max(1.0, float(np.hypot(*middle)))
        # An arm seldom lies on the line from its seat to the pile; how wide it is tells how well its middle is known.
        width = float(np.median([s.width for s in rims])) / distance / np.sqrt(12)
        stray = float(np.hypot(*places.std(axis=0))) / distance
        spread = float(np.hypot(_STRAY, np.degrees(np.hypot(width, stray))))
        return float(np.degrees(np.arctan2(middle[0], -middle[1])) % 360), min(90.0, spread)


def _extended(start: Point, through: Point, distance: float) -> Point:
    """Return where the line from one point through another is so far from the origin; the other where it is farther."""
    if float(np.hypot(*through)) >= distance:
        return through
    way = (through - start) / max(1e-6, float(np.hypot(*(through - start))))
    along = float(through @ way)
    ahead = -along + np.sqrt(max(0.0, along**2 + distance**2 - float(through @ through)))
    return np.asarray(through + way * ahead, np.float64)
