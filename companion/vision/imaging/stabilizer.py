"""Stabilises the frames of a swaying camera, for example one on books or a bent arm.

Sway is mostly a shift common to the whole picture. It is estimated by phase correlation (Kuglin and Hines, The phase
correlation image alignment method, 1975) with an earlier frame and accepted only if the shifted picture then matches
nearly everywhere; hands, cards and lamps change pictures in other ways. Where the camera turns as well, as in a hand,
no shift explains the change, and frames are turned back by `rigid_motion` from then on.
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
from companion.vision.imaging.motion import SPARSE, by_parts, structure
from companion.vision.imaging.rigid_motion import Gray, Matrix, farthest, moved_back, rigid_motion, trackable

Floats = NDArray[np.float32]
Picture = TypeVar("Picture", Image, Floats)

# Shifts are estimated in small pictures to a twentieth of a pixel. Minimum mean difference in grey levels to look
# closer; minimum mean difference in structure of a changed part; minimum number of changed parts. Sway changes at least
# that many, an arm three to seven.
_DIFFERS, _CHANGED, _FEWEST = 0.8, 0.05, 8
# Neighbourhood in small pixels and contrast floor in grey levels of the structure.
_NEIGHBOURHOOD, _FLOOR = 9, 8.0
# Range of shifts in small pixels: smaller ones are noise, larger ones a camera turned elsewhere.
_LEAST, _MOST = 0.2, 12.0
# Share of a part's difference that may remain if the shift explains it, and share of the changed parts in which it
# must; tolerated increase of the difference, and number of parts allowed to exceed it because a hand moves.
_EXPLAINED, _MOST_PARTS, _WORSE, _IN_FEW = 0.7, 0.6, 0.03, 1
# Share of parts that must still support the current shift: arms of people who continue to play hide many parts.
_HELD_PARTS = 0.4
# Seconds without sway after which the reference frame is renewed, or without hands after which a constant shift may
# become the new position; and seconds it must have lasted.
_CALM, _STAYS = 1.0, 1.5
SHAKES = _STAYS + 0.5
"""Seconds before a reported camera move within which it was pushed."""
# A constant shift is compensated while hands are present and for `_CALM` seconds afterwards, so that a card being laid
# is attributed; but no longer than `_LONGEST` seconds, as a hand may rest.
_LONGEST = 6.0
# Tolerance in small pixels for a shift to count as constant.
_SAME_SHIFT = 0.3


class Stabilizer:
    """Shifts frames back to the camera's original position. Call it for every frame; not thread-safe."""

    def __init__(self) -> None:
        self._anchor: Floats | None = None
        self._anchored = self._last = -np.inf
        self._shift: tuple[float, float] = (0.0, 0.0)
        self._shifted_since = 0.0
        self._swayed = self._busy = -np.inf
        self._anchor_frame: Frame | None = None
        self._ground: Gray | None = None
        self.moved = False
        """Whether the camera's position was updated with the last frame."""

    def take(self, frame: Frame, busy: bool = False) -> Frame:
        """Return the frame as an unmoved camera would show it; usually the frame itself.

        busy: whether hands were present just before.
        """
        self.moved = False
        self._busy = frame.time if busy else self._busy
        small = cv2.cvtColor(frame.small, cv2.COLOR_BGR2GRAY).astype(np.float32)
        gap, self._last = frame.time - self._last, frame.time
        if self._anchor is None or self._anchor.shape != small.shape or gap >= SPARSE:
            return self._anchored_at(small, frame)
        if self._ground is not None:
            return self._turned_back(self._ground, small, frame)
        shift = _shift(self._anchor, small, self._shift)
        if shift is None:
            self._shift = (0.0, 0.0)
            if _has_moved(self._anchor, small) and (turned := self._begin_turning(small, frame)) is not None:
                return turned
            calm = frame.time - max(self._anchored, self._swayed) >= _CALM
            return self._anchored_at(small, frame) if calm else frame
        self._swayed = frame.time
        if np.hypot(shift[0] - self._shift[0], shift[1] - self._shift[1]) > _SAME_SHIFT:
            self._shift, self._shifted_since = shift, frame.time
        elif self._stays(frame.time):
            self.moved = True
            return self._anchored_at(small, frame)
        scale = frame.image.shape[1] / SMALL
        return replace(frame, image=np.asarray(_shifted(frame.image, shift[0] * scale, shift[1] * scale), np.uint8))

    def _begin_turning(self, small: Floats, frame: Frame) -> Frame | None:
        """Return the frame turned back if the camera turns; from then on all frames are. None if it does not turn."""
        assert self._anchor_frame is not None
        ground = trackable(self._anchor_frame.image)
        motion = _turn(ground, frame)
        if motion is None or not self._is_explained(motion, small):
            return None
        self._ground = ground
        return self._turned_back(ground, small, frame)

    def _turned_back(self, ground: Gray, small: Floats, frame: Frame) -> Frame:
        """Return the frame turned back to the anchor; where that is impossible for long, the camera stands there."""
        motion = _turn(ground, frame)
        if motion is not None:
            self._swayed = frame.time
            return replace(frame, image=moved_back(frame.image, motion))
        if frame.time - self._swayed < _STAYS:
            return frame
        self.moved = True
        return self._anchored_at(small, frame)

    def _is_explained(self, motion: Matrix, small: Floats) -> bool:
        """Whether a turn explains how a small grey picture differs from the anchor."""
        height, width = small.shape
        if farthest(motion, height / width) * width < _LEAST:
            return False
        before, now = (structure(gray, _NEIGHBOURHOOD, _FLOOR) for gray in (cast(Floats, self._anchor), small))
        back = cv2.warpAffine(now, motion * (1, 1, width), (width, height), borderMode=cv2.BORDER_REPLICATE)
        differs, left = _differences(before, now), _differences(before, cast(Floats, back))
        changed = differs > _CHANGED
        explained = np.count_nonzero(changed & (left < _EXPLAINED * differs))
        return bool(0 < _MOST_PARTS * np.count_nonzero(changed) <= explained)

    def _stays(self, time: float) -> bool:
        """Whether a shift has lasted long enough, without hands, to be the camera's new position."""
        lasted = time - self._shifted_since
        return lasted >= _STAYS and (time - self._busy >= _CALM or lasted >= _LONGEST)

    def _anchored_at(self, small: Floats, frame: Frame) -> Frame:
        self._anchor, self._anchored, self._shift = small, frame.time, (0.0, 0.0)
        self._anchor_frame, self._ground = frame, None
        return frame


