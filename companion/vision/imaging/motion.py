"""Cheap tests on reduced pictures, so that the networks run only when needed: change, visible colours.

Pictures are compared by structure: luminance minus its local mean, divided by its local contrast. Lamps and exposure
control change brightness and contrast, but change this structure little (local contrast normalisation: Jarrett et al.,
What is the Best Multi-Stage Architecture for Object Recognition?, 2009).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.core.geometry import CARD_THUMBNAIL, Image, Quad, averaged
from companion.vision.imaging.durations import HAND_PATIENCE
from companion.vision.imaging.masks import DARK, Floats, Mask
from companion.vision.imaging.zone import Zone

MEDIUM_WIDTH = 320
"""Width in pixels of medium pictures, in which a card is about forty pixels long and its print a few."""

SAME_COLOR, OTHER_COLOR = 0.13, 0.2
"""Log ratio of two colours' channels up to which they may be one under noise, and from which they are not."""
# Neighbourhood in medium pixels for the local mean: about a card's border and field.
_NEIGHBOURHOOD = 15
# Contrast in grey levels below which structure is noise: six times that of a camera of 1280 pixels with sigma 6.
_FLOOR = 10.0
# Reduction factor from which resizing alone suppresses the noise; less reduced pictures are smoothed as well.
_SMOOTH_ENOUGH = 3
# Minimum difference in structure.
_DIFFERENT = 0.55
# Colours are compared at a resolution coarser by this factor, and differ from this log difference on.
_COARSE, _TINTED = 4, 0.25
# Minimum area of an arm across the zone's edge, in squares of a card's length: two fingertips.
_ARM = 0.03
# Distance from the border in medium pixels within which an object counts as entering.
_AT_BORDER = 2


@dataclass(frozen=True, eq=False)
class Descriptor:
    """Reduced representation of a frame for comparison.

    structure: (h, w) float32, about -3..3, all 0 if dark; w is `MEDIUM_WIDTH`. colors: (h / 4, w / 4, 3) float32 log
    BGR. time: the frame's time in seconds.
    """

    structure: Floats
    colors: Floats
    time: float

    @property
    def shape(self) -> tuple[int, ...]:
        """Height and width of the structure."""
        return self.structure.shape

    @property
    def is_dark(self) -> bool:
        """Whether the picture is too dark to be used."""
        return not self.structure.any()


