"""Takes a camera's swaying off its frames: on books or a bent arm it swings when somebody leans on the table.

Swaying is a shift that all of the picture shares. It is found by phase correlation (Kuglin and Hines, The phase
correlation image alignment method, 1975) with a frame from before, and believed only where the picture then fits that
frame nearly everywhere; hands, cards and lamps change pictures in other ways.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TypeVar, cast

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.capture.frames import SMALL, Frame
from companion.vision.core.geometry import Image
from companion.vision.imaging.motion import structure

Floats = NDArray[np.float32]
Picture = TypeVar("Picture", Image, Floats)

# A shift is found in small pictures to a twentieth of a pixel.
# Parts of the picture, so many by so many; the mean grey levels by which one must differ to be worth a closer look, and
# the mean structure, to have changed. Swaying changes at least so many of them, an arm three to seven.
_PARTS, _DIFFERS, _CHANGED, _FEWEST = 4, 0.8, 0.05, 8
# The neighbourhood, in small pixels, and the grey levels of contrast, against which structure is told from light.
_NEIGHBOURHOOD, _FLOOR = 9, 8.0
# Small pixels: shifts under the one are noise, over the other the camera was turned elsewhere.
_LEAST, _MOST = 0.2, 12.0
# What is left of a part's difference where the shift explains it, and the share of the changed parts in which it must;
# by how much more one may differ than before, and in how many that is the hand that moves meanwhile.
_EXPLAINED, _MOST_PARTS, _WORSE, _IN_FEW = 0.7, 0.6, 0.03, 1
# Share in which the shift that stood must still do: the arms of people who go on playing after a push hide many parts.
_HELD_PARTS = 0.4
# Seconds between the frames that others are held against, while nothing sways; after which a shift that stays is where
# the camera now stands; and between frames that are pictures by themselves.
_REFRESH, _STAYS, _SPARSE = 1.0, 1.5, 0.5
SHAKES = _STAYS + 0.5
"""Seconds before a camera is said to stand elsewhere in which it was pushed there."""
# A shift that stays is taken off while hands are there, and for so long (s) after the last one, so that who lays a card
# is not lost; but no longer than the other (s), as a hand may rest there.
_CALM, _LONGEST = 1.0, 6.0
# Small pixels by which a shift may differ from the one before and be said to stay.
_SAME_SHIFT = 0.3


class Steadier:
    """Shifts frames back to where the camera stood. Feed it every frame; it is not to be shared between threads."""

    def __init__(self) -> None:
        self._anchor: Floats | None = None
        self._anchored = self._last = -np.inf
        self._shift: tuple[float, float] = (0.0, 0.0)
        self._shifted_since = 0.0
        self._swayed = self._busy = -np.inf
        self.moved = False
        """Whether with the last frame a shift had lasted so long that the camera stands there now."""

    def take(self, frame: Frame, busy: bool = False) -> Frame:
        """Return the frame as the camera would have shown it had it not swayed; mostly the frame itself.

        busy: whether hands were there just before.
        """
        self.moved = False
        self._busy = frame.time if busy else self._busy
        small = cv2.cvtColor(frame.small, cv2.COLOR_BGR2GRAY).astype(np.float32)
        gap, self._last = frame.time - self._last, frame.time
        if self._anchor is None or self._anchor.shape != small.shape or gap >= _SPARSE:
            return self._anchored_at(small, frame)
        shift = _shift(self._anchor, small, self._shift)
        if shift is None:
            self._shift = (0.0, 0.0)
            calm = frame.time - max(self._anchored, self._swayed) >= _REFRESH
            return self._anchored_at(small, frame) if calm else frame
        self._swayed = frame.time
        if np.hypot(shift[0] - self._shift[0], shift[1] - self._shift[1]) > _SAME_SHIFT:
            self._shift, self._shifted_since = shift, frame.time
        elif self._stays(frame.time):
            self.moved = True
            return self._anchored_at(small, frame)
        scale = frame.image.shape[1] / SMALL
        return replace(frame, image=np.asarray(_shifted(frame.image, shift[0] * scale, shift[1] * scale), np.uint8))

    def _stays(self, time: float) -> bool:
        """Whether a shift has lasted so long, and nobody is at work, that the camera is to be said to stand there."""
        lasted = time - self._shifted_since
        return lasted >= _STAYS and (time - self._busy >= _CALM or lasted >= _LONGEST)

    def _anchored_at(self, small: Floats, frame: Frame) -> Frame:
        self._anchor, self._anchored, self._shift = small, frame.time, (0.0, 0.0)
        return frame


def _shift(before: Floats, now: Floats, last: tuple[float, float]) -> tuple[float, float] | None:
    """Return by how many small pixels, right and down, all of a grey picture has moved; None where it has not.

    last: what it had moved by just before, (0, 0) where it had not.
    """
    if np.count_nonzero(_by_parts(before, now) > _DIFFERS) < _FEWEST:
        return None
    before, now = (structure(gray, _NEIGHBOURHOOD, _FLOOR) for gray in (before, now))
    differs = _by_parts(before, now)
    changed = differs > _CHANGED
    if np.count_nonzero(changed) < _FEWEST:
        return None
    # It writes into what it is given.
    (x, y), _ = cv2.phaseCorrelate(before.copy(), now.copy(), _window(*now.shape))
    best: tuple[float, float] | None = None
    most = 0
    # Where both explain as much it is the one that stood: now these and now those parts are hidden.
    for shift, share in ((last, _HELD_PARTS), ((float(x), float(y)), _MOST_PARTS)):
        if _LEAST <= np.hypot(*shift) <= _MOST:
            left = _by_parts(before, _shifted(now, *shift))
            explained = int(np.count_nonzero(changed & (left < _EXPLAINED * differs)))
            enough = explained >= share * np.count_nonzero(changed)
            if enough and explained > most and np.count_nonzero(left > differs + _WORSE) <= _IN_FEW:
                best, most = shift, explained
    return best


def _by_parts(one: Floats, other: Floats) -> Floats:
    """Return (_PARTS, _PARTS) mean differences in grey levels."""
    return np.asarray(cv2.resize(cv2.absdiff(one, other), (_PARTS, _PARTS), interpolation=cv2.INTER_AREA), np.float32)


def _shifted(image: Picture, x: float, y: float) -> Picture:
    """Return a picture moved back by so many pixels; what comes into view is what was at its rim."""
    way = np.array([[1, 0, -x], [0, 1, -y]], np.float32)
    size = image.shape[1], image.shape[0]
    return cast(Picture, cv2.warpAffine(image, way, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE))


@lru_cache(maxsize=4)
def _window(height: int, width: int) -> Floats:
    return np.asarray(cv2.createHanningWindow((width, height), cv2.CV_32F), np.float32)
