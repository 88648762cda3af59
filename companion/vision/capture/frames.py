"""Frames, and the interface of every camera, file and stream.

A call of `frames()` is one connection: it opens the source, yields frames until the source ends, and closes it. Calling
it again reconnects, with times and numbers continuing.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import cv2
import numpy as np

from companion.vision.capture.image_files import decode_picture
from companion.vision.core.geometry import Image, reduced

SMALLEST_SIDE = 16
"""Minimum side in pixels of a valid picture; broken streams decode to smaller ones."""
CONNECT_PATIENCE = 15.0
"""Seconds to wait for the first picture of a source: some webcams take ten to start."""

SMALL_WIDTH = 160
"""Width in pixels of small pictures, in which a finger is about two pixels wide and an arm ten."""


class SourceError(Exception):
    """A source that cannot be opened or that broke off. The message is one sentence for the user."""


@dataclass(frozen=True, eq=False)
class Frame:
    """One (H, W, 3) BGR uint8 picture of a source, seconds since it began, and the number of frames before."""

    image: Image
    time: float
    number: int

    @cached_property
    def small(self) -> Image:
        """The small picture, (h, SMALL_WIDTH, 3) BGR uint8, used to detect arms and camera sway."""
        return reduced(self.image, SMALL_WIDTH)


class FrameSource(Protocol):
    """A source of frames."""

    @property
    def name(self) -> str:
        """Name of the source for messages."""

    @property
    def live(self) -> bool:
        """Whether frames arrive at their own pace, so that a slow reader must skip some."""

    def frames(self) -> Iterator[Frame]:
        """Connect and yield frames until the source ends; raises SourceError if it cannot open or breaks off."""


def as_picture(raw: object) -> Image | None:
    """Return a decoder's output as (H, W, 3) BGR uint8, None if it is not a picture; grey and BGRA are converted."""
    if not isinstance(raw, np.ndarray) or raw.dtype != np.uint8 or raw.ndim not in (2, 3):
        return None
    if min(raw.shape[:2]) < SMALLEST_SIDE:
        return None
    channels = 1 if raw.ndim == 2 else raw.shape[2]
    if channels == 3:
        return raw
    code = {1: cv2.COLOR_GRAY2BGR, 4: cv2.COLOR_BGRA2BGR}.get(channels)
    return None if code is None else np.asarray(cv2.cvtColor(raw, code), np.uint8)


class Stopwatch:
    """Time stamps and frame numbers for sources whose frames carry no time."""

    def __init__(self) -> None:
        self._start: float | None = None
        self._count = 0

    def stamp(self, image: Image) -> Frame:
        """Return the picture as the source's next frame, stamped with the current time."""
        now = time.monotonic()
        if self._start is None:
            self._start = now
        self._count += 1
        return Frame(image, now - self._start, self._count - 1)


class UploadSource:
    """Frames that a phone's browser uploads, of which a slow reader gets only the newest; thread-safe."""

    live = True
    name = "the phone"

    def __init__(self) -> None:
        self._arrived = threading.Condition()
        self._newest: Image | None = None
        self._closed = False
        self._clock = Stopwatch()
        self.drops = 0
        """Number of pictures replaced by a newer one before they were read."""

    def push(self, data: bytes) -> None:
        """Accept one encoded picture (JPEG, PNG or WebP), rotated upright by its EXIF data; raises PictureError."""
        image = decode_picture(data)
        with self._arrived:
            self.drops += self._newest is not None
            self._newest = image
            self._arrived.notify_all()

    def close(self) -> None:
        """End all connections after the last picture has been read."""
        with self._arrived:
            self._closed = True
            self._arrived.notify_all()

    def frames(self) -> Iterator[Frame]:
        """Yield uploaded pictures until the source is closed."""
        while True:
            with self._arrived:
                self._arrived.wait_for(lambda: self._newest is not None or self._closed)
                image, self._newest = self._newest, None
            if image is None:
                return
            yield self._clock.stamp(image)