def describe(image: Image, time: float) -> Descriptor:
    """Return the reduced representation of a (H, W, 3) BGR uint8 picture."""
    medium = averaged(image, MEDIUM_WIDTH)
    coarse = cv2.resize(medium, (MEDIUM_WIDTH // _COARSE, medium.shape[0] // _COARSE), interpolation=cv2.INTER_AREA)
    # The offset limits the noise of dark places.
    colors = np.log(coarse.astype(np.float32) + 12)
    gray = cv2.cvtColor(medium, cv2.COLOR_BGR2GRAY).astype(np.float32)
    if image.shape[1] < _SMOOTH_ENOUGH * MEDIUM_WIDTH:
        gray = np.asarray(cv2.blur(gray, (3, 3)), np.float32)
    return Descriptor(structure(gray) if gray.max() >= DARK else np.zeros_like(gray), colors, time)


def is_colorless(image: Image) -> bool:
    """Whether a (H, W, 3) BGR uint8 picture shows nothing but grey."""
    return _is_grey(averaged(image, MEDIUM_WIDTH).astype(np.float32))


def are_cards_colorless(image: Image, quads: Sequence[Quad]) -> bool:
    """Whether the cards at these outlines (4, 2) in a (H, W, 3) BGR uint8 picture are grey in any light."""
    size = np.array((image.shape[1], image.shape[0]))
    boxes = [np.clip([quad.min(axis=0), quad.max(axis=0) + 1], 0, size).astype(int) for quad in quads]
    parts = [image[top:bottom, left:right] for (left, top), (right, bottom) in boxes if left < right and top < bottom]
    if not parts:
        return False
    small = np.concatenate([averaged(part, CARD_THUMBNAIL[0]) for part in parts]).astype(np.float32)
    mean = np.maximum(small.mean(axis=2, keepdims=True), 1.0)
    lit = mean[..., 0] >= np.median(mean)
    cast = np.median((small / mean)[lit], axis=0)
    return _is_grey(np.minimum(small / np.maximum(cast, 1 / 255), 255.0))


def _is_grey(colors: Floats) -> bool:
    """Whether (H, W, 3) levels are grey: their chroma over their brightest parts is at least 0.2 for coloured cards."""
    return float(np.percentile(np.ptp(colors, axis=2), 99)) < SAME_COLOR * float(np.percentile(colors, 95))


def structure(gray: Floats) -> Floats:
    """Return a (H, W) grey medium picture minus its local mean, divided by its local contrast."""
    size = (_NEIGHBOURHOOD, _NEIGHBOURHOOD)
    # In place, as this dominates the cost of an idle frame.
    mean = np.asarray(cv2.boxFilter(gray, -1, size), np.float32)
    spread = np.asarray(cv2.sqrBoxFilter(gray, cv2.CV_32F, size), np.float32)
    spread -= mean * mean
    np.sqrt(np.maximum(spread, 0, out=spread), out=spread)
    spread += _FLOOR
    np.subtract(gray, mean, out=mean)
    mean /= spread
    return mean


def difference(a: Descriptor, b: Descriptor) -> Mask:
    """Return an (h, w) mask, 1 where structures differ; all 0 for pictures of different sizes."""
    return _structure_differs(a.structure, b.structure)


def _structure_differs(a: Floats, b: Floats) -> Mask:
    if a.shape != b.shape:
        return np.zeros(b.shape, np.uint8)
    return (cv2.absdiff(a, b) > _DIFFERENT).view(np.uint8)


def color_difference(a: Descriptor, b: Descriptor) -> Mask:
    """Return an (h, w) mask, 1 where colours differ by more than a global change of light, as `difference`."""
    if a.shape != b.shape:
        return np.zeros(b.shape, np.uint8)
    return _in_size(_colors_differ(a.colors, b.colors), b)


def _in_size(mask: Mask, picture: Descriptor) -> Mask:
    height, width = picture.shape
    return np.asarray(cv2.resize(mask, (width, height), interpolation=cv2.INTER_NEAREST), np.uint8)


def _colors_differ(a: Floats, b: Floats) -> Mask:
    ratio = b - a
    ratio = ratio - np.median(ratio[::2, ::2], axis=(0, 1))
    return np.asarray(np.abs(ratio).max(-1) > _TINTED, np.uint8)


class _Layers:
    """The latest appearance of each place that settled, and its usual one; differs: compares two pictures.

    The usual appearance is a place's majority by time settled (Boyer and Moore, MJRTY: A fast majority vote algorithm,
    1991): a hand that rests for long does not displace a table that was seen for longer, with whatever interruptions.
    """

    def __init__(self, differs: Callable[[Floats, Floats], Mask], first: Floats, time: float) -> None:
        self._differs, self.shape, self._time = differs, first.shape, time
        self._present = self._settled = self._usual = first
        # When the present appearance settles, and the seconds by which the usual one leads.
        self._settles_at = np.full(first.shape[:2], time)
        self._lead = np.zeros(first.shape[:2], np.float32)

    def learn(self, picture: Floats, time: float) -> None:
        """Process the next picture."""
        changed = self._differs(self._present, picture) > 0
        self._present = _where(changed, picture, self._present)
        self._settles_at[changed] = time + HAND_PATIENCE
        settled = time >= self._settles_at
        self._settled = _where(settled, self._present, self._settled)
        other = self._differs(self._usual, self._present) > 0
        elapsed, self._time = np.float32(time - self._time), time
        self._lead += np.where(other, -elapsed, elapsed) * settled
        self._usual = _where(self._lead < 0, self._present, self._usual)
        np.maximum(self._lead, 0, out=self._lead)

    def settle(self, picture: Floats, time: float) -> None:
        """Take a picture as settled; the usual appearance remains until another one has been seen for as long."""
        self._present = self._settled = picture
        self._settles_at[:] = time

    def foreground(self, picture: Floats) -> Mask:
        """Return the mask of pixels that match neither appearance."""
        return np.asarray(self._differs(self._settled, picture) & self._differs(self._usual, picture), np.uint8)


def _where(places: NDArray[np.bool_], one: Floats, other: Floats) -> Floats:
    return np.where(places if one.ndim == places.ndim else places[..., None], one, other)


class SettledBackground:
    """What lay still for `HAND_PATIENCE`, and what usually does, so that a hand that rests causes no ghost."""

    def __init__(self) -> None:
        self._layers: tuple[_Layers, _Layers] | None = None

    def learn(self, picture: Descriptor) -> None:
        """Process the next frame."""
        time, unlit = picture.time, _unlit(picture.colors)
        if self._layers is None or self._layers[0].shape != picture.structure.shape:
            self._layers = _Layers(_structure_differs, picture.structure, time), _Layers(_colors_differ, unlit, time)
        structures, colors = self._layers
        structures.learn(picture.structure, time)
        colors.learn(unlit, time)

    def settle(self, picture: Descriptor) -> None:
        """Take a picture that was learnt as settled: a moved camera's, or one full of arms that leave again."""
        assert self._layers is not None
        structures, colors = self._layers
        structures.settle(picture.structure, picture.time)
        colors.settle(_unlit(picture.colors), picture.time)

    def foreground(self, picture: Descriptor) -> Mask:
        """Return an (h, w) mask, 1 where the picture shows something other than the background; 0 before it."""
        if self._layers is None:
            return np.zeros(picture.shape, np.uint8)
        structures, colors = self._layers
        return structures.foreground(picture.structure) | _in_size(colors.foreground(picture.colors), picture)


def _unlit(colors: Floats) -> Floats:
    """Return log colours without the level of their light, so that an old lamp does not tint the background."""
    return np.asarray(colors - np.median(colors, axis=(0, 1)), np.float32)


def has_arm_at_edge(changed: Mask, window: tuple[slice, slice], length: float) -> bool:
    """Whether an object crosses the edge of a window as an arm does, no card. length: of a card, medium pixels."""
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
    least = min_arm_area(length)
    inside = np.bincount(labels[within].ravel(), minlength=count)
    outside = np.bincount(labels.ravel(), minlength=count) - inside
    across = (inside >= least) & (outside >= max(3, least // 4))
    return any(not _may_be_a_card(labels == label, length) for label in np.flatnonzero(across[1:]) + 1)


def min_arm_area(length: float) -> int:
    """Return the minimum area in medium pixels of an arm inside a window; a quarter of it must be outside."""
    return max(1, int(_ARM * length**2))


def _may_be_a_card(where: NDArray[np.bool_], length: float) -> bool:
    """Whether an object ends within the picture and is no larger than an untidy pile of cards of this length."""
    points = cv2.findNonZero(where.astype(np.uint8))
    x, y, width, height = cv2.boundingRect(points)
    distance = min(x, y, where.shape[1] - x - width, where.shape[0] - y - height)
    if distance < _AT_BORDER:
        return False
    _, sides, _ = cv2.minAreaRect(points)
    return bool(max(sides) <= Zone.REACH * length and min(sides) <= length)
