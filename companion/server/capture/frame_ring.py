"""The last seconds of a camera as small JPEG pictures: a ring buffer bounded by its bytes."""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import dataclass

import cv2
import numpy as np

from companion.vision.capture.frames import Frame
from companion.vision.core.geometry import Image


@dataclass(frozen=True, slots=True)
class Still:
    """One small picture: JPEG bytes, and its time in seconds since the source began."""

    time: float
    jpeg: bytes


def decoded(jpeg: bytes) -> Image:
    """Return a picture of ours (JPEG bytes) as (H, W, 3) BGR uint8."""
    return np.asarray(cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR), np.uint8)


def small_jpeg(image: Image, side: int, quality: int) -> bytes:
    """Return a picture as JPEG bytes. side: its longer side in pixels at most. quality: 0 to 100."""
    scale = min(1.0, side / max(image.shape[:2]))
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    return bytes(cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, quality])[1])


class FrameRing:
    """Keeps the newest pictures. Thread-safe.

    most_bytes: of all pictures together; the oldest are dropped. side: longer side of a picture in pixels. quality: of
    the JPEG, 0 to 100.
    """

    def __init__(self, most_bytes: int = 2 << 20, *, side: int = 640, quality: int = 60) -> None:
        self._most, self._side, self._quality = most_bytes, side, quality
        self._lock = threading.Lock()
        self._stills: deque[Still] = deque()
        self._bytes = 0

    @property
    def size(self) -> int:
        """Bytes of all kept pictures."""
        return self._bytes

    def add(self, frame: Frame) -> None:
        """Keep a frame. A time before the newest one's begins the ring again, as another source has its own clock."""
        jpeg = small_jpeg(frame.image, self._side, self._quality)
        with self._lock:
            if self._stills and frame.time <= self._stills[-1].time:
                self._clear()
            self._stills.append(Still(frame.time, jpeg))
            self._bytes += len(jpeg)
            while self._bytes > self._most:
                self._bytes -= len(self._stills.popleft().jpeg)

    def cut(self, began: float, ended: float) -> tuple[Still, ...]:
        """Return the pictures from one time to another, both in seconds since the source began."""
        with self._lock:
            return tuple(still for still in self._stills if began <= still.time <= ended)

    def clear(self) -> None:
        """Forget all pictures."""
        with self._lock:
            self._clear()

    def _clear(self) -> None:
        self._stills.clear()
        self._bytes = 0
