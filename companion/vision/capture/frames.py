"""Frames, and the one small interface behind which every camera, file and stream is read.

A source's `frames()` is one connection: it opens, yields until the source ends, and closes. Calling it again connects
anew, with times and numbers going on, so that a lost camera is reconnected by asking once more.
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
"""Pixels under which a picture is taken for the rubbish that a broken stream decodes to."""


SMALL = 160
"""Width in pixels at which a finger is about two of them wide, an arm ten."""


class SourceError(Exception):
    """A source that cannot be opened or that broke off. The message is one sentence for people."""


@dataclass(frozen=True, eq=False)
class Frame:
    """One picture of a source.

    image: (H, W, 3) BGR uint8, never written to after it was handed out. time: seconds since the source began. number:
    how many frames the source gave before it.
    """

    image: Image
    time: float
    number: int

    @cached_property
    def small(self) -> Image:
        """(h, SMALL, 3) BGR uint8, the picture reduced: arms and the camera's swaying are told from it."""
        return reduced(self.image, SMALL)


class FrameSource(Protocol):
    """Where frames come from."""

    @property
    def name(self) -> str:
        """What to call the source when speaking to people."""

    @property
    def live(self) -> bool:
        """Whether frames come at their own pace, so that waiting for the reader would mean falling behind."""

    def frames(self) -> Iterator[Frame]:
        """Connect and yield frames until the source ends; raises SourceError where it cannot open or breaks off."""


def as_picture(raw: object) -> Image | None:
    """Return what a decoder gave as (H, W, 3) BGR uint8, None where it is no picture; grey and BGRA are converted."""
    if not isinstance(raw, np.ndarray) or raw.dtype != np.uint8 or raw.ndim not in (2, 3):
        return None
    if min(raw.shape[:2]) < SMALLEST_SIDE:
        return None
    channels = 1 if raw.ndim == 2 else raw.shape[2]
    if channels == 3:
        return raw
    codes = {1: cv2.COLOR_GRAY2BGR, 4: cv2.COLOR_BGRA2BGR}
    return np.asarray(cv2.cvtColor(raw, codes[channels]), np.uint8) if channels in codes else None


class Stopwatch:
    """Seconds and a count since the first reading, for sources whose frames carry no time of their own."""

    def __init__(self) -> None:
        self._start: float | None = None
        self._count = 0

    def stamp(self, image: Image) -> Frame:
        """Return the picture as the source's next frame, taken now."""
        now = time.monotonic()
        if self._start is None:
            self._start = now
        frame = Frame(image, now - self._start, self._count)
        self._count += 1
        return frame


class UploadSource:
    """Frames that a phone's browser sends, one picture at a time; whoever is slow finds the newest and no other.

    `push` and `frames` may be called from different threads.
    """

    live = True
    name = "the phone"

    def __init__(self) -> None:
        self._arrived = threading.Condition()
        self._newest: Image | None = None
        self._closed = False
        self._clock = Stopwatch()
        self.drops = 0
        """How many pictures were overtaken by a newer one before anybody looked."""

    def push(self, data: bytes) -> None:
        """Take in one encoded picture (JPEG, PNG or WebP), upright as its EXIF says; raises PictureError."""
        image = decode_picture(data)
        with self._arrived:
            self.drops += self._newest is not None
            self._newest = image
            self._arrived.notify_all()

    def close(self) -> None:
        """End all connections once the last picture was read."""
        with self._arrived:
            self._closed = True
            self._arrived.notify_all()

    def frames(self) -> Iterator[Frame]:
        """Yield pushed pictures as they come, until the source is closed."""
        while True:
            with self._arrived:
                self._arrived.wait_for(lambda: self._newest is not None or self._closed)
                image, self._newest = self._newest, None
            if image is None:
                return
            yield self._clock.stamp(image)
