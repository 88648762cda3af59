"""Deck lessons: passes the camera's settled pictures to the lesson while people lay cards."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator

from companion.decks.capture.keyframes import keyframes
from companion.decks.service.enrollment import Lesson
from companion.vision.capture.frames import Frame
from companion.vision.core.geometry import Image

_log = logging.getLogger(__name__)

# Seconds between two looks at the newest frame; a card lies longer than that.
_PAUSE = 0.08


class Lessons:
    """The running lesson, if any. newest: returns the camera's newest frame."""

    def __init__(self, newest: Callable[[], Frame | None]) -> None:
        self._newest = newest
        self._over = threading.Event()
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
        over = self._over = threading.Event()
        self.name, self.lesson, self._began = name, lesson, time.monotonic()
        threading.Thread(target=self._watch, args=(lesson, over), name="lesson", daemon=True).start()

    def end(self) -> None:
        """End the lesson without saving anything."""
        self._over.set()
        self.lesson = None

    def _watch(self, lesson: Lesson, over: threading.Event) -> None:
        for picture in keyframes(self._pictures(over)):
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
