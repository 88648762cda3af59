"""Numbered updates for any number of listeners: a ring buffer that each one reads at its own pace."""

from __future__ import annotations

import threading
import time
from collections import deque
from dataclasses import dataclass
from enum import Enum

from companion.table.presentation.view import Notice, Question, Ruling

KEPT = 512
"""Number of updates kept for slow or reconnecting listeners; a match has a few hundred."""


class UpdateKind(Enum):
    """Kind of an update."""

    MATCH = "match"  # Another match is running.
    RULING = "ruling"  # Moves were accepted.
    REFUSED = "refused"  # A tap that waited behind a question was refused.
    CORRECTED = "corrected"  # Moves were undone or changed: the history differs.
    ILLEGAL = "illegal"  # A card that does not match lies on the pile.
    QUESTION = "question"  # The table asks a question.
    SETTLED = "settled"  # A question was settled.
    REMINDER = "reminder"  # Owed cards have not been taken for a while.
    CAMERA = "camera"  # The camera's health changed.
    NOTICE = "notice"  # A notice appeared, changed or disappeared.


@dataclass(frozen=True, slots=True)
class Update:
    """An update for listeners. `id` counts from 1 without gaps; `sentences` are to be spoken."""

    id: int
    kind: UpdateKind
    sentences: tuple[str, ...] = ()
    ruling: Ruling | None = None
    question: Question | None = None
    notice: Notice | None = None


class Updates:
    """The updates of a running table. Publishing never blocks."""

    def __init__(self, kept: int = KEPT) -> None:
        self._ring: deque[Update] = deque(maxlen=kept)
        self._last = 0
        self._closed = False
        self._changed = threading.Condition()

    @property
    def last(self) -> int:
        """Identifier of the latest update, 0 if there is none."""
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
        """Number the update, publish it to all listeners, and return it."""
        with self._changed:
            self._last += 1
            update = Update(self._last, kind, sentences, ruling, question, notice)
            self._ring.append(update)
            self._changed.notify_all()
            return update

    def subscribe(self, after: int | None = None) -> Subscription:
        """Return a subscription to updates with an identifier above `after`, or to future ones if it is None."""
        with self._changed:
            # An identifier from before a restart is ahead of ours: that listener has seen nothing of this table.
            seen = self._last if after is None else after if 0 <= after <= self._last else 0
        return Subscription(self, seen)

    def close(self) -> None:
        """Wake all listeners permanently; they read the rest and finish."""
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
    """One listener's position in the updates. A slow listener loses the oldest ones; `lost` counts them.

    After a loss, request a fresh view. Not thread-safe.
    """

    def __init__(self, updates: Updates, seen: int) -> None:
        self._updates = updates
        self.seen = seen
        self.lost = 0
        self.closed = False

    def next(self, timeout: float | None = None) -> Update | None:
        """Return the next update, waiting up to `timeout` seconds; None if there is none or the table was closed."""
        update, self.closed = self._updates._next(self.seen, timeout)
        if update is not None:
            self.lost += update.id - self.seen - 1
            self.seen = update.id
        return update
