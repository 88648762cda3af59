"""Background model of the table without hands, and foreground segmentation against it.

Small pictures are compared as logarithms of their colours. Lamps and exposure multiply all colours alike, which is
removed as a constant; a shadow darkens a place without changing its hue. Objects that lie still are absorbed after a
while; the background below them is kept, so that a hand that rests and leaves causes no ghost (two layers of Stauffer
and Grimson, Adaptive background mixture models for real-time tracking, 1999).
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.core.geometry import Image
from companion.vision.imaging.displacement import NOTABLE, is_displaced
from companion.vision.imaging.durations import ARM_PATIENCE, BEGINNING, HAND_PATIENCE, ONE_PLAY
from companion.vision.imaging.masks import LOGARITHMS, NEIGHBOURS, NOISES, OFFSET, Floats, Mask
from companion.vision.imaging.motion import SAME_COLOR

# Difference in hue that light alone does not explain; raised to `NOISES` times the noise between frames, as is
# `SAME_COLOR`, from which on pixels are foreground.
_OTHER_HUE = 0.11
# Log brightness that no highlight explains.
_BRIGHTER = 0.3
# Minimum unevenness of the light under a hand (standard deviation of logarithms) within a patch of this many pixels.
_UNEVEN, _PATCH = 0.12, 5
# Distance in small pixels beyond which noise is uncorrelated: pictures are smoothed over three pixels.
_APART = 3
# Minimum log difference between consecutive frames that counts as motion.
_MOVED = 0.07
MIN_MOVING_SHARE = 0.02
"""Minimum moving share of a component; otherwise it is an object that was laid down."""
# Noise of small pictures in grey levels: the red of a blue table changes by a fifth with it, which is no motion.
_GRAIN = 2
# Tolerance in grey levels, and share of pixels that may exceed it, for two pictures to count as identical.
_SAME, _SAME_SHARE = 9, 0.0015
# If edges along an outline are this much stronger in the background than in the picture, the object has left.
_GHOST = 1.5
# Maximum change of the light level to count as unchanged, and share of the picture that must support it: what a large
# shadow leaves lit has not become brighter.
_SAME_LIGHT, _SHOWS_LIGHT = 0.1, 0.2
# Seconds for which the camera must have been at rest until its displacement counts.
_RESTS_FOR = 0.3


@dataclass(frozen=True, eq=False)
class Foreground:
    """The foreground of a picture at a time (s): masks, each (h, w) uint8 of 0 and 1.

    mask: pixels that differ from the background. solid: the part that no shadow or highlight explains. moved: pixels
    that moved since the last frame. picture, background: (h, w, 3) float32 log BGR, the picture corrected for the
    light; do not keep references.
    """

    time: float
    mask: Mask
    solid: Mask
    moved: Mask
    picture: Floats
    background: Floats

    def moves(self, component: NDArray[np.bool_]) -> bool:
        """Whether a component is more than an object that was laid down."""
        return bool(self.moved[component].mean() > MIN_MOVING_SHARE)

    def has_vanished(self, component: NDArray[np.bool_]) -> bool:
        """Whether the outline of a component has edges in the background but not in the picture: an object has left."""
        outline = cv2.morphologyEx(component.astype(np.uint8), cv2.MORPH_GRADIENT, NEIGHBOURS) > 0
        if not outline.any():
            return False  # The component is the whole picture.
        now, before = (float(_edges(colors)[outline].mean()) for colors in (self.picture, self.background))
        return before / max(1e-6, now) > _GHOST


class BackgroundModel:
    """The table without hands. Call it for every frame; not thread-safe."""

    def __init__(self) -> None:
        self._last_levels: Image | None = None
        self.picture: Floats | None = None
        """The last picture with a change, (h, w, 3) log BGR corrected for the light; None before the first one."""
        self._light_change = np.zeros(3, np.float32)
        self._began = 0.0
        self._time = 0.0
        self._has_foreground = False
        self._noise = 0.0
        self._displaced_since = 0.0
        self.displaced = False
        """Whether the last picture showed the table displaced; the background was then reset."""

    @property
    def background(self) -> Floats | None:
        """The background, (h, w, 3) log BGR; None before the first picture."""
        return None if self.picture is None else self._background

    def _restart(self, picture: Floats, time: float) -> None:
        self._background = picture.copy()
        self._second_layer = picture.copy()
        self._still = np.zeros(picture.shape[:2], np.float32)
        self._mask = np.zeros(picture.shape[:2], np.uint8)
        self._began = self._time = self._displaced_since = time

    def segment(self, small: Image, time: float, ignored: Mask | None = None) -> Foreground | None:
        """Return the foreground of a small (h, w, 3) BGR uint8 picture; None if nothing changed since the last one.

        ignored: (h, w) uint8 mask of constant motion, which says nothing about the camera.
        """
        self.displaced = False
        small = np.asarray(cv2.blur(small, (3, 3)), np.uint8)
        if self._last_levels is not None and small.shape == self._last_levels.shape and not self._has_foreground:
            changed = int(np.count_nonzero(cv2.absdiff(small, self._last_levels) > _SAME))
            if changed <= _SAME_SHARE * small.size and time - self._time < HAND_PATIENCE:
                return None
        picture = np.asarray(cv2.LUT(small, LOGARITHMS), np.float32)
        if self.picture is None or self._last_levels is None or small.shape != self._last_levels.shape:
            self._last_levels, self.picture, self._light_change = small, picture, np.zeros(3, np.float32)
            self._restart(picture, time)
            return None
        light = self._light_change = _light_change(picture - self._background, self._light_change)
        picture = picture - light
        moved = self._moved(picture, np.asarray(cv2.absdiff(small, self._last_levels), np.uint8), time)
        mask, solid = self._compare(picture)
        self._last_levels, self.picture, self._mask = small, picture, mask
        self._elapsed, self._time = min(1.0, time - self._time), time
        self._has_foreground = bool(mask.any())
        self.displaced = self._is_displaced(solid, moved, time, ignored)
        if self.displaced:
            self._restart(picture, time)
            return None
        return Foreground(time, mask, solid, moved, picture, self._background)

    def update(self, attached: Mask) -> None:
        """Update the background where nothing moves or differs; attached: (h, w) mask of foreground at the border."""
        assert self.picture is not None
        picture, mask = self.picture, self._mask
        rate = 1 - np.exp(-self._elapsed / HAND_PATIENCE)
        cv2.accumulateWeighted(picture, self._background, float(rate), mask=(mask == 0).astype(np.uint8))
        if not self._has_foreground:
            return
        settled = (mask > 0) & (self._still > ONE_PLAY)
        # In the beginning it may be the ghost of an arm that was there, later a waiting arm.
        if self._time - self._began >= BEGINNING:
            settled &= (attached == 0) | (self._still > ARM_PATIENCE)
        if settled.any():
            self._second_layer[settled] = self._background[settled]
            self._background[settled] = picture[settled]
            self._still[settled] = 0

    def absorb(self, component: NDArray[np.bool_]) -> None:
        """Take a component of the foreground as background: a card that was laid, or where an object has left."""
        assert self.picture is not None
        self._second_layer[component] = self._background[component] = self.picture[component]

    def _moved(self, picture: Floats, levels: Image, time: float) -> Mask:
        """Return the mask of motion since the last frame. levels: (h, w, 3) uint8 tolerances."""
        assert self.picture is not None
        changes = np.asarray(cv2.absdiff(picture, self.picture), np.float32)
        noise = _frame_noise(picture, self.picture)
        self._noise += 0.1 * (min(noise, 0.1) - self._noise)
        changes[levels <= _GRAIN] = 0
        moved = _channel_maximum(changes) > max(_MOVED, NOISES * self._noise)
        self._still += np.float32(min(1.0, time - self._time))
        self._still[moved] = 0
        return moved.astype(np.uint8)

    def _compare(self, picture: Floats) -> tuple[Mask, Mask]:
        """Return the mask of the foreground, and of its solid part."""
        threshold = max(SAME_COLOR, NOISES * self._noise)
        change = np.asarray(cv2.subtract(picture, self._background), np.float32)
        least = np.minimum(*(_max_difference(picture, layer) for layer in (self._background, self._second_layer)))
        mask = np.asarray(cv2.medianBlur((least > threshold).astype(np.uint8), 3), np.uint8)
        if not mask.any():
            return mask, mask
        light = _mean(change)
        # For dark colours noise alone may explain the change.
        explained = _repeated(light), self._light_response(light)
        hue = np.minimum(*(_max_difference(change, by_light) for by_light in explained))
        other_hue = max(_OTHER_HUE, NOISES * self._noise)
        solid = ((hue > other_hue) | (light > _BRIGHTER)).astype(np.uint8)
        return mask, mask & (solid | self._uneven(light, mask))

    def _light_response(self, light: Floats) -> Floats:
        """Return the (h, w, 3) log change of the background for a mean one; dark colours respond less."""
        dark = np.asarray(cv2.exp(-self._background), np.float32)
        responds = np.maximum(1 - np.float32(OFFSET) * dark, np.finfo(np.float32).eps)
        share = np.asarray(cv2.divide(light, _mean(responds)), np.float32)
        return np.asarray(cv2.multiply(responds, _repeated(share)), np.float32)

    def _uneven(self, light: Floats, mask: Mask) -> Mask:
        """Return the mask of uneven light changes: a shadow preserves the table's texture."""
        size = (_PATCH, _PATCH)
        mean = cv2.boxFilter(light, -1, size)
        spread = np.asarray(cv2.sqrBoxFilter(light, -1, size) - mean * mean, np.float32)
        uneven = (spread > max(_UNEVEN, 3 * self._noise) ** 2).astype(np.uint8)
        # The edge of a shadow is uneven as well.
        inner = cv2.erode(mask, np.ones(size, np.uint8), borderType=cv2.BORDER_CONSTANT, borderValue=0)
        return uneven & np.asarray(inner, np.uint8)

    def _is_displaced(self, solid: Mask, moved: Mask, time: float, ignored: Mask | None) -> bool:
        """Whether the foreground is the table itself, displaced because the camera was knocked."""
        if ignored is not None:
            solid = solid & (1 - ignored)
        if moved.mean() > NOTABLE or not is_displaced(solid):
            self._displaced_since = time
        return time - self._displaced_since >= _RESTS_FOR


