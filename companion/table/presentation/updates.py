"""Numbered updates for any number of listeners: a ring that all of them read at their own pace."""

from __future__ import annotations

import threading
import time
from collections import deque
from dataclasses import dataclass
from enum import Enum

from companion.table.presentation.view import Notice, Question, Ruling

KEPT = 512
"""How many updates are kept for listeners that lag or come back; a match brings a few hundred."""


class UpdateKind(Enum):
    """What an update tells."""

    MATCH = "match"  # another match runs now
    RULING = "ruling"  # moves were accepted
    REFUSED = "refused"  # a tap that waited behind a question turned out not to fit
    CORRECTED = "corrected"  # moves were taken back or changed: the history is another one
    ILLEGAL = "illegal"  # a card that does not match lies on the pile
    QUESTION = "question"  # the table is unsure
    SETTLED = "settled"  # a question is no longer open
    REMINDER = "reminder"  # cards that are owed have not been taken for a while
    CAMERA = "camera"  # the camera's health has changed
    NOTICE = "notice"  # a notice came, changed or went


@dataclass(frozen=True, slots=True)
class Update:
    """Something that listeners are told. `id` counts up from 1 without gaps; `sentences` are to be said aloud."""

    id: int
    kind: UpdateKind
    sentences: tuple[str, ...] = ()
    ruling: Ruling | None = None
    question: Question | None = None
    notice: Notice | None = None


class Updates:
    """The updates of a running table. Publishing never waits for a listener."""

    def __init__(self, kept: int = KEPT) -> None:
        self._ring: deque[Update] = deque(maxlen=kept)
        self._last = 0
        self._closed = False
        self._changed = threading.Condition()

    @property
    def last(self) -> int:
        """The id of the latest update, 0 where there was none."""
        with self._changed:
            return self._last

    def publish(
        self,
        kind: UpdateKind,
        *,
        sentences: tuple[str, ...] = (),
        ruling: Ruling | None = None,
        question: Question | None = None,
        notice: Notice | None = None,
    ) -> Update:
        """Number the update, hand it to all listeners, and return it."""
        with self._changed:
            self._last += 1
            update = Update(self._last, kind, sentences, ruling, question, notice)
            self._ring.append(update)
            self._changed.notify_all()
            return update

    def subscribe(self, after: int | None = None) -> Subscription:
        """Return a subscription to all updates whose id is above `after`, or to those to come where it is None."""
        with self._changed:
            # An id from before a restart lies ahead of ours: its owner has seen nothing of this table yet.
            seen = self._last if after is None else after if 0 <= after <= self._last else 0
        return Subscription(self, seen)

    def close(self) -> None:
        """Wake all listeners for good; they read what is left and are done."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _next(self, seen: int, timeout: float | None) -> tuple[Update | None, bool]:
        deadline = None if timeout is None else time.monotonic() + timeout
        with self._changed:
            while self._last <= seen and not self._closed:
                left = None if deadline is None else deadline - time.monotonic()
                if left is not None and left <= 0:
                    return None, False
                self._changed.wait(left)
            if self._last <= seen:
                return None, True
            oldest = self._ring[0].id
            return self._ring[max(0, seen + 1 - oldest)], False


class Subscription:
    """One listener's place in the updates. A listener that is too slow loses the oldest; `lost` counts them.

    After a loss the listener should take a fresh view. Not to be shared between threads.
    """

    def __init__(self, updates: Updates, seen: int) -> None:
        self._updates = updates
        self.seen = seen
        self.lost = 0
        self.closed = False

    def next(self, timeout: float | None = None) -> Update | None:
        """Return the next update, waiting up to `timeout` seconds; None when none came or the table was closed."""
        update, self.closed = self._updates._next(self.seen, timeout)
        if update is not None:
            self.lost += update.id - self.seen - 1
            self.seen = update.id
        return update
