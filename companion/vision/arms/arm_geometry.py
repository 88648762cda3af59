"""Geometry of arms in the foreground mask, in small pixels: tips, border crossings, separation of joined arms."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.arms.frame_border import Crossing, FrameBorder, Point, geodesic_distances
from companion.vision.arms.hand_color import LEAST_AREA
from companion.vision.imaging.masks import Floats, Mask

MAX_WIDTH_SHARE = 0.2
"""Maximum width of an arm's crossing, and depth of cards held in view, over the picture's width."""
# The same in card lengths, if that is more: a spread hand close to the camera, at an angle.
_HAND_WIDTH = 1.7
# Minimum reach of an arm in small pixels.
_MIN_REACH = 5.0
# Number of the farthest pixels averaged for the tip, which suppresses noise.
_TIP_PIXELS = 8
FINGER_LENGTH = 12.0
"""Length of a finger in small pixels: others may end so much before the farthest one."""
MIN_KEPT_SHARE = 0.6
"""Minimum share of its area a hand keeps between frames; otherwise it left, and a card it released remains."""


@dataclass(frozen=True, eq=False)
class ArmShape:
    """An arm in one picture, in its pixels and square pixels.

    tip: (2,) the farthest end. crossing: (2,) centre of where it crosses the border, None without one; width: of the
    crossing. area: what is visible. separate: whether no other arm is joined with it. solid_share: share of it that is
    more than shadow. fingertips: (2,) each, if several reach about as far as the tip, which may lie between them.
    colors: colour histogram at the tip, None if unknown.
    """

    tip: Point
    crossing: Point | None
    width: float
    area: float
    separate: bool = False
    solid_share: float = 1.0
    fingertips: tuple[Point, ...] = ()
    colors: Floats | None = None

    @property
    def reach(self) -> float:
        """Distance from border to tip in pixels, 0 without a crossing."""
        return 0.0 if self.crossing is None else float(np.hypot(*(self.tip - self.crossing)))


def max_arm_width(picture: int, length: float) -> float:
    """Return the maximum width of an arm at the border for a picture width and card length."""
    return max(MAX_WIDTH_SHARE * picture, _HAND_WIDTH * length)


def solid_pixels(component: NDArray[np.bool_], solid: Mask) -> Point:
    """Return the (N, 2) pixels of a component that are solid, more than shadow, or all if almost none are."""
    chosen = component & (solid > 0)
    if np.count_nonzero(chosen) < 4:
        chosen = component
    ys, xs = np.nonzero(chosen)
    return np.column_stack([xs, ys]).astype(np.float64)


def single_arm(pixels: Point, border_pixels: NDArray[np.generic]) -> list[ArmShape]:
    """Return the arm of a component with these pixels, which crosses the border here only; none if it is short."""
    crossing = border_pixels.mean(0)
    tip = farthest(pixels, crossing)
    if float(np.hypot(*(tip - crossing))) < _MIN_REACH:
        return []
    fingertips = _fingertips(pixels, crossing)
    return [ArmShape(tip, crossing, float(len(border_pixels)), len(pixels), separate=True, fingertips=fingertips)]


def farthest(points: Point, place: Point) -> Point:
    """Return the mean of the points farthest from a place."""
    return _mean_of_farthest(points, np.hypot(*(points - place).T))


def _fingertips(pixels: Point, crossing: Point) -> tuple[Point, ...]:
    """Return an arm's fingertips, empty if they are not separate."""
    away = np.hypot(*(pixels - crossing).T)
    far = away >= away.max() - FINGER_LENGTH
    places, away = pixels[far].astype(int), away[far]
    left, top = places.min(0)
    mask = np.zeros((int(places[:, 1].max()) - top + 1, int(places[:, 0].max()) - left + 1), np.uint8)
    x, y = (places - (left, top)).T
    mask[y, x] = 1
    count, labels = cv2.connectedComponents(mask, connectivity=8)
    if count <= 2:
        return ()
    own = labels[y, x]
    fingers = [own == number for number in range(1, count)]
    return tuple(_mean_of_farthest(pixels[far][finger], away[finger]) for finger in fingers)