def _light_change(change: Floats, before: Floats) -> Floats:
    """Return (3,) the change of the light: the median of what keeps the one before, if that is enough, or of all."""
    sample = change[::4, ::4].reshape(-1, 3)
    same = np.abs(sample - before).max(axis=1) <= _SAME_LIGHT
    if np.count_nonzero(same) >= _SHOWS_LIGHT * len(sample):
        sample = sample[same]
    return np.asarray(np.median(sample, axis=0), np.float32)


def _frame_noise(picture: Floats, last: Floats) -> float:
    """Return the noise: the median change between frames that neighbours do not share, as in a passing shadow."""
    change = picture[::_APART, ::_APART] - last[::_APART, ::_APART]
    return float(np.median(_channel_maximum(np.abs(np.diff(change, axis=1)))) / np.sqrt(2))


def _channel_maximum(colors: Floats) -> Floats:
    """Return each pixel's maximum over three channels; ten times faster than numpy's `max`."""
    blue, green, red = cv2.split(colors)
    return np.asarray(cv2.max(cv2.max(blue, green), red), np.float32)


def _max_difference(one: Floats, other: Floats) -> Floats:
    """Return the (h, w) greatest difference of two pictures over three channels."""
    return _channel_maximum(np.asarray(cv2.absdiff(one, other), np.float32))


def _repeated(levels: Floats) -> Floats:
    return np.asarray(cv2.merge([levels, levels, levels]), np.float32)


def _mean(colors: Floats) -> Floats:
    return np.asarray(cv2.transform(colors, np.full((1, 3), 1 / 3, np.float32)), np.float32)


def _edges(colors: Floats) -> Floats:
    gray = _mean(colors)
    dx, dy = cv2.Sobel(gray, cv2.CV_32F, 1, 0), cv2.Sobel(gray, cv2.CV_32F, 0, 1)
    return np.asarray(cv2.magnitude(dx, dy), np.float32)
