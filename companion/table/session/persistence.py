"""Keeps the running match in the store, and in memory while the store cannot be written."""

from __future__ import annotations

import logging
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import replace

from companion.storage.journal import Reading
from companion.storage.store import Batch, NoSuchMatchError, RefusedBatchError, Store, StoreError, StoreFullError

RETRY_SECONDS = 5.0
"""Seconds between attempts after a failed write, so that a slow disk does not delay the game."""

PICTURES_HELD = 64
"""Number of pictures held in memory for screens and until they are written: at most 16 MB."""

_log = logging.getLogger(__name__)


class MatchPersistence:
    """Writes batches in order. Not thread-safe.

    Batches that cannot be written wait and are written first later. A match the store refuses, because it was deleted
    or is inconsistent, is set aside; others continue. store: None keeps everything in memory without a notice. clock:
    monotonic seconds.
    """

    def __init__(self, store: Store | None, clock: Callable[[], float] = time.monotonic) -> None:
        self._store = store
        self._clock = clock
        self._waiting: deque[Batch] = deque()
        self._retry_at = 0.0
        self._pictures: OrderedDict[tuple[str, str], bytes] = OrderedDict()
        self._aside: dict[str, StoreError] = {}
        self._match: str | None = None
        self._disk: StoreError | None = None

    @property
    def trouble(self) -> StoreError | None:
        """Why not everything is on disk: the disk's error, or that of the last match written; None if all is well."""
        return self._disk or (self._aside.get(self._match) if self._match else None)

    @property
    def saved(self) -> bool:
        """Whether the match written to last is completely on disk."""
        return self._store is not None and not self._waiting and self._match not in self._aside

    def write(self, batch: Batch) -> None:
        """Write the batch durably, or hold it while the store cannot be written; see `trouble`."""
        self._match = batch.match_id
        for reading in batch.readings:
            self._hold(batch.match_id, reading)
        if self._store is None or batch.match_id in self._aside:
            return
        bare = tuple(replace(reading, picture=None) for reading in batch.readings)
        if self._waiting:
            # Pictures would fill the memory; the newest are held separately.
            self._waiting.append(replace(batch, readings=bare))
            self.retry()
            return
        try:
            self._write(batch)
        except StoreFullError as error:
            # There may be room for the moves, which matter more.
            self._fail(error, replace(batch, readings=bare))
            self.retry(now=True)
        except StoreError as error:
            self._fail(error, replace(batch, readings=bare))

    def retry(self, *, now: bool = False) -> None:
        """Write waiting batches if it is time for another attempt."""
        if self._store is None or not self._waiting or (not now and self._clock() < self._retry_at):
            return
        try:
            while self._waiting:
                if self._waiting[0].match_id not in self._aside:
                    self._write(self._waiting[0])
                self._waiting.popleft()
        except StoreError as error:
            self._disk = error
            self._retry_at = self._clock() + RETRY_SECONDS
        else:
            self._disk = None
            _log.info("what waited is on the disk")

    def picture(self, match_id: str, reading_id: str) -> bytes | None:
        """Return a reading's picture as JPEG bytes, None if it is not stored or cannot be read."""
        held = self._pictures.get((match_id, reading_id))
        if held is not None or self._store is None:
            return held
        try:
            return self._store.picture(match_id, reading_id)
        except StoreError:
            return None

    def holds(self, match_id: str) -> bool:
        """Return whether something of this match is only in memory."""
        return match_id in self._aside or any(batch.match_id == match_id for batch in self._waiting)

    def _write(self, batch: Batch) -> None:
        """Write a batch; raises StoreError for disk errors. An error of its match alone sets that match aside."""
        assert self._store is not None
        try:
            self._store.write(batch)
        except NoSuchMatchError:
            self._set_aside(batch, RefusedBatchError(batch.match_id, "it was deleted", self._store.path))
        except RefusedBatchError as error:
            self._set_aside(batch, error)

    def _set_aside(self, batch: Batch, error: StoreError) -> None:
        """Stop writing this match: later batches would not fit the missing ones."""
        _log.warning("the match %s goes on in memory alone: %s", batch.match_id, error)
        self._aside[batch.match_id] = error

    def _fail(self, error: StoreError, batch: Batch) -> None:
        _log.warning("the match goes on in memory: %s", error)
        self._disk = error
        self._waiting.append(batch)
        self._retry_at = self._clock() + RETRY_SECONDS

    def _hold(self, match_id: str, reading: Reading) -> None:
        if reading.picture is not None:
            self._pictures[match_id, reading.id] = reading.picture
            while len(self._pictures) > PICTURES_HELD:
                self._pictures.popitem(last=False)
