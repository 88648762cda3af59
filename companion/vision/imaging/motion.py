"""What moves and what has changed, told cheaply from small pictures, so that the networks run only when it matters.

Pictures are compared by their structure: luminance less its local mean, over its local contrast. Switching a lamp or a
camera's exposure control changes brightness and contrast but hardly this (local contrast normalisation: Jarrett et al.,
What is the Best Multi-Stage Architecture for Object Recognition?, 2009).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.core.geometry import Image, Quad, averaged

Floats = NDArray[np.float32]
Mask = NDArray[np.uint8]

WIDTH = 320
"""Width in pixels at which pictures are compared: a card is some forty pixels long then, its print a few."""

# The neighbourhood, in small pixels, against which a place is bright or dark: about a card's border and its field.
_NEIGHBOURHOOD = 15
# Grey levels of contrast under which structure is taken for noise: some six times what noise of sigma 6 leaves of
# itself in a picture of 1280 pixels' width that is reduced to a quarter.
_FLOOR = 10.0
# How much a picture must be reduced for that alone to quieten its noise, to a third; smaller ones are smoothed besides.
_SMOOTH_ENOUGH = 3
# Difference in structure from which a place counts as different; noise of sigma 6 at full size stays well under it.
_DIFFERENT = 0.55
# Colours are compared more coarsely, by this factor, as a card's field is ten times as wide, and count as different
# from this difference of logarithms on, a channel that is a quarter brighter or darker beside the others.
_COARSE = 4
_TINTED = 0.25
# Area, in squares of a card's length, from which something that lies across the zone's edge can be an arm: two fingers'
# ends of 8 mm by 15 mm, where cards are 87 mm long.
_ARM = 0.03
# How far from the picture's rim, in small pixels, a thing ends that does not come in over it. And how long and wide, in
# lengths of a card, a pile of cards may seem that is not stacked neatly: of what lay across the zone's edge in 12
# simulated matches, 698 of 976 draw piles and 4 of 1641 arms were no larger and ended within the picture.
_AT_RIM, _CARD_LONG, _CARD_WIDE = 2, 1.25, 0.9
# Brightest grey level, an eighth of white, under which nothing can be told, as with the lights out or the lens covered.
_DARK = 32.0


@dataclass(frozen=True, eq=False)
class Glance:
    """What is kept of a frame to compare it with others.

    structure: (h, WIDTH) float32, about -3..3, all 0 where it is dark. colors: (h / 4, WIDTH / 4, 3) float32 logarithms
    of BGR. time: the frame's, in seconds.
    """

    structure: Floats
    colors: Floats
    time: float

    @property
    def is_dark(self) -> bool:
        """Whether the picture is too dark to tell anything from."""
        return not self.structure.any()


def glance(image: Image, time: float) -> Glance:
    """Return what is to be kept of a (H, W, 3) BGR uint8 picture."""
    small = averaged(image, WIDTH)
    coarse = cv2.resize(small, (WIDTH // _COARSE, small.shape[0] // _COARSE), interpolation=cv2.INTER_AREA)
    # The offset keeps the noise of dark places from looking like a change of colour.
    colors = np.log(coarse.astype(np.float32) + 12)
    gray = cv2.cvtColor(small, cv2.COLOR_BGR2GRAY).astype(np.float32)
    if image.shape[1] < _SMOOTH_ENOUGH * WIDTH:
        gray = np.asarray(cv2.blur(gray, (3, 3)), np.float32)
    if float(gray.max()) < _DARK:
        return Glance(np.zeros_like(gray), colors, time)
    return Glance(structure(gray, _NEIGHBOURHOOD, _FLOOR), colors, time)


def structure(gray: Floats, neighbourhood: int, floor: float) -> Floats:
    """Return a (H, W) grey picture less its local mean, over its local contrast.

    neighbourhood: side in pixels of what a place is held against. floor: grey levels of contrast, less being noise.
    """
    size = (neighbourhood, neighbourhood)
    # In place, as this is most of what a frame costs that shows nothing.
    mean = np.asarray(cv2.boxFilter(gray, -1, size), np.float32)
    spread = np.asarray(cv2.sqrBoxFilter(gray, cv2.CV_32F, size), np.float32)
    spread -= mean * mean
    np.sqrt(np.maximum(spread, 0, out=spread), out=spread)
    spread += floor
    np.subtract(gray, mean, out=mean)
    mean /= spread
    return mean


def difference(a: Glance, b: Glance) -> Mask:
    """Return an (h, WIDTH) mask, 1 where structures differ; all 0 where the pictures are not of one size."""
    return _differs(a.structure, b.structure)


def _differs(a: Floats, b: Floats) -> Mask:
    if a.shape != b.shape:
        return np.zeros(b.shape, np.uint8)
    return (cv2.absdiff(a, b) > _DIFFERENT).view(np.uint8)


def tinted(a: Floats, b: Floats, shape: tuple[int, ...]) -> Mask:
    """Return a mask of this shape, 1 where two pictures' colours differ by more than the light in all of them."""
    if a.shape != b.shape:
        return np.zeros(shape[:2], np.uint8)
    return _in_size(_is_tinted(a, b), shape)


