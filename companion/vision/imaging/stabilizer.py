"""Stabilises the frames of a camera that sways or turns, on a bent arm or in a hand.

The picture has moved if one motion of the camera (`rigid_motion`) explains its difference from the anchor, a frame of
the camera at rest, in most parts. Arms and lamps change the picture as well, but no motion explains that.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.capture.frames import SMALL, SPARSE, Frame
from companion.vision.imaging.motion import structure
from companion.vision.imaging.rigid_motion import Matrix, Texture, farthest, moved_back

Floats = NDArray[np.float32]

# Grid of parts; minimum mean difference in structure of a changed part; minimum number of changed parts. Sway changes
# at least that many, an arm three to seven.
_PARTS, _CHANGED, _FEWEST = 4, 0.05, 8
# Range in small pixels of how far a motion moves a corner of the picture: less is noise, more another place.
_LEAST, _MOST = 0.2, 12.0
# Share of a part's difference that may remain if the motion explains it, and share of the changed parts in which it
# must.
_EXPLAINED, _MOST_PARTS = 0.7, 0.4
# Seconds between anchors while nothing sways, and after which a constant motion becomes the new position.
_REFRESH, _STAYS = 1.0, 1.5
SHAKES = _STAYS + SPARSE
"""Seconds before a reported camera move within which it was pushed."""
# A constant motion is compensated while hands are present and for `_REFRESH` seconds afterwards, so that a card being
# laid is attributed; but no longer than `_LONGEST` seconds, as a hand may rest.
_LONGEST = 6.0
# Tolerance in small pixels for a motion to count as constant.
_SAME = 0.3

_UNMOVED: Matrix = np.eye(2, 3)


class Stabilizer:
    """Moves frames back to the camera's original position. Call it for every frame; not thread-safe."""

    def __init__(self) -> None:
        self._anchor: _Anchor | None = None
        self._anchored = self._last = self._swayed = self._busy = -np.inf
        self._motion, self._moved_since = _UNMOVED, 0.0
        self.moved = False
        """Whether the camera's position was updated with the last frame."""

    def take(self, frame: Frame, busy: bool = False) -> Frame:
        """Return the frame as an unmoved camera would show it; usually the frame itself.

        busy: whether hands were present just before.
        """
        self.moved = False
        self._busy = frame.time if busy else self._busy
        gap, self._last = frame.time - self._last, frame.time
        if self._anchor is None or self._anchor.frame.image.shape != frame.image.shape or gap >= SPARSE:
            return self._anchored_at(frame)
        motion = self._anchor.motion(frame)
        if motion is None:
            if frame.time - max(self._anchored, self._swayed) < _REFRESH:
                return frame
            # A camera whose motion is lost for that long stands elsewhere.
            self.moved = self._motion is not _UNMOVED
            return self._anchored_at(frame)
        self._swayed = frame.time
        if _apart(motion, self._motion, frame) > _SAME:
            self._motion, self._moved_since = motion, frame.time
        elif self._stays(frame.time):
            self.moved = True
            return self._anchored_at(frame)
        return replace(frame, image=moved_back(frame.image, motion))

    def _stays(self, time: float) -> bool:
        """Whether a motion has lasted long enough, without hands, to be the camera's new position."""
        lasted = time - self._moved_since
        return lasted >= _STAYS and (time - self._busy >= _REFRESH or lasted >= _LONGEST)

    def _anchored_at(self, frame: Frame) -> Frame:
        self._anchor, self._anchored, self._motion = _Anchor(frame), frame.time, _UNMOVED
        return frame


class _Anchor:
    """A frame of the camera at rest."""

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        self._structure = _structure(frame)

    @cached_property
    def _texture(self) -> Texture:
        return Texture(self.frame.image)

    def motion(self, frame: Frame) -> Matrix | None:
        """Return the motion that moves a frame back to this one; None if it has not moved, or too far."""
        now = _structure(frame)
        differs = _by_parts(self._structure, now)
        changed = differs > _CHANGED
        if np.count_nonzero(changed) < _FEWEST:
            return None
        motion = self._texture.motion_of(frame.image)
        if motion is None or not _LEAST <= _apart(motion, _UNMOVED, frame) <= _MOST:
            return None
        left = _by_parts(self._structure, moved_back(now, motion))
        explained = np.count_nonzero(changed & (left < _EXPLAINED * differs))
        return motion if explained >= _MOST_PARTS * np.count_nonzero(changed) else None


def _structure(frame: Frame) -> Floats:
    return structure(cv2.cvtColor(frame.small, cv2.COLOR_BGR2GRAY).astype(np.float32))


def _apart(one: Matrix, other: Matrix, frame: Frame) -> float:
    """Return how far apart two motions move a corner of the frame, in small pixels."""
    height, width = frame.image.shape[:2]
    return farthest(one, other, height / width) * SMALL


def _by_parts(one: Floats, other: Floats) -> Floats:
    """Return (_PARTS, _PARTS) mean differences in structure."""
    return np.asarray(cv2.resize(cv2.absdiff(one, other), (_PARTS, _PARTS), interpolation=cv2.INTER_AREA), np.float32)
