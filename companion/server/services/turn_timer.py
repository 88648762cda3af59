"""A gentle nudge when a turn takes long. Off unless a number of seconds is set."""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Callable
from pathlib import Path

_log = logging.getLogger(__name__)

MOST_SECONDS = 600


class TurnTimer:
    """Says once per turn when it has lasted too long. Thread-safe.

    path: where the number of seconds is kept. clock: monotonic seconds.
    """

    def __init__(self, path: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self._path, self._clock = path, clock
        self._lock = threading.Lock()
        self._turn: object = None
        self._began = 0.0
        self._nudged = False
        self._seconds = _load(path)

    @property
    def seconds(self) -> int:
        """After how many seconds a turn is nudged, 0 for never."""
        return self._seconds

    def set(self, seconds: int) -> None:
        """Nudge after this many seconds from now on, never if 0."""
        with self._lock:
            self._seconds, self._began, self._nudged = seconds, self._clock(), False
        try:
            self._path.write_text(json.dumps({"seconds": seconds}), "utf-8")
        except OSError as error:
            _log.warning("The turn timer could not be kept: %s", error)

    def is_due(self, turn: object) -> bool:
        """Return whether this turn has just become too long. turn: changes with every turn, None while nobody is."""
        with self._lock:
            now = self._clock()
            if turn != self._turn:
                self._turn, self._began, self._nudged = turn, now, False
            due = turn is not None and 0 < self._seconds <= now - self._began and not self._nudged
            self._nudged |= due
            return due


def _load(path: Path) -> int:
    try:
        found = json.loads(path.read_text("utf-8"))["seconds"]
    except (OSError, ValueError, TypeError, KeyError):
        return 0
    return found if isinstance(found, int) and 0 <= found <= MOST_SECONDS else 0
