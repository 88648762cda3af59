"""Stabilises the frames of a swaying camera, for example one on books, on a bent arm or in a hand.

Where most of the picture has changed, corners of its texture are tracked since an earlier frame (Lucas and Kanade,
1981), and a rotation, shift and scale is fitted to most of them (RANSAC), so that cards and hands do not count. It is
accepted if it explains the change; hands, cards and lamps change pictures in other ways.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.capture.frames import SMALL_WIDTH, Frame
from companion.vision.core.geometry import Image, averaged
from companion.vision.imaging.durations import ARM_PATIENCE, AT_REST, ONE_ACT, SPARSE
from companion.vision.imaging.masks import Floats, Mask, by_parts
from companion.vision.imaging.motion import structure

Picture = TypeVar("Picture", Image, Floats)

# A (2, 3) similarity: x and y of a picture to those of an earlier one, as shares of the width.
_Motion = NDArray[np.float64]

# Width in pixels at which corners are tracked, their number, and how near in pixels how many of them must come.
_WIDTH, _CORNERS, _NEAR, _ENOUGH = 640, 800, 1.0, 24
# Minimum mean difference in grey levels of half of the parts to look closer; an arm changes fewer.
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
        self._anchor_texture: Mask | None = None
        self._motion: _Motion | None = None
        self._known_at = self._moved_since = self._last_time = self._hands_at = -np.inf
        self.moved = False
        """Whether the camera's position was updated with the last frame."""

    def stabilized(self, frame: Frame, hands_present: bool = False) -> Frame:
        """Return the frame as an unmoved camera would show it, usually itself. hands_present: just before it."""
        self.moved = False
        self._hands_at = frame.time if hands_present else self._hands_at
        small = cv2.cvtColor(frame.small, cv2.COLOR_BGR2GRAY).astype(np.float32)
        gap, self._last_time = frame.time - self._last_time, frame.time
        if self._anchor is None or self._anchor.shape != small.shape or gap >= SPARSE:
            return self._anchored(small, frame)
        motion = self._moved_by(self._anchor, small, frame)
        if motion is None:
            self._motion = None
            return self._anchored(small, frame) if frame.time - self._known_at >= ONE_ACT else frame
        self._known_at = frame.time
        if self._motion is None or _travel(motion - self._motion, small) > _SAME:
            self._motion, self._moved_since = motion, frame.time
        elif self._stays(frame.time):
            self.moved = True
            return self._anchored(small, frame)
        return replace(frame, image=_moved_back(frame.image, motion))

    def _moved_by(self, anchor: Floats, small: Floats, frame: Frame) -> _Motion | None:
        """Return how the camera has moved between two grey pictures, None if it has not or that is not seen."""
        if np.median(_differences(anchor, small)) <= _DIFFERS:
            return None
        if self._anchor_texture is None:
            assert self._anchor_frame is not None
            self._anchor_texture = _trackable(self._anchor_frame.image)
        motion = _rigid_motion(self._anchor_texture, _trackable(frame.image))
        return motion if motion is not None and _is_explained(motion, anchor, small) else None

    def _stays(self, time: float) -> bool:
        """Whether a displacement is the camera's new position: it lasts, and any hand has had time to lay its card."""
        lasted = time - self._moved_since
        return lasted >= AT_REST and (time - self._hands_at >= ONE_ACT or lasted >= ARM_PATIENCE)

    def _anchored(self, small: Floats, frame: Frame) -> Frame:
        self._anchor, self._anchor_frame, self._known_at = small, frame, frame.time
        self._anchor_texture = self._motion = None
        return frame


def _trackable(image: Image) -> Mask:
    """Return a (H, W, 3) BGR picture as a grey one in which corners can be tracked."""
    return np.asarray(cv2.cvtColor(averaged(image, _WIDTH), cv2.COLOR_BGR2GRAY), np.uint8)


def _rigid_motion(before: Mask, now: Mask) -> _Motion | None:
    """Return the motion that moves a trackable picture back to an earlier one; None if too few corners agree on one."""
    corners = cv2.goodFeaturesToTrack(before, _CORNERS, 0.002, 7)
    if corners is None:
        return None
    there, status, _ = cv2.calcOpticalFlowPyrLK(before, now, corners, np.empty_like(corners))
    kept = status[:, 0] == 1
    if np.count_nonzero(kept) < _ENOUGH:
        return None
    matrix, agree = cv2.estimateAffinePartial2D(there[kept], corners[kept], ransacReprojThreshold=_NEAR)
    if matrix is None or np.count_nonzero(agree) < _ENOUGH:
        return None
    return np.asarray(matrix / (1, 1, _WIDTH), np.float64)


def _moved_back(picture: Picture, motion: _Motion) -> Picture:
    """Return a picture moved by this motion; the border is replicated."""
    height, width = picture.shape[:2]
    moved = cv2.warpAffine(picture, motion * (1, 1, width), (width, height), borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(moved, picture.dtype)


def _travel(change: _Motion, small: Floats) -> float:
    """Return how far in small pixels a change of the motion moves a corner of the picture."""
    aspect = small.shape[0] / small.shape[1]
    corners = np.array([[0, 0, 1], [1, 0, 1], [1, aspect, 1], [0, aspect, 1]])
    return float(np.hypot(*(corners @ change.T).T).max()) * SMALL_WIDTH


def _is_explained(motion: _Motion, anchor: Floats, small: Floats) -> bool:
    """Whether a motion explains how a grey picture differs from the anchor."""
    before, now = (structure(gray) for gray in (anchor, small))
    differs, left = _differences(before, now), _differences(before, _moved_back(now, motion))
    changed = differs > _CHANGED
    explained = np.count_nonzero(changed & (left < _EXPLAINED * differs))
    return bool(0 < _HELD_PARTS * np.count_nonzero(changed) <= explained)


def _differences(one: Floats, other: Floats) -> Floats:
    """Return the (PARTS, PARTS) mean differences of two pictures."""
    return by_parts(np.asarray(cv2.absdiff(one, other), np.float32))
