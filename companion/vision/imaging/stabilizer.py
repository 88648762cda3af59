"""Stabilises the frames of a swaying camera, for example one on books or a bent arm.

Where most of the picture has changed, the motion of its corners since an earlier frame is estimated by `rigid_motion`,
and accepted if it explains the change; hands, cards and lamps change pictures in other ways.
"""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.capture.frames import SMALL, Frame
from companion.vision.imaging.motion import ARM_PATIENCE, AT_REST, ONE_ACT, SPARSE, by_parts, structure
from companion.vision.imaging.rigid_motion import Gray, Matrix, farthest, moved_back, rigid_motion, trackable

Floats = NDArray[np.float32]

# Minimum mean difference in grey levels of half of the parts to look closer: an arm changes three to seven of sixteen.
_DIFFERS = 0.8
# Minimum mean difference in structure of a changed part, share of it that may remain if the motion explains it, and
# share of the changed parts in which it must.
_CHANGED, _EXPLAINED, _HELD_PARTS = 0.05, 0.7, 0.4
# Tolerance in small pixels for a displacement to count as constant.
_SAME = 0.3


class Stabilizer:
    """Moves frames back to the camera's original position. Call it for every frame; not thread-safe."""

    def __init__(self) -> None:
        self._anchor: Floats | None = None
        self._anchor_frame: Frame | None = None
        self._ground: Gray | None = None
        self._motion: Matrix | None = None
        self._stood = self._since = self._last = self._busy = -np.inf
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
        motion = self._moved_by(self._anchor, small, frame)
        if motion is None:
            self._motion = None
            return self._anchored_at(small, frame) if frame.time - self._stood >= ONE_ACT else frame
        self._stood = frame.time
        if self._motion is None or _travel(motion - self._motion, small) > _SAME:
            self._motion, self._since = motion, frame.time
        elif self._stays(frame.time):
            self.moved = True
            return self._anchored_at(small, frame)
        return replace(frame, image=moved_back(frame.image, motion))

    def _moved_by(self, anchor: Floats, small: Floats, frame: Frame) -> Matrix | None:
        """Return how the camera has moved since the anchor, None if it has not or that is not seen.

        anchor, small: grey pictures.
        """
        if np.median(_differences(anchor, small)) <= _DIFFERS:
            return None
        if self._ground is None:
            assert self._anchor_frame is not None
            self._ground = trackable(self._anchor_frame.image)
        motion = rigid_motion(self._ground, trackable(frame.image))
        return motion if motion is not None and _is_explained(motion, anchor, small) else None

    def _stays(self, time: float) -> bool:
        """Whether a displacement has lasted long enough, without hands, to be the camera's new position.

        It is compensated while hands are present and for `ONE_ACT` afterwards, so that a card being laid is attributed;
        but no longer than `ARM_PATIENCE`.
        """
        lasted = time - self._since
        return lasted >= AT_REST and (time - self._busy >= ONE_ACT or lasted >= ARM_PATIENCE)

    def _anchored_at(self, small: Floats, frame: Frame) -> Frame:
        self._anchor, self._anchor_frame, self._stood = small, frame, frame.time
        self._ground = self._motion = None
        return frame


def _travel(change: Matrix, small: Floats) -> float:
    """Return how far in small pixels a change of the motion moves a corner of the picture."""
    return farthest(np.eye(2, 3) + change, small.shape[0] / small.shape[1]) * SMALL


def _is_explained(motion: Matrix, anchor: Floats, small: Floats) -> bool:
    """Whether a motion explains how a grey picture differs from the anchor."""
    before, now = (structure(gray) for gray in (anchor, small))
    height, width = small.shape
    back = cv2.warpAffine(now, motion * (1, 1, width), (width, height), borderMode=cv2.BORDER_REPLICATE)
    differs, left = _differences(before, now), _differences(before, np.asarray(back, np.float32))
    changed = differs > _CHANGED
    explained = np.count_nonzero(changed & (left < _EXPLAINED * differs))
    return bool(0 < _HELD_PARTS * np.count_nonzero(changed) <= explained)


def _differences(one: Floats, other: Floats) -> Floats:
    """Return the (PARTS, PARTS) mean differences of two pictures."""
    return by_parts(np.asarray(cv2.absdiff(one, other), np.float32))