def _in_size(mask: Mask, shape: tuple[int, ...]) -> Mask:
    return np.asarray(cv2.resize(mask, (shape[1], shape[0]), interpolation=cv2.INTER_NEAREST), np.uint8)


def _is_tinted(a: Floats, b: Floats) -> Mask:
    ratio = b - a
    ratio = ratio - np.median(ratio[::2, ::2], axis=(0, 1))
    return np.asarray(np.abs(ratio).max(-1) > _TINTED, np.uint8)


class _Layers:
    """The table as it is, and what has lain longest, place by place: what it was before a hand came to rest there.

    differs: tells where two of its pictures differ.
    """

    # For so many medians, half a minute, what has lain there must have gone for something else to be what lay longest.
    LONGEST = 60

    def __init__(self, differs: Callable[[Floats, Floats], Mask]) -> None:
        self._differs = differs
        self._top: Floats | None = None
        # What each place looked like when it last changed, and for how many medians it has not.
        self._since: Floats = np.zeros(0, np.float32)
        self._lasted: NDArray[np.int32] = np.zeros(0, np.int32)
        # The same of what has not changed for longest.
        self._before: Floats = np.zeros(0, np.float32)
        self._longest: NDArray[np.int32] = np.zeros(0, np.int32)

    def learn(self, median: Floats) -> None:
        """Take in what the table looks like now."""
        if self._top is None:
            self._since = self._before = median
            self._lasted = self._longest = np.zeros(median.shape[:2], np.int32)
        self._top = median
        changed = self._differs(self._since, median) > 0
        self._since = _where(changed, median, self._since)
        self._lasted = np.where(changed, 0, np.minimum(self._lasted + 1, self.LONGEST))
        longer = self._lasted >= self._longest
        self._before = _where(longer, self._since, self._before)
        self._longest = np.where(longer, self._lasted, self._longest)

    def foreign(self, picture: Floats) -> Mask:
        """Return where a picture is neither, as 1; nowhere while nothing is known."""
        if self._top is None:
            return np.zeros(picture.shape[:2], np.uint8)
        return np.asarray(self._differs(self._top, picture) & self._differs(self._before, picture), np.uint8)


def _where(places: NDArray[np.bool_], one: Floats, other: Floats) -> Floats:
    return np.where(places if one.ndim == places.ndim else places[..., None], one, other)


class Background:
    """What the table looks like without what comes and goes: the median of glances over some seconds.

    Whatever stays for longer than half of that becomes part of the table; what lay there for longest is part of it,
    too, so that a hand that rests and then goes leaves no ghost.
    """

    # Samples are few because the median is taken anew for each, and far enough apart that half of them outlast a hand
    # of two seconds.
    SAMPLES = 9
    SECONDS_APART = 0.5

    def __init__(self) -> None:
        self._samples: list[Glance] = []
        self._structure, self._colors = _Layers(_differs), _Layers(_is_tinted)

    def learn(self, picture: Glance) -> None:
        """Take in a frame, where enough time has passed since the last that was taken in."""
        if self._samples and self._samples[-1].structure.shape != picture.structure.shape:
            self.forget()
        if self._samples and picture.time - self._samples[-1].time < self.SECONDS_APART:
            return
        # Each sample without its own light, or the hour's first lamp would tint the table for seconds.
        light = np.asarray(np.median(picture.colors, axis=(0, 1)), np.float32)
        unlit = replace(picture, colors=picture.colors - light)
        self._samples = [*self._samples[1 - self.SAMPLES :], unlit]
        self._structure.learn(median_of([sample.structure for sample in self._samples]))
        self._colors.learn(median_of([sample.colors for sample in self._samples]))

    def forget(self) -> None:
        """Begin anew, as after the camera was moved."""
        self._samples = []
        self._structure, self._colors = _Layers(_differs), _Layers(_is_tinted)

    def foreign(self, picture: Glance) -> Mask:
        """Return an (h, WIDTH) mask, 1 where something is seen that is not part of the table."""
        tint = _in_size(self._colors.foreign(picture.colors), picture.structure.shape)
        return self._structure.foreign(picture.structure) | tint


