"""Runs a tracker on a source: every frame of a recording, the newest frame of a camera, plus camera health events."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Event
from typing import Protocol

from companion.vision.capture.frames import Frame, FrameSource, SourceError
from companion.vision.capture.grabber import TICK, Grabber
from companion.vision.core.events import PileEvent


class FrameConsumer(Protocol):
    """Consumes frames and returns events: a pile tracker, or a tracker of the whole table."""

    def feed(self, frame: Frame) -> list[PileEvent]:
        """Process the next frame and return the events it caused, usually none."""

    def finish(self) -> list[PileEvent]:
        """Return the remaining events when no frame will follow."""


class CaptureLoop:
    """Follows a table on a source. Iterate `events` in one thread; `stop` and `newest` are thread-safe."""

    def __init__(self, source: FrameSource, tracker: FrameConsumer) -> None:
        self.source = source
        self.tracker = tracker
        self.newest: Frame | None = None
        """The last processed frame, for display."""
        self.drops = 0
        """Number of camera frames skipped in favour of newer ones."""
        self._stopped = Event()

    def stop(self) -> None:
        """Ask `events` to end soon."""
        self._stopped.set()

    def events(self) -> Iterator[PileEvent]:
        """Yield events until the source ends or `stop` is called; failures of a camera are events too.

        Raises SourceError if a recording cannot be read, after everything seen before has been yielded.
        """
        try:
            yield from self._live() if self.source.live else self._recorded()
        except SourceError:
            yield from self.tracker.finish()
            raise
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
                frame = grabber.next(TICK)
                self.drops = grabber.drops
                yield from grabber.statuses()
                if frame is not None:
                    self.newest = frame
                    yield from self.tracker.feed(frame)
                elif grabber.ended:
                    return