def _turn(ground: Gray, frame: Frame) -> Matrix | None:
    """Return how the camera has turned since the anchor's picture, None if that is not seen or too much."""
    motion = rigid_motion(ground, trackable(frame.image))
    height, width = frame.image.shape[:2]
    return None if motion is None or farthest(motion, height / width) * SMALL > _MOST else motion


def _has_moved(before: Floats, now: Floats) -> bool:
    """Whether so much of a grey picture has changed that the camera may have moved."""
    return bool(np.count_nonzero(_differences(before, now) > _DIFFERS) >= _FEWEST)


def _shift(before: Floats, now: Floats, last: tuple[float, float]) -> tuple[float, float] | None:
    """Return the shift of a grey picture in small pixels, right and down; None if it has not moved.

    last: the previous shift, (0, 0) if there was none.
    """
    if not _has_moved(before, now):
        return None
    before, now = (structure(gray, _NEIGHBOURHOOD, _FLOOR) for gray in (before, now))
    differs = _differences(before, now)
    changed = differs > _CHANGED
    if np.count_nonzero(changed) < _FEWEST:
        return None
    # OpenCV modifies its input.
    (x, y), _ = cv2.phaseCorrelate(before.copy(), now.copy(), _window(*now.shape))
    best: tuple[float, float] | None = None
    most = 0
    # If both explain the change equally well, keep the current one: hidden parts vary from frame to frame.
    for shift, share in ((last, _HELD_PARTS), ((float(x), float(y)), _MOST_PARTS)):
        if _LEAST <= np.hypot(*shift) <= _MOST:
            left = _differences(before, _shifted(now, *shift))
            explained = int(np.count_nonzero(changed & (left < _EXPLAINED * differs)))
            enough = explained >= share * np.count_nonzero(changed)
            if enough and explained > most and np.count_nonzero(left > differs + _WORSE) <= _IN_FEW:
                best, most = shift, explained
    return best


def _differences(one: Floats, other: Floats) -> Floats:
    """Return the (PARTS, PARTS) mean differences of two pictures."""
    return by_parts(np.asarray(cv2.absdiff(one, other), np.float32))


def _shifted(image: Picture, x: float, y: float) -> Picture:
    """Return a picture shifted back by this many pixels; the border is replicated."""
    way = np.array([[1, 0, -x], [0, 1, -y]], np.float32)
    size = image.shape[1], image.shape[0]
    return cast(Picture, cv2.warpAffine(image, way, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE))


@lru_cache(maxsize=4)
def _window(height: int, width: int) -> Floats:
    return np.asarray(cv2.createHanningWindow((width, height), cv2.CV_32F), np.float32)