def median_of(pictures: Sequence[Floats]) -> Floats:
    """Return the median of each place over a few pictures of one shape.

    The least places are bubbled to the front as far as the middle, whole pictures at a time: numpy, which sorts place
    by place, takes many times as long.
    """
    ranked = list(pictures)
    low, high = (len(ranked) - 1) // 2, len(ranked) // 2
    for rank in range(high + 1):
        for i in range(len(ranked) - 1, rank, -1):
            ranked[i - 1], ranked[i] = np.minimum(ranked[i - 1], ranked[i]), np.maximum(ranked[i - 1], ranked[i])
    return np.asarray((ranked[low] + ranked[high]) / 2, np.float32)


@dataclass(frozen=True)
class Zone:
    """Where the pile is looked for: a square about (x, y) for cards of `length`, all in pixels of the full picture."""

    x: float
    y: float
    length: float

    # In lengths of a card: how far a card may land from the pile's middle and still lie in the zone as a whole, and the
    # part of the picture that the networks are shown, in which such a card has some table about it.
    REACH = 1.3
    VIEW = 1.6

    def window(self, width: int, height: int, reach: float = REACH) -> tuple[slice, slice]:
        """Return the zone's rows and columns in a picture of this size."""
        half = reach * self.length
        x0, x1 = (int(np.clip(self.x + side * half, 0, width)) for side in (-1, 1))
        y0, y1 = (int(np.clip(self.y + side * half, 0, height)) for side in (-1, 1))
        return slice(y0, max(y0 + 1, y1)), slice(x0, max(x0 + 1, x1))

    def holds(self, quad: Quad) -> bool:
        """Whether the middle of an outline lies in the zone, so that it can belong to the pile."""
        x, y = quad.mean(0)
        return bool(max(abs(x - self.x), abs(y - self.y)) <= self.REACH * self.length)


def length_of(quad: Quad) -> float:
    """Return about how long a card with this outline is, in pixels, however it is seen."""
    sides = np.hypot(*(quad - np.roll(quad, 1, axis=0)).T)
    return float(max(sides[0] + sides[2], sides[1] + sides[3]) / 2)


def disc(across: float) -> Mask:
    """Return a disc so many pixels across, three at least: a neighbourhood for morphology."""
    size = max(3, round(across))
    return np.asarray(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size)), np.uint8)


def filled(quad: Quad, shape: tuple[int, ...], scale: float, shrink: float = 0.0) -> Mask:
    """Return an (h, w) mask, 1 inside the outline of a full picture that `scale` takes to the small one.

    `shrink` draws the outline in by that share of its size, to leave its edge out.
    """
    center = quad.mean(0)
    corners = (center + (quad - center) * (1 - shrink)) * scale
    mask = np.zeros(shape[:2], np.uint8)
    cv2.fillConvexPoly(mask, np.round(corners * 16).astype(np.int32), 1, shift=4)
    return mask


def share(mask: Mask, where: Mask) -> tuple[float, int]:
    """Return the part of `where` that `mask` covers, and the area of `where` in small pixels."""
    area = int(np.count_nonzero(where))
    return (float(np.count_nonzero(mask & where)) / area if area else 0.0), area


def reaches_in(changed: Mask, window: tuple[slice, slice], length: float) -> bool:
    """Whether something new lies across the edge of a window, as an arm does and a card on the pile does not.

    length: of a card, in small pixels. A card beside the pile may lie across that edge as well: what ends within the
    picture and is no larger is none, as a draw pile that has lost its top.
    """
    closed = cv2.morphologyEx(changed, cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8))
    count, labels = cv2.connectedComponents(closed, connectivity=8)
    if count < 2:
        return False
    rows, columns = window
    height, width = changed.shape
    within = (
        slice(max(2, rows.start), min(height - 2, rows.stop)),
        slice(max(2, columns.start), min(width - 2, columns.stop)),
    )
    least = least_of_arm(length)
    inside = np.bincount(labels[within].ravel(), minlength=count)
    outside = np.bincount(labels.ravel(), minlength=count) - inside
    across = (inside >= least) & (outside >= max(3, least // 4))
    return any(not _may_be_a_card(labels == label, length) for label in np.flatnonzero(across[1:]) + 1)


def least_of_arm(length: float) -> int:
    """Return how many small pixels of an arm lie in a window at least; a quarter of it outside, or at the rim."""
    return max(1, int(_ARM * length**2))


def _may_be_a_card(where: NDArray[np.bool_], length: float) -> bool:
    """Whether what lies there ends within the picture and is no larger than a card of this length."""
    x, y, width, height = cv2.boundingRect(where.astype(np.uint8))
    rim = min(x, y, where.shape[1] - x - width, where.shape[0] - y - height)
    if rim < _AT_RIM:
        return False
    _, sides, _ = cv2.minAreaRect(cv2.findNonZero(where.astype(np.uint8)))
    return bool(max(sides) <= _CARD_LONG * length and min(sides) <= _CARD_WIDE * length)
