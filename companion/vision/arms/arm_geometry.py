"""Geometry of arms in the foreground mask: tips, border crossings, separation of joined arms.

All measures are in small pixels, at the resolution of the comparison.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.arms.frame_border import FrameBorder, Point, ways_from
from companion.vision.arms.hand_color import LEAST_AREA
from companion.vision.imaging.motion import Floats, Mask

WIDEST = 0.2
"""Width of a crossing over the picture's width from which a component is more than an arm: a body or a shadow. Cards
held in view lie no deeper than that inside the picture.
"""
# Close to the camera a spread hand is wider: 1.25 card lengths, or more if it enters at an angle.
_HAND_WIDTH = 1.7
# Minimum reach of an arm in small pixels.
_LEAST_REACH = 5.0
# Number of the farthest pixels averaged for the tip, which suppresses noise.
_TIP_PIXELS = 8
FINGER = 12.0
"""Length of a finger in small pixels: others may end so much before the farthest one. A hand of cards sways by half."""
MOVES = 0.02
"""Minimum moving share of a component; otherwise it is an object that was laid down."""
SAME_HAND = 0.6
"""Minimum share of its area a hand keeps between frames; what remains otherwise is a card it released."""


@dataclass(frozen=True, eq=False)
class Shape:
    """An arm in one picture, in its pixels and square pixels.

    tip: (2,) the farthest end. rim: (2,) centre of its border crossing, None without one; width: of the crossing. area:
    what is visible. single: whether it is separate. firm: share that is more than shadow. ends: (2,) each, fingertips,
    if several reach about as far as the tip, which may lie between them. colors: colour histogram at the tip, None if
    unknown.
    """

    tip: Point
    rim: Point | None
    width: float
    area: float
    single: bool = False
    firm: float = 1.0
    ends: tuple[Point, ...] = ()
    colors: Floats | None = None

    @property
    def reach(self) -> float:
        """Distance from border to tip in pixels, 0 without a crossing."""
        return 0.0 if self.rim is None else float(np.hypot(*(self.tip - self.rim)))


def widest(picture: int, length: float) -> float:
    """Return the maximum width of an arm at the border for a picture width and card length."""
    return max(WIDEST * picture, _HAND_WIDTH * length)


def body_of(part: NDArray[np.bool_], solid: Mask) -> Point:
    """Return the (N, 2) pixels of a component without shadow, or all pixels if there are almost none.

    solid: (h, w) uint8 mask of pixels that are more than shadow.
    """
    firm = part & (solid > 0)
    if np.count_nonzero(firm) < 4:
        firm = part
    ys, xs = np.nonzero(firm)
    return np.column_stack([xs, ys]).astype(np.float64)


def single(body: Point, places: NDArray[np.generic]) -> list[Shape]:
    """Return the arm with only these border pixels."""
    rim = places.mean(0)
    tip = farthest(body, rim)
    if float(np.hypot(*(tip - rim))) < _LEAST_REACH:
        return []
    return [Shape(tip, rim, float(len(places)), len(body), single=True, ends=_ends(body, rim))]


def farthest(points: Point, place: Point) -> Point:
    """Return the mean of the points farthest from a place."""
    return _last(points, np.hypot(*(points - place).T))


def _ends(body: Point, rim: Point) -> tuple[Point, ...]:
    """Return an arm's fingertips, empty if they are not separate."""
    away = np.hypot(*(body - rim).T)
    far = away >= away.max() - FINGER
    places, away = body[far].astype(int), away[far]
    left, top = places.min(0)
    mask = np.zeros((int(places[:, 1].max()) - top + 1, int(places[:, 0].max()) - left + 1), np.uint8)
    x, y = (places - (left, top)).T
    mask[y, x] = 1
    count, labels = cv2.connectedComponents(mask, connectivity=8)
    if count <= 2:
        return ()
    own = labels[y, x]
    fingers = [own == number for number in range(1, count)]
    return tuple(_last(body[far][one], away[one]) for one in fingers)


def _along_rim(body: Point, tip: Point, places: NDArray[np.intp], rim: FrameBorder) -> tuple[Point, ...]:
    """Return tip and fingertips of an arm along the border: the points farthest from its possible entries.

    When a hand reaches along the border, its thumb may be farther inside than the fingers.
    """
    others = [farthest(body, place) for place in (places[0], places[-1])]
    ends = [end for end in others if float(np.hypot(*(rim.points - end).T).min()) >= _LEAST_REACH]
    ends = [end for end in ends if float(np.hypot(*(end - tip))) > FINGER]
    return (tip, *ends) if ends else ()


def from_way(points: Point, start: Point, end: Point) -> NDArray[np.float64]:
    """Return (N,) distances of points from an arm's path between two places, extended beyond its end."""
    way = (end - start) / max(1e-6, float(np.hypot(*(end - start))))
    along = np.maximum((points - start) @ way, 0.0)
    return np.asarray(np.hypot(*(points - start - along[:, None] * way).T), np.float64)


def _last(points: Point, away: NDArray[np.floating]) -> Point:
    count = min(_TIP_PIXELS, len(points))
    return np.asarray(points[np.argpartition(away, -count)[-count:]].mean(0), np.float64)


def divided(
    part: NDArray[np.bool_], body: Point, runs: list[NDArray[np.intp]], rim: FrameBorder, wide: float
) -> list[Shape]:
    """Return the arms of a component with several crossings, or one wider than `wide` as of a body.

    Each pixel belongs to the crossing with the shortest path inside the component; an arm enters at the part of its
    crossing nearest to its tip along that path. If a tip lies on the boundary to another arm instead of at an end, both
    are one arm, such as a hand with its thumb outside the picture.
    """
    ways = np.stack([ways_from(part, rim.points[run]) for run in runs])
    owner = ways.argmin(0)
    xs, ys = body.astype(int).T
    length = ways.min(0)[ys, xs]
    found: list[tuple[int, Point, float]] = []
    joined: list[int] = []
    for number in range(len(runs)):
        own = (owner[ys, xs] == number) & np.isfinite(length)
        if np.count_nonzero(own) < LEAST_AREA or float(length[own].max()) < _LEAST_REACH:
            joined.append(number)
            continue
        tip = _last(body[own], length[own])
        x, y = np.round(tip).astype(int)
        window = owner[max(0, y - 3) : y + 4, max(0, x - 3) : x + 4]
        inside = part[max(0, y - 3) : y + 4, max(0, x - 3) : x + 4]
        if (window[inside] != number).any():
            joined.append(number)
        else:
            found.append((number, tip, float(np.count_nonzero(own))))
    if not found and joined:
        # If two hands meet or there is no reach, the deepest point counts.
        tip = _last(body, np.where(np.isfinite(length), length, 0))
        if float(length[np.isfinite(length)].max(initial=0)) < _LEAST_REACH:
            return []
        found = [(int(owner[tuple(np.round(tip).astype(int)[::-1])]), tip, float(len(body)))]
        joined = [number for number in joined if number != found[0][0]]
    arms = []
    for number, tip, area in found:
        same = [number, *joined] if len(found) == 1 else [number]
        widest = max(same, key=lambda i: len(runs[i]))
        places, ends = rim.points[runs[widest]], tuple[Point, ...]()
        if len(places) > wide:
            ends = _along_rim(body, tip, places, rim) if len(found) == 1 else ()
        arms.append(Shape(tip, places.mean(0), float(len(places)), int(area), ends=ends))
    return arms
