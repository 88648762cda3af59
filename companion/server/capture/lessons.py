"""Deck lessons: passes the camera's settled pictures to the lesson while people lay cards."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator

from companion.decks.capture.keyframes import keyframes, read_ahead
from companion.decks.service.enrollment import Lesson
from companion.vision.capture.frames import Frame
from companion.vision.core.geometry import Image

_log = logging.getLogger(__name__)

# Seconds between two looks at the newest frame. A laid card lies uncovered for about a third of a second if people lay
# a card a second, and five similar frames are needed.
_PAUSE = 1 / 30


class Lessons:
    """The running lesson, if any. newest: returns the camera's newest frame."""

    def __init__(self, newest: Callable[[], Frame | None]) -> None:
        self._newest = newest
        self._over = threading.Event()
        self._thread: threading.Thread | None = None
        self.lesson: Lesson | None = None
        self.name = ""
        self._began = 0.0

    @property
    def seconds(self) -> float:
        """Seconds since the running lesson began, 0 without one."""
        return 0.0 if self.lesson is None else time.monotonic() - self._began

    def begin(self, name: str, lesson: Lesson) -> None:
        """Begin a lesson; a running one is ended."""
        self.end()
        self.name, self.lesson, self._began = name, lesson, time.monotonic()
        self._start(lesson)

    def _start(self, lesson: Lesson) -> None:
        over = self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, args=(lesson, over), name="lesson", daemon=True)
        self._thread.start()

    def settle(self) -> None:
        """Wait until all pictures taken so far are processed, for instance before the deck is saved."""
        lesson, thread = self.lesson, self._thread
        if lesson is None or thread is None:
            return
        self._over.set()
        thread.join()
        if self.lesson is lesson:
            self._start(lesson)

    def end(self) -> None:
        """End the lesson without saving anything."""
        self._over.set()
        self.lesson = None

    def _watch(self, lesson: Lesson, over: threading.Event) -> None:
        for picture in read_ahead(keyframes(self._pictures(over))):
            if self.lesson is not lesson:
                continue
            try:
                lesson.show(picture)
            except Exception:
                _log.exception("A picture of the lesson could not be looked at")

    def _pictures(self, over: threading.Event) -> Iterator[Image]:
        last = -1
        while not over.wait(_PAUSE):
            frame = self._newest()
            if frame is not None and frame.number != last:
                last = frame.number
                yield frame.image
