"""Keeps the newest frame of a source available, and reconnects a lost source; abandons a hanging driver."""

from __future__ import annotations

import threading
import time
from collections import deque
from dataclasses import dataclass

import numpy as np

from companion.vision.capture.frames import CONNECT_PATIENCE, Frame, FrameSource, SourceError
from companion.vision.core.events import CameraHealth, CameraStatus
from companion.vision.core.geometry import Image

PATIENCE = 1.8
"""Seconds without a new picture after which a camera counts as lost or frozen; two is the limit for reporting it."""
_FIRST_DELAY = 0.5
TICK = 0.1
"""Polling interval in seconds."""


@dataclass(eq=False)
class _Attempt:
    """One connection, read by its own thread. heard_at: when the last picture came; fresh: whether any was new."""

    heard_at: float | None = None
    fresh: bool = False
    over: bool = False
    error: str | None = None


class Grabber:
    """Reads a source in the background while its context lasts. `next` and `statuses` are for a single reader."""

    def __init__(self, source: FrameSource) -> None:
        self.source = source
        self.drops = 0
        """Number of frames replaced by a newer one before they were read."""
        self._changed = threading.Condition()
        self._newest: Frame | None = None
        self._statuses: deque[CameraStatus] = deque(maxlen=100)
        self._health: CameraHealth | None = None
        self._attempt: _Attempt | None = None
        self._closed = False
        self._ended = False
        self._fresh_at = time.monotonic()
        self._last_time = 0.0
        self._previous: Image | None = None
        self._keeper = threading.Thread(target=self._keep_alive, name="camera keeper", daemon=True)

    @property
    def ended(self) -> bool:
        """Whether the source has ended or the grabber was closed."""
        return self._ended or self._closed

    def __enter__(self) -> Grabber:
        self._keeper.start()
        return self

    def __exit__(self, *_: object) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._keeper.join(timeout=2)

    def next(self, timeout: float) -> Frame | None:
        """Return the newest frame not returned before; None after so many seconds, or at once with `statuses`."""
        with self._changed:
            self._changed.wait_for(lambda: self._newest is not None or self.ended or bool(self._statuses), timeout)
            frame, self._newest = self._newest, None
        return frame

    def statuses(self) -> list[CameraStatus]:
        """Return the camera's status changes since the last call, oldest first."""
        with self._changed:
            said = list(self._statuses)
            self._statuses.clear()
        return said

    def _read(self, attempt: _Attempt) -> None:
        error: str | None = None
        try:
            for frame in self.source.frames():
                if not self._take(attempt, frame):
                    return
        except SourceError as problem:
            error = str(problem)
        except Exception as problem:  # A driver's exception is a lost camera, not the end of the game.
            error = f"{self.source.name} failed: {problem}."
        with self._changed:
            if attempt is self._attempt:
                attempt.over, attempt.error = True, error
                self._ended = error is None
                self._changed.notify_all()

    def _take(self, attempt: _Attempt, frame: Frame) -> bool:
        """Store a frame from a connection attempt; False if that attempt was abandoned."""
        with self._changed:
            if attempt is not self._attempt or self._closed:
                return False
            same = self._previous is not None and _are_equal(frame.image, self._previous)
            self._previous = frame.image
            attempt.heard_at = time.monotonic()
            self.drops += self._newest is not None
            self._newest = frame
            if not same:
                self._fresh_at, self._last_time = time.monotonic(), frame.time
                attempt.fresh = True
                self._report(CameraHealth.OK, "")
            self._changed.notify_all()
        return True

    def _keep_alive(self) -> None:
        delay = _FIRST_DELAY
        while not self.ended:
            attempt = _Attempt()
            with self._changed:
                self._attempt = attempt
            threading.Thread(target=self._read, args=(attempt,), name="camera", daemon=True).start()
            self._watch_over(attempt)
            delay = _FIRST_DELAY if attempt.fresh else min(CONNECT_PATIENCE, 2 * delay)
            with self._changed:
                self._attempt = None
                self._changed.wait_for(lambda: self.ended, delay)

    def _watch_over(self, attempt: _Attempt) -> None:
        """Return when the attempt has ended or must be abandoned; its problem has been reported."""
        began = time.monotonic()
        with self._changed:
            while not self.ended:
                self._changed.wait_for(lambda: attempt.over or self._closed, TICK)
                now = time.monotonic()
                if attempt.error is not None:
                    self._report(CameraHealth.GONE, attempt.error)
                if attempt.over or self._closed:
                    return
                if now - self._fresh_at < (CONNECT_PATIENCE if self._health is None else PATIENCE):
                    continue
                name = self.source.name
                heard = attempt.heard_at
                if heard is not None and now - heard < PATIENCE / 2:
                    self._report(CameraHealth.FROZEN, f"{name} sends the same picture over and over.")
                else:
                    self._report(CameraHealth.GONE, f"{name} sends no pictures.")
                if now - max(began, self._fresh_at) > (CONNECT_PATIENCE if heard is None else PATIENCE):
                    return

    def _report(self, health: CameraHealth, detail: str) -> None:
        if health is self._health:
            return
        self._health = health
        age = time.monotonic() - self._fresh_at
        self._statuses.append(CameraStatus(self._last_time + age, health, detail))
        self._changed.notify_all()


def _are_equal(image: Image, other: Image) -> bool:
    """Whether two pictures are equal. One row mostly tells, as sensor noise changes some of its pixels."""
    row = slice(len(image) // 2, len(image) // 2 + 1)
    return np.array_equal(image[row], other[row]) and np.array_equal(image, other)
