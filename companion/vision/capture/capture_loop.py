"""From a source to events: recordings frame by frame, cameras by the newest frame, with a word on their health."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Event
from typing import Protocol

from companion.vision.capture.frames import Frame, FrameSource
from companion.vision.capture.grabber import Grabber
from companion.vision.core.events import PileEvent

# How long a reader waits before it looks whether it was asked to stop.
_TICK = 0.2


class Follows(Protocol):
    """Takes frames in and tells what happens in them: a pile's tracker, or what follows the arms about it as well."""

    def feed(self, frame: Frame) -> list[PileEvent]:
        """Take in the next frame; returns what has happened, mostly nothing."""

    def finish(self) -> list[PileEvent]:
        """Say what is left to be said when no frame will follow."""


class Watcher:
    """Follows a table on a source. `events` is to be iterated by one thread; `stop` and `newest` are for any."""

    def __init__(self, source: FrameSource, tracker: Follows) -> None:
        self.source = source
        self.tracker = tracker
        self.newest: Frame | None = None
        """The last frame that was looked at, for showing."""
        self.drops = 0
        """How many frames of a camera were passed over because newer ones came."""
        self._stopped = Event()

    def stop(self) -> None:
        """Let `events` come to its end soon."""
        self._stopped.set()

    def events(self) -> Iterator[PileEvent]:
        """Yield what happens until the source ends or `stop` is called.

        Raises SourceError where a recording cannot be read; a camera in trouble is told of by CameraStatus instead.
        """
        frames = self._live() if self.source.live else self._recorded()
        yield from frames
        yield from self.tracker.finish()

    def _recorded(self) -> Iterator[PileEvent]:
        for frame in self.source.frames():
            if self._stopped.is_set():
                return
            self.newest = frame
            yield from self.tracker.feed(frame)

    def _live(self) -> Iterator[PileEvent]:
        with Grabber(self.source) as grabber:
            while not self._stopped.is_set():
                frame = grabber.next(_TICK)
                self.drops = grabber.drops
                yield from grabber.statuses()
                if frame is not None:
                    self.newest = frame
                    yield from self.tracker.feed(frame)
                elif grabber.ended:
                    return
