"""Holds a camera back from the running match, until somebody says that it shows this table now."""

from __future__ import annotations

import threading
from collections.abc import Callable
from enum import Enum
from typing import Generic, TypeVar

from companion.vision.capture.capture_loop import FrameConsumer
from companion.vision.capture.frames import Frame
from companion.vision.core.events import PileEvent


class Hold(Enum):
    """Why a camera does not count."""

    LESSON = "lesson"
    """A deck is being learnt from its pictures."""
    TAKEN_UP = "taken-up"
    """The match was taken up after a restart or a lesson: other cards may lie on the table."""
    SOURCE = "source"
    """The camera was changed while a match runs, or the match did not begin with this film or simulated table."""


Tracker = TypeVar("Tracker", bound=FrameConsumer)


class HeldTracker(Generic[Tracker]):
    """A tracker that can be held. After a hold it begins again, knowing nothing of what lay there before.

    make: returns a new tracker. waits: whether a hold stops the source, as for a film, which would run out otherwise.
    """

    def __init__(self, make: Callable[[], Tracker], *, hold: Hold | None, waits: bool) -> None:
        self._make, self._waits = make, waits
        self._changed = threading.Condition()
        self._hold = hold
        self._closed = False
        self._stale = False
        self.tracker = make()

    @property
    def hold(self) -> Hold | None:
        """Why the camera is held, None if it counts."""
        return self._hold

    def set_hold(self, hold: Hold | None) -> None:
        """Hold the camera for another reason, or let it count."""
        with self._changed:
            self._hold = hold
            self._changed.notify_all()

    def close(self) -> None:
        """Let a source that is stopped by a hold end."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def feed(self, frame: Frame) -> list[PileEvent]:
        """Pass a frame to the tracker unless the camera is held."""
        with self._changed:
            if self._waits and self._hold is not Hold.LESSON:
                self._changed.wait_for(lambda: self._hold in (None, Hold.LESSON) or self._closed)
            if self._hold is not None or self._closed:
                self._stale = True
                return []
        if self._stale:
            self.tracker, self._stale = self._make(), False
        return self.tracker.feed(frame)

    def finish(self) -> list[PileEvent]:
        """Return the tracker's remaining events, none if the camera is held."""
        return [] if self._hold is not None or self._stale else self.tracker.finish()