def _ends_along_border(pixels: Point, tip: Point, crossing: NDArray[np.intp], border: FrameBorder) -> tuple[Point, ...]:
    """Return tip and fingertips of an arm along the border, farthest from its possible entries; empty if one."""
    others = [farthest(pixels, place) for place in (crossing[0], crossing[-1])]
    ends = [end for end in others if float(np.hypot(*(border.points - end).T).min()) >= _MIN_REACH]
    ends = [end for end in ends if float(np.hypot(*(end - tip))) > FINGER_LENGTH]
    return (tip, *ends) if ends else ()


def distances_from_path(points: Point, start: Point, end: Point) -> NDArray[np.float64]:
    """Return (N,) distances of points from an arm's path between two places, extended beyond its end."""
    direction = (end - start) / max(1e-6, float(np.hypot(*(end - start))))
    along = np.maximum((points - start) @ direction, 0.0)
    return np.asarray(np.hypot(*(points - start - along[:, None] * direction).T), np.float64)


def _mean_of_farthest(points: Point, away: NDArray[np.floating]) -> Point:
    count = min(_TIP_PIXELS, len(points))
    return np.asarray(points[np.argpartition(away, -count)[-count:]].mean(0), np.float64)


def split_arms(
    component: NDArray[np.bool_], pixels: Point, crossings: list[Crossing], border: FrameBorder, max_width: float
) -> list[ArmShape]:
    """Return the arms of a component with several crossings, or one wider than `max_width` such as a body.

    Each pixel belongs to the crossing with the shortest path inside the component. If a tip lies on the boundary to
    another arm instead of at an end, both are one arm, such as a hand with its thumb outside the picture.
    """
    paths = np.stack([geodesic_distances(component, border.points[run]) for run in crossings])
    owner = paths.argmin(0)
    xs, ys = pixels.astype(int).T
    length = paths.min(0)[ys, xs]  # Of the shortest path to any crossing.
    own_arms: list[tuple[int, Point, float]] = []
    joined: list[int] = []
    for number in range(len(crossings)):
        own = (owner[ys, xs] == number) & np.isfinite(length)
        if np.count_nonzero(own) < LEAST_AREA or float(length[own].max()) < _MIN_REACH:
            joined.append(number)
            continue
        tip = _mean_of_farthest(pixels[own], length[own])
        x, y = np.round(tip).astype(int)
        window = owner[max(0, y - 3) : y + 4, max(0, x - 3) : x + 4]
        inside = component[max(0, y - 3) : y + 4, max(0, x - 3) : x + 4]
        if (window[inside] != number).any():
            joined.append(number)
        else:
            own_arms.append((number, tip, float(np.count_nonzero(own))))
    if not own_arms and joined:
        # If two hands meet or there is no reach, the deepest point counts.
        tip = _mean_of_farthest(pixels, np.where(np.isfinite(length), length, 0))
        if float(length[np.isfinite(length)].max(initial=0)) < _MIN_REACH:
            return []
        own_arms = [(int(owner[tuple(np.round(tip).astype(int)[::-1])]), tip, float(len(pixels)))]
        joined = [number for number in joined if number != own_arms[0][0]]
    arms = []
    for number, tip, area in own_arms:
        same = [number, *joined] if len(own_arms) == 1 else [number]
        longest = max(same, key=lambda i: len(crossings[i]))
        crossing, fingertips = border.points[crossings[longest]], tuple[Point, ...]()
        if len(crossing) > max_width:
            fingertips = _ends_along_border(pixels, tip, crossing, border) if len(own_arms) == 1 else ()
        arms.append(ArmShape(tip, crossing.mean(0), float(len(crossing)), int(area), fingertips=fingertips))
    return arms
