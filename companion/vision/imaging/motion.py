"""Cheap tests on reduced pictures, so that the networks run only when needed: change, visible colours.

Pictures are compared by structure: luminance minus its local mean, divided by its local contrast. Lamps and exposure
control change brightness and contrast, but change this structure little (local contrast normalisation: Jarrett et al.,
What is the Best Multi-Stage Architecture for Object Recognition?, 2009).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from companion.vision.core.geometry import CARD_THUMBNAIL, Image, Quad, averaged
from companion.vision.imaging.masks import DARK, Floats, Mask, resized

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
    if a.shape != b.shape:
        return np.zeros(b.shape, np.uint8)
    return (cv2.absdiff(a.structure, b.structure) > _DIFFERENT).view(np.uint8)


def color_difference(a: Descriptor, b: Descriptor) -> Mask:
    """Return an (h, w) mask, 1 where colours differ by more than a global change of light, as `difference`."""
    if a.shape != b.shape:
        return np.zeros(b.shape, np.uint8)
    ratio = b.colors - a.colors
    ratio = ratio - np.median(ratio[::2, ::2], axis=(0, 1))
    return resized(np.asarray(np.abs(ratio).max(-1) > _TINTED, np.uint8), b.shape)
