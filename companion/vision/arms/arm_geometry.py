"""Shapes of arms: the tip of each in what differs from the table, and where it crosses the picture's rim.

All is measured in small pixels, of the size at which pictures are compared.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.arms.frame_border import Point, Rim, behind, ways_from
from companion.vision.imaging.motion import Floats, Mask

# Width at the rim, over the picture's, from which a component is more than an arm: a body, or a shadow beside it. Seen
# near, a hand is wider: with its thumb spread it is a card's length and a quarter, and more where it comes in aslant.
_WIDE, _HAND = 0.2, 1.7
# Fewest small pixels of a component, and how far it must reach in, in small pixels.
LEAST_AREA, _LEAST_REACH = 14, 5.0
# Share of a component that must be more than a shadow, or all of it counts when its tip is looked for.
_SOLID = 0.15
# Of a component's pixels so many, the farthest ones, make its tip, so that noise at its edge does not.
_TIP_PIXELS = 8
# How far before the farthest one a finger may end, and how many pixels of it are seen at least.
_FINGERS_DIFFER, _FINGER_PIXELS = 12.0, 3
# A pixel and its four neighbours.
CROSS = np.asarray(cv2.getStructuringElement(cv2.MORPH_CROSS, (3, 3)), np.uint8)


@dataclass(frozen=True, eq=False)
class Shape:
    """An arm in small pixels: its tip, where it crosses the rim and how wide, its area, whether it was by itself.

    firm: the share of what hangs together there that is more than a shadow. ends: of its fingers, where several reach
    about as far as the tip, which may lie between them. colors: the shares of colours at the tip, None where not known.
    """

    tip: Point
    rim: Point | None
    width: float
    area: int
    single: bool = False
    firm: float = 1.0
    ends: tuple[Point, ...] = ()
    colors: Floats | None = None

    @property
    def reach(self) -> float:
        """How far it reaches in, 0 where it does not cross the rim."""
        return 0.0 if self.rim is None else float(np.hypot(*(self.tip - self.rim)))


def widest(picture: int, length: float) -> float:
    """Return how wide an arm is at most where it crosses the rim, for the picture's width and a card's length."""
    return max(_WIDE * picture, _HAND * length)


def body_of(part: NDArray[np.bool_], solid: Mask) -> Point:
    """Return the (N, 2) pixels of a component that are no shadow, or all where there are few of those.

    solid: (h, w) uint8, 1 where more than a shadow is.
    """
    firm = part & (solid > 0)
    if np.count_nonzero(firm) < max(4, _SOLID * np.count_nonzero(part)):
        firm = part
    ys, xs = np.nonzero(firm)
    return np.column_stack([xs, ys]).astype(np.float64)


def single(body: Point, places: NDArray[np.generic]) -> list[Shape]:
    """Return the arm that crosses the rim at these places alone."""
    rim = places.mean(0)
    tip = farthest(body, rim)
    if float(np.hypot(*(tip - rim))) < _LEAST_REACH:
        return []
    return [Shape(tip, rim, float(len(places)), len(body), single=True, ends=_ends(body, rim))]


def farthest(points: Point, place: Point) -> Point:
    """Return the mean of those of the points that are farthest from a place."""
    return _last(points, np.hypot(*(points - place).T))


def _ends(body: Point, rim: Point) -> tuple[Point, ...]:
    """Return where an arm's fingers end, none where they are seen as one."""
    away = np.hypot(*(body - rim).T)
    far = away >= away.max() - _FINGERS_DIFFER
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
    return tuple(_last(body[far][one], away[one]) for one in fingers if np.count_nonzero(one) >= _FINGER_PIXELS)


def _along_rim(body: Point, tip: Point, places: NDArray[np.intp], rim: Rim) -> tuple[Point, ...]:
    """Return the tip and other ends of an arm that comes in along the rim: what is farthest from where it may come.

    Of a hand that reaches along the rim the thumb may be farther in than the fingers.
    """
    others = [farthest(body, place) for place in (places[0], places[-1])]
    ends = [end for end in others if float(np.hypot(*(rim.points - end).T).min()) >= _LEAST_REACH]
    ends = [end for end in ends if float(np.hypot(*(end - tip))) > _FINGERS_DIFFER]
    return (tip, *ends) if ends else ()


def from_way(points: Point, start: Point, end: Point) -> NDArray[np.float64]:
    """Return (N,) how far points are from an arm's way from one place to another, which goes on beyond its end."""
    way = (end - start) / max(1e-6, float(np.hypot(*(end - start))))
    along = np.maximum((points - start) @ way, 0.0)
    return np.asarray(np.hypot(*(points - start - along[:, None] * way).T), np.float64)


def _last(points: Point, away: NDArray[np.floating]) -> Point:
    count = min(_TIP_PIXELS, len(points))
    return np.asarray(points[np.argpartition(away, -count)[-count:]].mean(0), np.float64)


def divided(part: NDArray[np.bool_], body: Point, runs: list[NDArray[np.intp]], rim: Rim, wide: float) -> list[Shape]:
    """Return the arms of a component that crosses the rim in several places, or in one over `wide` as a body does.

    Each pixel belongs to the crossing to which the way within the component is shortest; an arm comes from that part
    of its crossing that is nearest to its tip on that way. Where one's tip is no end but lies at another's border, both
    are one arm, as of a hand whose thumb sticks out of the picture.
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
        # Two hands meet, or there is no reach at all: the deepest one counts.
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
            places = behind(part, tip, places)
        if len(places):
            arms.append(Shape(tip, places.mean(0), float(len(places)), int(area), ends=ends))
    return arms
